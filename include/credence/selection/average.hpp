#pragma once

#include <cstddef>
#include <vector>

namespace credence::selection {

/// The average of cells that the data cannot tell from the best one (Rule::average).
struct CellAverage {
  /// Further members do not lower the error (docs/average.md), and each costs a training, and kernel values for each
  /// prediction.
  static constexpr std::size_t most_members = 10;

  /// Cells of the grid, ascending: those with the smallest errors, of the cells whose error is at most the smallest
  /// error plus its standard error. Among equal errors the most regularised cells are taken.
  std::vector<std::size_t> members;
  double error = 0;     ///< of the average of their out-of-fold scores, as Cell::error
  double error_se = 0;  ///< as Cell::error_se
};

}  // namespace credence::selection
