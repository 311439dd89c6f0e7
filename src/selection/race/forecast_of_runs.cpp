#include <algorithm>

#include "core/growth.hpp"
#include "credence/core/error.hpp"
#include "credence/selection/forecast.hpp"

namespace credence::selection {
namespace {

/// What is compared or trained has no estimate beside it that sets rows aside.
Options without_estimate(const Options& options) {
  Options plain = options.resolved();
  plain.estimate = Estimate::none;
  return plain;
}

}  // namespace

ComparisonForecast forecast(const data::Dataset& dataset, std::span<const Contestant> contestants,
                            const ComparisonOptions& options, const core::Context& context) {
  throw_if_any(options.validate());
  ComparisonForecast all{dataset.rows(), options.outer_folds, options.repeats, 0, {}};
  for (const Contestant& contestant : contestants) {
    const auto one = forecast(dataset, without_estimate(contestant.options), context);
    if (!one || !one->finished || one->races) continue;
    const double share = 1 - 1.0 / options.outer_folds;
    const double seconds =
        1.0 * options.repeats * options.outer_folds * core::times_as_much(share, 1, one->growth) * one->seconds();
    all.seconds += seconds;
    all.methods.push_back({contestant.name, seconds});
  }
  return all;
}

std::optional<FitForecast> forecast(const data::Dataset& dataset, const OneCell& cell, int folds,
                                    const core::Context& context) {
  const auto ten = forecast(dataset, without_estimate(cell.options), context);
  if (!ten || !ten->finished) return std::nullopt;
  constexpr double resamples = 10;  // of the cross-validation that is forecast, on all threads; the fit has one
  const double on_one_thread = std::min(resamples, static_cast<double>(context.threads.count()));
  const double fit =
      ten->exact_seconds / resamples * core::times_as_much(resamples, resamples - 1, ten->growth) * on_one_thread;
  const double cross = folds < 2 ? 0 : ten->exact_seconds * folds / resamples;
  return FitForecast{dataset.rows(), ten->pilot_rows, ten->growth, fit + cross};
}

}  // namespace credence::selection
