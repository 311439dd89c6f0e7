#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace credence::selection {

/// Positions of the margins, from the smallest on.
std::vector<std::uint32_t> ascending(std::span<const double> margins);

/// The AUC of the positions in `order`, along which margins ascend; NaN where one class has no weight. Cost: linear.
/// @param labels   0 or 1 of each position
/// @param weights  of each position; nullptr: all 1
double area_in_order(std::span<const std::uint32_t> order, const double* margins, const int* labels,
                     const double* weights);

}  // namespace credence::selection
