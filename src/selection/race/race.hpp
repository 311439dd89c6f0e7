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

/// Settings of a grid, judged on some of the rows.
struct JudgedRung {
  std::vector<std::size_t> rows;  ///< of the data set, ascending
  std::uint32_t fingerprint = 0;  ///< of their data and the options, where all settings were judged
  JudgedGrid judged;
  Selection found;  ///< the grid and the choice
};

/// Judges settings on the first rows of a stratified order. The resamples are those of all rows, restricted to these.
/// @param wanted  none: all settings
JudgedRung judge_rung(const data::Dataset& dataset, const Options& options, std::span<const Resample> resamples,
                      std::span<const std::size_t> order, std::size_t count, const core::Context& context,
                      const std::optional<WantedSettings>& wanted = std::nullopt);

/// The grid of a method that may race, judged on its resamples: by a race, or every setting on all rows, as the options
/// and a forecast decide.
class PlannedGrid {
 public:
  /// Decides whether to race. The arguments must outlive the object.
  /// @param resamples  of all rows
  /// @param forecast  used if it is of as many rows; nullptr: there is none
  /// @throws Error invalid_argument if Race::yes is asked for, and the method cannot race on the data
  PlannedGrid(const data::Dataset& dataset, const Options& options, std::span<const Resample> resamples,
              const core::Context& context, const Forecast* forecast);

  bool races() const { return race_ != nullptr; }
  /// To be called once. Returns what was judged on all rows.
  JudgedGrid judge();
  /// Puts into the grid of a selection what became of the settings that a race dropped, and reports the race. Where the
  /// run was stopped before a setting was complete on all rows, gives the selection what an earlier rung or the pilot
  /// found, and marks the selection as stopped.
  void report(const JudgedGrid& judged, Selection& selection);
  /// Bootstrap bias correction of the whole race, where there was one. Each resample of the rows repeats all rungs with
  /// the losses that were computed, chooses among the settings that it would have kept to the end, and is judged on the
  /// rows that were not drawn. A setting that the race itself had dropped by then has no further losses, so that no
  /// resample can keep the setting.
  /// @param predictions  of all rows; used for averages
  HonestEstimate estimate(const BbcOptions& bbc, const Predictions& predictions, const core::Context& context) const;

 private:
  struct Runners;

  const data::Dataset& dataset_;
  const Options& options_;
  std::span<const Resample> resamples_;
  const core::Context& context_;
  const Forecast* forecast_;             ///< nullptr where no pilot was run
  std::shared_ptr<const Forecast> own_;  ///< where the object ran the pilot
  std::shared_ptr<Runners> race_;        ///< nullptr where every setting is judged on all rows
};

}  // namespace credence::selection
