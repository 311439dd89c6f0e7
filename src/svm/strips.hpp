#pragma once

#include <cstddef>
#include <span>

#include "credence/core/aligned.hpp"
#include "credence/svm/model.hpp"

/// Decision values of many rows at once, a SIMD lane for each row, so that all machines share the rows' kernel values.
namespace credence::svm {

/// Rows that are decided together: their kernel values stay in the second-level cache while all machines pass over
/// them.
inline constexpr std::size_t strip_rows = 32;

/// turned[s * strip_rows + r] = rows[r * width + s] for r < count, 0 for the other rows of the strip.
void turn(const double* rows, std::size_t count, std::size_t width, double* turned);

/// decisions[c * strip_rows + r] = bias[c] + sum over k of coefficients[k * bias.size() + c] * values[support[k] *
/// strip_rows + r]. Sums run over k in ascending order: a row's value does not depend on the other rows.
/// @param used  the coefficients of all c from here on are 0
/// @param decisions  64-byte aligned
void decide(const double* values, std::span<const std::uint32_t> support, const double* coefficients,
            std::span<const double> bias, std::size_t used, double* decisions);

/// The votes of one one-against-one machine: votes[c * count + r] of row r for class c.
void add_votes(const BinaryMachine& machine, const double* decisions, std::size_t count, int* votes);
/// labels[r]: the class with most votes, the lowest of several.
void most_voted(const int* votes, std::size_t classes, std::size_t count, int* labels);

}  // namespace credence::svm
