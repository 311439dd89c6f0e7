#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "credence/kernel/gram.hpp"
#include "credence/kernel/kernel.hpp"

/// SIMD loops of the kernel room, dispatched at run time to the best target of the machine.
/// Lengths named `padded_n` are multiples of row_padding; the arrays have that many elements.
namespace credence::kernel::simd {

/// What a base row holds for each pair of rows.
enum class Pairing { squared_distance, manhattan_distance, dot_product };

/// Rows against rows. The second set stands in panels of row_padding rows, feature by feature, so that a pass over it
/// reads memory in order.
struct Pairs {
  Pairing pairing;
  const double* panels;
  std::size_t d;
  /// Where value (row j, feature 0) stands; those of further features follow at distances of row_padding.
  static std::size_t place(std::size_t j, std::size_t d) { return j / row_padding * row_padding * d + j % row_padding; }
};

/// out[r * stride + j - first] = sum over f of pairing(x[r * d + f], value (j, f)) for `count` (1 to 4)
/// rows x of `d` numbers and j in [first, last), both multiples of row_padding, as is the stride.
/// Sums run over f in ascending order in double, so equal rows give equal sums to the last bit.
void pair_rows(const Pairs& pairs, const double* x, std::size_t count, std::size_t first, std::size_t last, double* out,
               std::size_t stride);
void pair_rows(const Pairs& pairs, const double* x, std::size_t count, std::size_t first, std::size_t last, float* out,
               std::size_t stride);

/// rbf and laplacian values below this are given as 0.
inline constexpr double least_value = 1e-30;

/// out[j] = kernel function of base value in[j], j in [0, padded_n).
void apply_kernel(const Kernel& kernel, const float* in, float* out, std::size_t padded_n);
void apply_kernel(const Kernel& kernel, const double* in, double* out, std::size_t n);

/// values[j] = values[j]^(2^times): rbf or laplacian values of one gamma become those of 2^times that gamma, at a
/// fraction of the cost of an exponential. Each doubling doubles the relative error.
void square_kernel(double* values, std::size_t n, int times);

/// Rows to be summed up, each with a list of factors.
template <class T>
struct Terms {
  const T* rows;                ///< row t: rows[(t - first) * stride], 64-byte aligned
  std::size_t stride;           ///< numbers of a row, a multiple of row_padding
  std::size_t first;            ///< the number of the row at `rows`
  const std::uint32_t* chosen;  ///< the rows that take part, none before `first`
  std::size_t count;            ///< of them
  const double* factors;        ///< of chosen[k]: factors[k * factor_stride + c], c in [0, columns)
  std::size_t factor_stride;
  std::size_t columns;  ///< sums wanted
};

/// out[c * stride + j] += sum over k of factors[k * factor_stride + c] * rows[(chosen[k] - first) * stride + j], in
/// double. Sums run over k in ascending order, so each is the same to the last bit whatever stands beside it.
/// @param out  64-byte aligned
void add_terms(const Terms<float>& terms, double* out);
void add_terms(const Terms<double>& terms, double* out);

std::string target();

}  // namespace credence::kernel::simd
