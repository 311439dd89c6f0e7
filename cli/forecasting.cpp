#include "forecasting.hpp"

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

/// The log's stage while a forecast is made.
class Stage {
 public:
  explicit Stage(Run& run) : run_(run) { run.stage("forecast"); }
  ~Stage() { run_.stage("working"); }
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

 private:
  Run& run_;
};

bool is_wanted(const data::Dataset& dataset, const Run& run) {
  return !run.quiet() && dataset.rows() >= Forecast::from_rows;
}

}  // namespace

void print_forecast(const data::Dataset& dataset, selection::Options& options, Run& run) {
  if (!is_wanted(dataset, run)) return;
  const Stage stage(run);
  options.forecast = selection::forecast(dataset, options.resolved(), run.context());
  if (options.forecast && options.forecast->finished) tell(report::forecast_text(*options.forecast), run);
}

void print_forecast(const data::Dataset& dataset, const std::vector<selection::Contestant>& contestants,
                    const selection::ComparisonOptions& options, Run& run) {
  if (!is_wanted(dataset, run)) return;
  const Stage stage(run);
  const selection::ComparisonForecast all = selection::forecast(dataset, contestants, options, run.context());
  if (!all.methods.empty()) tell(report::forecast_text(all, contestants), run);
}

void print_forecast(const data::Dataset& dataset, const selection::OneCell& cell, int folds, Run& run) {
  if (!is_wanted(dataset, run)) return;
  const Stage stage(run);
  const auto fit = selection::forecast(dataset, cell, folds, run.context());
  if (fit) tell(report::forecast_text(*fit), run);
}

}  // namespace credence::cli
