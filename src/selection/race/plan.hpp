#pragma once

#include <memory>
#include <optional>
#include <span>

#include "credence/selection/forecast.hpp"
#include "credence/selection/selector.hpp"
#include "selection/race/race.hpp"

namespace credence::selection {

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
  HonestEstimate estimate(const BbcOptions& bbc, const OutOfSample& said, const core::Context& context) const {
    return race_->estimate(bbc, said, context);
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
