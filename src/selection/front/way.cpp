#include <memory>
#include <optional>
#include <utility>

#include "credence/selection/forecast.hpp"
#include "credence/selection/selector.hpp"

namespace credence::selection {
namespace {

/// The same choice in regions of the feature space; none where regions would not follow the options.
std::optional<Options> taken_in_regions(const data::Dataset& dataset, const Options& options) {
  if (dataset.rows() < Regions::default_from || !dataset.splits.empty() || !dataset.clusters().empty())
    return std::nullopt;
  const auto* whole = std::get_if<CrossValidation>(&options.method);
  if (whole == nullptr || options.race != Race::automatic || options.learner() != Learner::svm) return std::nullopt;
  if (options.kernels.shape.type != kernel::KernelType::rbf || options.score == Score::roc_auc) return std::nullopt;
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

}  // namespace

Way way_of(const data::Dataset& dataset, const Options& options, const core::Context& context, bool forecast_wanted) {
  const Options resolved = options.resolved();
  Way way{options, nullptr};
  std::optional<Options> parted = taken_in_regions(dataset, options);
  if (!parted && !forecast_wanted) return way;
  way.forecast = forecast(dataset, resolved, context);
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

}  // namespace credence::selection
