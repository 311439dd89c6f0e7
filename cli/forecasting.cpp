#include "forecasting.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "credence/selection/forecast.hpp"
#include "output.hpp"
#include "report/race_text.hpp"

namespace credence::cli {
namespace {

using selection::Forecast;

/// A note of several lines on standard error.
void tell(const std::string& text, Run& run) {
  run.progress().erase();
  print_error("credence: " + text);
}

bool is_wanted(const data::Dataset& dataset, const Run& run) {
  return !run.quiet() && dataset.rows() >= Forecast::from_rows;
}

}  // namespace

void print_forecast(const data::Dataset& dataset, selection::Options& options, Run& run) {
  if (!is_wanted(dataset, run)) return;
  options.forecast = selection::forecast(dataset, options.resolved(), run.context());
  if (options.forecast) tell(report::forecast_text(*options.forecast), run);
}

void print_forecast(const data::Dataset& dataset, const std::vector<selection::Contestant>& contestants,
                    int outer_folds, Run& run) {
  if (!is_wanted(dataset, run)) return;
  double seconds = 0;
  std::string methods;
  for (const selection::Contestant& contestant : contestants) {
    const auto one = selection::forecast(dataset, contestant.options.resolved(), run.context());
    if (!one) continue;
    const double share = 1 - 1.0 / outer_folds;
    const double of_method = outer_folds * std::pow(share, one->growth) * one->chosen().seconds;
    seconds += of_method;
    methods += fmt::format("  {:<24} about {}{}\n", contestant.name, report::duration_text(of_method),
                           one->races ? ", with races" : "");
  }
  if (!methods.empty())
    tell(fmt::format("forecast for {} rows and {} outer folds: about {}\n{}", dataset.rows(), outer_folds,
                     report::duration_text(seconds), methods),
         run);
}

void print_forecast(const data::Dataset& dataset, const selection::OneCell& cell, int folds, Run& run) {
  if (!is_wanted(dataset, run)) return;
  selection::Options options = cell.options.resolved();
  const auto ten = selection::forecast(dataset, options, run.context());
  if (!ten) return;
  constexpr double resamples = 10;
  const double one_fit = ten->exact.seconds / resamples * std::pow(resamples / (resamples - 1), ten->growth) *
                         std::min(resamples, static_cast<double>(run.context().threads.count()));
  const double cross = folds < 2 ? 0 : ten->exact.seconds * folds / resamples;
  tell(fmt::format("forecast for {} rows, from a pilot on {} rows (cost grows like n^{:.1f}): about {}\n",
                   dataset.rows(), ten->pilot_rows, ten->growth, report::duration_text(one_fit + cross)),
       run);
}

}  // namespace credence::cli
