#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace credence::selection {

/// The average of all cells that the data cannot tell from the best one (Rule::average).
struct CellAverage {
  /// Cells of the grid, ascending: their error is at most the smallest one plus its standard error.
  std::vector<std::size_t> members;
  double error = 0;     ///< of the average of their out-of-fold scores, as Cell::error
  double error_se = 0;  ///< as Cell::error_se
};

/// A score as a member adds it to the average: a member that is far beyond its margin says no more than one at it.
inline double clipped(double score) {
  return std::clamp(score, -1.0, 1.0);
}

}  // namespace credence::selection
