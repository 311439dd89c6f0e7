#pragma once

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

}  // namespace credence::selection
