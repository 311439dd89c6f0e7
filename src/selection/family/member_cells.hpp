#pragma once

#include <vector>

#include "credence/selection/selector.hpp"

namespace credence::selection {

/// The smallest rectangle of the grid with the chosen cell, or with all cells of the average, of one kernel function
/// and scaling. Smaller C, which are more regularised, are in the rectangle if they were judged: a path over the same
/// costs comes to the same machines.
struct MemberCells {
  Options options;                   ///< whose grid is the rectangle: of one space (spaces_of)
  std::vector<Cell> cells;           ///< of that grid
  std::vector<bool> members;         ///< of each of its cells whether it takes part
  std::vector<std::size_t> of_grid;  ///< the place of each of its cells in the whole grid

  std::size_t costs() const;  ///< of each gamma
};

/// Whether one of the cells from one place to another is wanted: a path to larger costs goes on. @param wanted  empty:
/// all are
bool any_wanted(const std::vector<bool>& wanted, std::size_t from, std::size_t end);

/// One for each kernel function and scaling that takes part, in the order of the grid.
/// @param selection  of SVMs or relevance vector machines, with a choice
std::vector<MemberCells> member_cells(const Selection& selection);

}  // namespace credence::selection
