#include "forecasting.hpp"

#include <fmt/format.h>

#include "output.hpp"
#include "report/course/race_text.hpp"

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

/// So many of the rows, evenly spread.
data::Dataset some_of(const data::Dataset& dataset, double share) {
  const auto count = static_cast<std::size_t>(share * static_cast<double>(dataset.rows()));
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < count; ++i) rows.push_back(i * dataset.rows() / count);
  return dataset.select_rows(rows);
}

}  // namespace

void begin_work(const Forecast* forecast, Run& run) {
  run.stage("working");
  if (forecast == nullptr) return;
  run.expect(forecast->seconds());
  if (!run.quiet()) tell(report::forecast_text(*forecast, run.seconds_left()), run);
}

void print_forecast(const data::Dataset& dataset, const std::vector<selection::Contestant>& contestants,
                    const selection::ComparisonOptions& options, Run& run) {
  if (!is_wanted(dataset, run)) return;
  const Stage stage(run);
  const selection::ComparisonForecast all = selection::forecast(dataset, contestants, options, run.context());
  if (!all.methods.empty()) tell(report::forecast_text(all, contestants), run);
}

void print_forecast(const data::Dataset& dataset, double share, int times, const selection::Options& options,
                    Run& run) {
  if (!is_wanted(dataset, run)) return;
  const Stage stage(run);
  const auto made = selection::forecast(some_of(dataset, share), options.resolved(), run.context());
  if (!made) return;
  if (made->finished) tell(report::forecast_text(*made, run.seconds_left()), run);
  if (times > 1) tell(fmt::format("forecast: this is one of {} choices, each without one fold", times), run);
}

void print_forecast(const data::Dataset& dataset, double share, int times, const selection::OneCell& cell, Run& run) {
  if (!is_wanted(dataset, run)) return;
  const Stage stage(run);
  auto fit = selection::forecast(some_of(dataset, share), cell, 0, run.context());
  if (!fit) return;
  fit->seconds *= times;
  tell(report::forecast_text(*fit), run);
}

void print_forecast(const data::Dataset& dataset, const selection::OneCell& cell, int folds, Run& run) {
  if (!is_wanted(dataset, run)) return;
  const Stage stage(run);
  const auto fit = selection::forecast(dataset, cell, folds, run.context());
  if (fit) tell(report::forecast_text(*fit), run);
}

}  // namespace credence::cli
