#include "credence/selection/run.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "credence/core/error.hpp"

namespace credence::selection {
namespace {

/// The same choice in regions of the feature space; none where regions would not follow the options.
std::optional<Options> taken_in_regions(const data::Dataset& dataset, const Options& options) {
  if (dataset.rows() < Regions::default_from || !dataset.splits.empty() || !dataset.clusters().empty())
    return std::nullopt;
  const auto* whole = std::get_if<CrossValidation>(&options.method);
  if (whole == nullptr || options.race != Race::automatic || options.learner() != Learner::svm) return std::nullopt;
  if (options.rule || options.score == Score::roc_auc ||
      !std::ranges::all_of(options.kernels.types, kernel::falls_with_distance))
    return std::nullopt;
  Regions regions{.by_default = true};
  if (whole->folds != CrossValidation{}.folds) regions.folds = whole->folds;
  Options parted = options;
  parted.method = regions;
  return parted.validate().empty() ? std::optional(std::move(parted)) : std::nullopt;
}

bool takes_too_long(const Forecast& forecast) {
  return forecast.finished && forecast.updates > Forecast::stated_cost && forecast.regions_seconds.has_value();
}

/// The same forecast of a run in regions. @param folds  in each region
std::shared_ptr<const Forecast> forecast_in_regions(const Forecast& exact, std::size_t folds) {
  auto made = std::make_shared<Forecast>(exact);
  made->regions_seconds = *exact.regions_seconds * static_cast<double>(folds) / Regions{}.folds;
  made->in_regions = true;
  made->by_default = true;
  made->races = false;
  return made;
}

/// Whether what was chosen is trained; of a stopped selection, the best setting in the time that was kept for it.
bool is_trained(const Selection& chosen, std::size_t rows, Training training, core::StopReason reason) {
  const bool wanted = training == Training::wanted;
  if (training == Training::none || reason == core::StopReason::cancelled) return false;
  if (chosen.stopped != core::StopReason::none)
    return wanted && chosen.best && chosen.options.trains_best_setting() && reason == core::StopReason::none;
  return wanted || chosen.predictor || rows <= rows_trained_quickly;
}

/// Trains what was chosen, in the time that is left.
void train_choice(const data::Dataset& dataset, const core::Context& context, Run& run) {
  const core::Stopwatch watch;
  try {
    run.model = fitted(dataset, run.selection, context);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::interrupted) run.failure = std::current_exception();
  } catch (const std::exception&) {
    run.failure = std::current_exception();
  }
  run.training_seconds = watch.seconds();
}

}  // namespace

Way way_of(const data::Dataset& dataset, const Options& options, const core::Context& context, bool forecast_wanted) {
  Way way{options, nullptr};
  std::optional<Options> parted = taken_in_regions(dataset, options);
  if (!parted && !forecast_wanted) return way;
  way.forecast = forecast(dataset, options, context);
  if (!parted || !way.forecast || !takes_too_long(*way.forecast)) return way;
  const auto in_regions = forecast_in_regions(*way.forecast, parted->resample_count(dataset.rows()));
  const std::optional<double> left = context.monitor.seconds_left();
  if (left && *left < *in_regions->regions_seconds) {
    // A plan of this run repeats the race without the limit too.
    if (way.forecast->races) way.options.race = Race::yes;
    return way;
  }
  way.options = *std::move(parted);
  way.forecast = in_regions;
  return way;
}

Run finished(Selection selection, const data::Dataset& dataset, const RunRequest& request,
             const core::Context& context) {
  Run run;
  run.selection = std::move(selection);
  const Selection& chosen = run.selection;
  const bool wanted = request.training == Training::wanted;
  if (is_trained(chosen, dataset.rows(), request.training, context.monitor.stop_reason()))
    train_choice(dataset, context, run);
  if (!wanted) {
    run.failure = nullptr;
    run.unfinished = partial_mark(chosen);
  } else if (chosen.stopped != core::StopReason::none || (!run.model && !run.failure)) {
    run.unfinished = unfinished_text(chosen, context.monitor.stop_reason(), run.model != nullptr);
  } else if (run.model) {
    run.unfinished = no_p_values_text(chosen, *run.model);
  }
  std::vector<std::string>& later = run.selection.later_warnings;
  if (run.model) later = trained_warnings(*run.model, dataset, context, request.looked_at);
  if (!run.unfinished.empty()) later.push_back(run.unfinished);
  return run;
}

Run run(const data::Dataset& dataset, const Options& asked, const RunRequest& request, const core::Context& context) {
  const Selector checks_the_options(asked);
  const auto part_before_training = [&](const Options& options, const Forecast* forecast) {
    const std::optional<double> left = context.monitor.seconds_left();
    const bool keeps = left && request.training == Training::wanted;
    const Options resolved = options.resolved_for(dataset);
    return core::Monitor::leaving(keeps ? seconds_kept_to_train(std::max(0.0, *left), resolved, forecast) : 0,
                                  context.monitor);
  };
  core::Monitor before = part_before_training(asked, nullptr);
  const bool forecast_wanted = request.forecast || before.seconds_left().has_value();
  const Way way = way_of(dataset, asked, context.with(before), forecast_wanted);
  const Forecast* const known = way.forecast.get();
  if (request.begins) request.begins(known != nullptr && known->finished ? known : nullptr);
  core::Monitor part = part_before_training(way.options, known);
  Selection selection = Selector(way.options).select(dataset, context.with(part), known);
  return finished(std::move(selection), dataset, request, context);
}

}  // namespace credence::selection
