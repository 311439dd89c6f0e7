#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "credence/core/context.hpp"
#include "credence/data/dataset.hpp"
#include "credence/selection/selector.hpp"
#include "selection/race/race.hpp"

/// Selections on few rows, from which the cost of those on all rows is forecast.
namespace credence::selection {

/// A selection on some of the rows.
struct Pilot {
  std::size_t rows = 0;
  double updates = 0;
  double seconds = 0;
  Selection selection;
  bool finished = true;  ///< false: the monitor said stop, and only the complete settings of `selection` are valid
  std::shared_ptr<const JudgedRung> rung{};  ///< where the pilot judged a rung of the race
};

/// What the pilots on a data set sample from.
struct PilotPlan {
  std::vector<Resample> resamples;  ///< of all rows, as a race judges on them; empty: a pilot makes its own
  std::vector<std::size_t> order;   ///< rows in such an order that the first k are a sample, for every k
};

/// None where the data cannot be split into resamples.
std::optional<PilotPlan> plan_of_pilot(const data::Dataset& dataset, const Options& options, bool may_race);

/// Selects on the first rows of the plan's order. None if the sample cannot be selected on.
std::optional<Pilot> pilot_on(const data::Dataset& dataset, const PilotPlan& plan, std::size_t rows,
                              const Options& options, const core::Context& context);

/// Multiplications and additions of the solver, see Forecast::updates.
double updates_of(const Setting& setting, std::size_t rows, const Options& options);

}  // namespace credence::selection
