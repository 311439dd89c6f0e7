#include "selection/race/pilot.hpp"

#include <algorithm>
#include <variant>

#include "credence/core/error.hpp"
#include "credence/kernel/gram.hpp"
#include "selection/frame/head.hpp"
#include "selection/grid/rvm_grid.hpp"
#include "selection/race/nested_rows.hpp"

namespace credence::selection {
namespace {

Options pilot_options(const Options& options) {
  Options plain = options;
  plain.estimate = Estimate::none;
  std::visit(
      [](auto& method) {
        if constexpr (requires { method.racing; }) method.racing.race = Race::no;
        if constexpr (requires { method.cells; }) method.cells.reset();
      },
      plain.method);
  if (plain.learner() == Learner::rvm) plain.machines().further = 0;  // the forecast is of the grid that was asked for
  return plain;
}

/// Times a base and a kernel matrix, which tell what those of all resamples and gammas took: the median of three,
/// because a few milliseconds stand for many.
void time_matrices(const data::Dataset& some, const Options& options, const core::Context& context, Pilot& pilot) {
  if (!options.has_kernels()) return;
  const data::Features features = fit_preprocessing(some, options).apply(some, data::UnknownLevel::ignore);
  const kernel::Kernel kernel =
      kernel_of(options, 1 / static_cast<double>(std::max<std::size_t>(1, features.columns())));
  constexpr std::size_t repeats = 3;
  constexpr double long_enough = 0.1;  // seconds, of which chance is a small part
  std::vector<double> of_bases;
  std::vector<double> of_grams;
  do {
    const core::Monitor clock;
    const kernel::Base base(options.kernels().shape.type, features);
    of_bases.push_back(clock.seconds());
    const kernel::Gram gram(kernel, base);
    of_grams.push_back(clock.seconds() - of_bases.back());
  } while (of_bases.size() < repeats && of_bases[0] + of_grams[0] < long_enough);
  std::ranges::sort(of_bases);
  std::ranges::sort(of_grams);
  const std::size_t median = of_bases.size() / 2;
  const double times = matrices_of_gamma(pilot.selection, options) / context.threads.count();
  pilot.base_seconds = std::min(pilot.seconds, of_bases[median] * times);
  pilot.gram_seconds = std::min(pilot.seconds - pilot.base_seconds, of_grams[median] * times * gammas_of(options));
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

bool shares_bases(const Selection& selection, const Options& options) {
  return selection.scale_scope == ScaleScope::all || options.preparation.scaling == data::Scaling::none;
}

double gammas_of(const Options& options) {
  const bool many = options.has_kernels() && options.kernels().shape.uses_gamma();
  return many ? static_cast<double>(std::max<std::size_t>(1, options.kernels().gamma.size())) : 1;
}

double matrices_of_gamma(const Selection& selection, const Options& options) {
  return shares_bases(selection, options) ? 1 : std::max(1, selection.folds);
}

std::optional<PilotPlan> plan_of_pilot(const data::Dataset& dataset, const Options& options, bool may_race) {
  PilotPlan plan;
  try {
    if (may_race && options.is<CrossValidation>()) plan.resamples = resamples_of_cv(dataset, options);
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
    time_matrices(rung_data(dataset, first_rows(plan.order, rows)), options, context, pilot);
    return pilot;
  } catch (const Error& error) {
    if (error.code() == ErrorCode::memory) throw;
    return std::nullopt;  // what cannot be selected on a sample is not forecast
  }
}

}  // namespace credence::selection
