#include "selection/race/pilot.hpp"

#include <algorithm>
#include <variant>

#include "credence/core/error.hpp"
#include "selection/frame/head.hpp"
#include "selection/grid/rvm_grid.hpp"
#include "selection/race/nested_rows.hpp"

namespace credence::selection {
namespace {

Options pilot_options(const Options& options) {
  Options plain = options;
  if (const auto* regions = std::get_if<Regions>(&options.method))
    plain.method = CrossValidation{.folds = regions->folds};
  plain.estimate = Estimate::none;
  if (plain.looks_at("race")) plain.race = Race::no;
  if (plain.learner() == Learner::rvm) plain.machines.further = 0;  // the forecast is of the grid that was asked for
  return plain;
}

/// @throws Error as a selection does
Pilot begun_pilot(const data::Dataset& dataset, const PilotPlan& plan, std::size_t rows, const Options& options,
                  const core::Context& context) {
  Pilot pilot;
  pilot.rows = rows;
  if (plan.resamples.empty()) {
    const data::Dataset some = rung_data(dataset, first_rows(plan.order, rows));
    pilot.selection = Selector(pilot_options(options)).select(some, context);
  } else {
    check_data(dataset, options);
    pilot.rung =
        std::make_shared<const JudgedRung>(judge_rung(dataset, options, plan.resamples, plan.order, rows, context));
    pilot.selection = pilot.rung->found;
  }
  return pilot;
}

}  // namespace

double updates_of(const Cell& cell, std::size_t rows, const Options& options) {
  const double per_step = static_cast<double>(rows);
  if (options.learner() != Learner::rvm) return static_cast<double>(cell.steps) * per_step;
  const auto centres = static_cast<double>(resolved_centres(rows, options));
  return static_cast<double>(cell.steps) * per_step * centres * centres;
}

std::optional<PilotPlan> plan_of_pilot(const data::Dataset& dataset, const Options& options, bool may_race) {
  PilotPlan plan;
  try {
    if (may_race && options.traits().folds) plan.resamples = resamples_of_cv(dataset, options);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::memory) throw;
    return std::nullopt;
  }
  plan.order = stratified_order(dataset, plan.resamples, options.seed);
  return plan;
}

std::optional<Pilot> pilot_on(const data::Dataset& dataset, const PilotPlan& plan, std::size_t rows,
                              const Options& options, const core::Context& context) {
  // A monitor of its own: the pilot is no part of the work that is forecast.
  core::Monitor quiet([&](const core::Monitor::Progress&) { return !context.monitor.should_stop(); });
  try {
    Pilot pilot = begun_pilot(dataset, plan, rows, options, {context.threads, quiet, context.memory_budget});
    if (context.monitor.should_stop() || pilot.selection.stopped != core::StopReason::none) {
      pilot.finished = false;
      return pilot;
    }
    pilot.seconds = pilot.selection.seconds;
    for (const Cell& cell : pilot.selection.grid) pilot.updates += updates_of(cell, rows, options);
    return pilot;
  } catch (const Error& error) {
    if (error.code() == ErrorCode::memory) throw;
    return std::nullopt;  // what cannot be selected on a sample is not forecast
  }
}

}  // namespace credence::selection
