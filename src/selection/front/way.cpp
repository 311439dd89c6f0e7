#include <memory>
#include <optional>
#include <utility>

#include "credence/selection/forecast.hpp"
#include "credence/selection/selector.hpp"

namespace credence::selection {
namespace {

/// The same choice in regions of the feature space; none where regions would not follow the options.
/// @param resolved  the same options
std::optional<Options> taken_in_regions(const data::Dataset& dataset, const Options& options, const Options& resolved) {
  if (dataset.rows() < Regions::default_from || !dataset.splits.empty() || !dataset.clusters().empty())
    return std::nullopt;
  if (!resolved.is<CrossValidation>() || resolved.race() != Race::automatic || resolved.learner() != Learner::svm)
    return std::nullopt;
  if (resolved.kernels.shape.type != kernel::KernelType::rbf || resolved.score() == Score::roc_auc) return std::nullopt;
  const auto& whole = options.as<CrossValidation>();
  Regions regions{.loss = whole.loss, .scoring = whole.scoring, .rule = whole.rule, .by_default = true};
  if (whole.folds != CrossValidation{}.folds) regions.folds = whole.folds;
  Options parted = options;
  parted.method = regions;
  return parted.validate().empty() ? std::optional(std::move(parted)) : std::nullopt;
}

bool takes_too_long(const Forecast& forecast) {
  return forecast.finished && forecast.updates > Forecast::stated_cost && forecast.regions_seconds.has_value();
}

/// The same forecast of a run in regions, which has the folds of `regions`.
std::shared_ptr<const Forecast> forecast_in_regions(const Forecast& exact, const Regions& regions) {
  auto made = std::make_shared<Forecast>(exact);
  made->regions_seconds = *exact.regions_seconds * regions.folds / Regions{}.folds;
  made->in_regions = true;
  made->by_default = true;
  made->races = false;
  return made;
}

}  // namespace

Way way_of(const data::Dataset& dataset, const Options& options, const core::Context& context, bool forecast_wanted) {
  const Options resolved = options.resolved();
  Way way{options, nullptr};
  std::optional<Options> parted = taken_in_regions(dataset, options, resolved);
  if (!parted && !forecast_wanted) return way;
  way.forecast = forecast(dataset, resolved, context);
  if (!parted || !way.forecast || !takes_too_long(*way.forecast)) return way;
  const auto in_regions = forecast_in_regions(*way.forecast, parted->as<Regions>());
  const std::optional<double> left = context.monitor.seconds_left();
  if (left && *left < *in_regions->regions_seconds) {
    // A plan of this run repeats the race without the limit too.
    if (way.forecast->races) way.options.as<CrossValidation>().racing.race = Race::yes;
    return way;
  }
  way.options = *std::move(parted);
  way.forecast = in_regions;
  return way;
}

}  // namespace credence::selection
