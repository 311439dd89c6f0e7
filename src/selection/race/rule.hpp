#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "credence/selection/selector.hpp"

/// Which cells a race drops.
namespace credence::selection {

/// The cells that one rung, or a part of the last rung, judged on rows.
struct RungLosses {
  std::vector<std::size_t> rows;   ///< of the data set, ascending
  std::vector<std::size_t> cells;  ///< of the grid, in the order in which ties are settled
  LossTable losses;                ///< (row, position in `cells`)
  std::size_t most;                ///< cells that may survive, ties apart
  /// The next rung has more rows, so that the best cell may move: the neighbours of the best cell join the survivors.
  bool grows;
};

/// A cell is dropped where the mean of its losses minus those of the best cell, over the same rows, is above so many
/// standard errors of that mean.
inline constexpr double standard_errors_to_drop = 2.0;
/// Of the cells that are left, no more than the best so many go on to the next rung.
inline constexpr std::size_t most_after_rung = 24;

/// Parts of the last rung, which has all rows: after a share of the resamples, at most so many cells go on; the fewer
/// resamples have judged them, the more. The rows of kernel matrices that a solver visits in one part are computed
/// together for the next, at a sixth of the cost of one by one: the first part is short for that reason too.
struct LastRungPart {
  double until;
  std::size_t most;
};
inline constexpr std::array<LastRungPart, 4> last_rung_parts{{{0.1, 24}, {0.2, 16}, {0.5, 8}, {1.0, 0}}};

/// The cells of a rung, among those that are allowed, which are not worse than the best of them by more than chance, as
/// cells of the grid, the best first; at most RungLosses::most of them. The list is empty if no cell is allowed. Rows
/// whose losses are NaN do not count. For losses of 0 and 1 the rule is McNemar's: a cell that errs on b rows where the
/// best does not, and is right on c rows where the best errs, is dropped if b - c > z sqrt(b + c - (b - c)^2 / n).
/// Cells as good as the last of RungLosses::most stay too, up to as many again: where errors are rare, many cells err
/// alike.
/// @param times  how often each row counts; empty: once
/// @param allowed  for each cell of the grid; empty: all
/// Cost: rows x cells.
std::vector<std::size_t> survivors(const RungLosses& rung, std::span<const std::uint32_t> times = {},
                                   const std::vector<bool>& allowed = {});

/// The cells that go on from a rung: the survivors, and where the next rung has more rows also the neighbours of the
/// best cell, along either axis or diagonally.
/// @param kept  survivors, the best first  @param cells  of the grid  @param costs  cells of each gamma
std::vector<bool> cells_after(const RungLosses& rung, std::span<const std::size_t> kept, std::size_t cells,
                              std::size_t costs);

/// The solver's steps in each cell, by which progress is counted.
std::vector<double> steps_of(std::span<const Cell> cells);

/// The gammas of a grid by the smallest error of their complete cells, the best first; ties in the order of the grid.
std::vector<std::size_t> gammas_by_error(std::span<const Cell> cells, std::size_t costs);

}  // namespace credence::selection
