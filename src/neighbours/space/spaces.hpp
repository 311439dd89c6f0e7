#pragma once

#include <memory>
#include <span>

#include "neighbours/space/space.hpp"

/// The spaces that there are; `make_space` chooses.
namespace credence::neighbours {

std::unique_ptr<Space> make_dense_space(Metric metric, const data::Features& sample, std::size_t classes);
std::unique_ptr<Space> make_sparse_space(Metric metric, const data::Features& sample, std::size_t classes);
/// @param distances  the whole matrix of the rows that are to come: row i must be added as the i-th
std::unique_ptr<Space> make_given_space(const data::Features& distances, std::size_t classes);

/// Taken off every lower bound and added to every limit: what underflow may have lost.
inline constexpr float least_slack = 1e-32F;

/// The norm of a row. @throws Error invalid_data, naming the row, if it is 0
double norm_of_direction(std::span<const double> values, std::size_t row);

}  // namespace credence::neighbours
