#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace credence::selection {

/// Positions of the margins, from the smallest on.
std::vector<std::uint32_t> ascending(std::span<const double> margins);

/// Weights of pairs of a row of the second class and one of the first.
struct OrderedPairs {
  double ordered = 0;  ///< whose margins are in the right order; half of those with equal margins
  double all = 0;
  /// The AUC; NaN where one class has no weight.
  double area() const { return ordered / all; }
};

/// Of the positions in `order`, along which margins ascend. Cost: linear.
/// @param labels   0 or 1 of each position
/// @param weights  of each position; nullptr: all 1
OrderedPairs pairs_in_order(std::span<const std::uint32_t> order, const double* margins, const int* labels,
                            const double* weights);

}  // namespace credence::selection
