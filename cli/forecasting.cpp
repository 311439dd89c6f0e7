#include "credence/core/list.hpp"

#include <fmt/format.h>

#include "output.hpp"
#include "report/course/training_text.hpp"
#include "selecting.hpp"

namespace credence::cli {
namespace {

using selection::Forecast;

/// A note of several lines on standard error.
void print_note(const std::string& text, Run& run) {
  run.progress().erase();
  print_error("credence: " + text);
}

/// Tells what is made while the log's stage is "forecast", where there are many rows; nothing for an empty text.
void tell_forecast(const data::Dataset& dataset, Run& run, const auto& make) {
  if (run.quiet() || dataset.rows() < Forecast::from_rows) return;
  run.stage("forecast");
  const std::string text = make();
  run.stage("working");
  if (!text.empty()) print_note(text, run);
}

/// So many of the rows, evenly spread.
data::Dataset some_of(const data::Dataset& dataset, double share) {
  const auto count = static_cast<std::size_t>(share * static_cast<double>(dataset.rows()));
  const std::vector<std::size_t> rows = core::made(count, [&](std::size_t i) { return i * dataset.rows() / count; });
  return dataset.select_rows(rows);
}

}  // namespace

void begin_work(const Forecast* forecast, Run& run) {
  run.stage("working");
  if (forecast == nullptr) return;
  run.expect(forecast->seconds());
  if (!run.quiet()) print_note(report::forecast_text(*forecast, run.seconds_left()), run);
}

void print_forecast(const data::Dataset& dataset, const std::vector<selection::Contestant>& contestants,
                    const selection::ComparisonOptions& options, Run& run) {
  tell_forecast(dataset, run, [&] {
    const selection::ComparisonForecast all = selection::forecast(dataset, contestants, options, run.context());
    return all.methods.empty() ? "" : report::forecast_text(all, contestants);
  });
}

void print_forecast(const data::Dataset& dataset, double share, int times, const selection::Options& options,
                    Run& run) {
  tell_forecast(dataset, run, [&] {
    const auto made = selection::forecast(some_of(dataset, share), options.resolved(), run.context());
    if (!made || !made->finished) return std::string();
    const std::string text = report::forecast_text(*made, run.seconds_left());
    return times > 1 ? fmt::format("{}  this is one of {} choices, each without one fold\n", text, times) : text;
  });
}

void print_forecast(const data::Dataset& dataset, double share, int times, const selection::OneSetting& one, Run& run) {
  tell_forecast(dataset, run, [&] {
    auto fit = selection::forecast(some_of(dataset, share), one, 0, run.context());
    if (fit) fit->seconds *= times;
    return fit ? report::forecast_text(*fit) : "";
  });
}

void print_forecast(const data::Dataset& dataset, const selection::OneSetting& setting, int folds, Run& run) {
  tell_forecast(dataset, run, [&] {
    const auto fit = selection::forecast(dataset, setting, folds, run.context());
    return fit ? report::forecast_text(*fit) : "";
  });
}

}  // namespace credence::cli
