#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "credence/selection/forecast.hpp"
#include "credence/selection/selector.hpp"
#include "selection/judge/judged_grid.hpp"
#include "selection/race/rule.hpp"

namespace credence::selection {

/// Why the method of the options cannot race on the data; empty if it can.
std::string reason_against_race(const data::Dataset& dataset, const Options& options);

/// Cells of a grid, judged on some of the rows.
struct JudgedRung {
  std::vector<std::size_t> rows;  ///< of the data set, ascending
  std::uint32_t fingerprint = 0;  ///< of their data and the options, where all cells were judged
  JudgedGrid judged;
  Selection found;  ///< the grid and the choice
};

/// Judges cells on the first rows of a stratified order, on what the resamples of all rows are there.
/// @param wanted  none: all cells
JudgedRung judge_rung(const data::Dataset& dataset, const Options& options, std::span<const Resample> resamples,
                      std::span<const std::size_t> order, std::size_t count, const core::Context& context,
                      const std::optional<WantedCells>& wanted = std::nullopt);

/// A race over the cells of a grid.
class RaceRun {
 public:
  /// Judges the cells on all rungs but the last one, which has all rows. Stops within a rung if the monitor says so.
  /// The arguments must outlive the object.
  /// @param resamples  of all rows
  /// @param first  the smallest rung, if it has been judged on the same data with the same options; else nullptr
  RaceRun(const data::Dataset& dataset, const Options& options, std::span<const Resample> resamples,
          const core::Context& context, const JudgedRung* first);

  /// Judges the cells that are left on all rows, resample after resample: cells are dropped after a tenth, a fifth and
  /// half of the resamples too.
  JudgedGrid judge_last();
  /// Puts into the grid of a selection, which the last rung judged, what became of the cells that were dropped before,
  /// and reports the race. If the run was stopped before a cell of the last rung was complete, the cells of the rung
  /// before take their place, and the selection is marked as stopped.
  /// @param judged  the last rung
  void report(const JudgedGrid& judged, Selection& selection);

  /// Bootstrap bias correction of the whole race: each resample of the rows repeats all rungs with the losses that are
  /// there, chooses among the cells that it would have kept to the end, and is judged on the rows that were not drawn.
  /// A cell that the race itself had dropped by then has no further losses, so that no resample can keep the cell.
  /// @param said  of the last rung; looked at by averages
  HonestEstimate estimate(const BbcOptions& bbc, const Predictions& predictions, const core::Context& context) const;

 private:
  WantedCells wanted() const;
  bool is_first_rung(const JudgedRung& rung, std::span<const std::size_t> order) const;
  void run_rung(std::size_t count, std::span<const std::size_t> order);
  void take(const JudgedRung& rung);
  RungLosses losses_so_far(const JudgedGrid& judged, const LastRungPart& part) const;
  void drop_after(const RungLosses& rung, std::size_t rows, std::size_t resamples);
  std::vector<std::size_t> in_order_of_preference(const std::vector<bool>& cells) const;
  std::vector<std::size_t> averaged_by(std::span<const std::uint32_t> drawn, std::span<const std::size_t> chosen) const;
  double judged_by(std::span<const std::uint32_t> drawn, const Predictions& predictions) const;

  const data::Dataset& dataset_;
  const Options& options_;
  std::span<const Resample> resamples_;
  const core::Context& context_;
  std::size_t costs_;
  double begun_ = 0;  ///< the rung at hand, in seconds of the monitor
  RaceReport report_;
  std::vector<RungLosses> rungs_;  ///< complete ones
  std::vector<Cell> cells_;        ///< complete: judged by the last complete rung
  std::vector<bool> left_;         ///< for each cell of the grid
  std::vector<std::size_t> order_of_gammas_;
};

/// The grid of a method that may race, judged on its resamples: by a race, or every cell on all rows, as the options
/// and a forecast decide.
class PlannedGrid {
 public:
  /// Decides, and runs a race up to its last rung. The arguments must outlive the object.
  /// @param forecast  used if it is of so many rows; nullptr: there is none
  /// @throws Error invalid_argument where Race::yes is asked for and cannot be had
  PlannedGrid(const data::Dataset& dataset, const Options& options, std::span<const Resample> resamples,
              const core::Context& context, const Forecast* forecast);

  bool races() const { return race_.has_value(); }
  /// To be called once.
  JudgedGrid judge();
  /// Reports the race, if there was one. Where the run was stopped before a cell was complete, gives the selection what
  /// an earlier rung or the pilot found.
  void report(const JudgedGrid& judged, Selection& selection);
  /// Of the whole race; only where there was one.
  HonestEstimate estimate(const BbcOptions& bbc, const Predictions& predictions, const core::Context& context) const {
    return race_->estimate(bbc, predictions, context);
  }

 private:
  bool decides_to_race();
  void fall_back(Selection& selection) const;

  const data::Dataset& dataset_;
  const Options& options_;
  std::span<const Resample> resamples_;
  const core::Context& context_;
  const Forecast* forecast_;             ///< nullptr where no pilot was run
  std::shared_ptr<const Forecast> own_;  ///< where the object ran the pilot
  std::optional<RaceRun> race_;
};

}  // namespace credence::selection
