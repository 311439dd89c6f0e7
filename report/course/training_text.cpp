#include "report/course/training_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/setting_words.hpp"
#include "report/text.hpp"

namespace credence::report {

std::string kernel_text(const kernel::Kernel& kernel, bool by_sigma) {
  std::string name{kernel::name(kernel.type)};
  if (!kernel.uses_gamma()) return name;
  return name + ", " + (by_sigma ? width_text(kernel.gamma) : "gamma = " + readable(kernel.gamma));
}

void add_svm(const svm::TrainResult& result, bool by_sigma, Section& section) {
  const model::TrainingRecord& record = result.model.record;
  section.fact("kernel", kernel_text(result.model.kernel, by_sigma));
  if (record.nu)
    section.fact("nu", fmt::format("{:.6g}, the C-SVC with C = {}", *record.nu, readable(record.C)));
  else
    section.fact("C", readable(record.C));
  section.fact("support", count_of(result.model.support_count(), "support vector"));
  const qp::Statistics& work = result.statistics;
  section.fact(
      "solver",
      fmt::format("{}, {}, objective {:.10g}, gap {:.3g}: {}", count_of(work.steps, "SMO step"),
                  count_of(work.factorisations, "factorisation"), result.objective, work.gap, qp::name(work.status)),
      Where::verbose);
}

namespace {

using selection::Forecast;
using selection::RaceReport;
using selection::Rung;
using selection::Selection;

struct Unit {
  double seconds;
  const char* name;
};

Unit unit_of(double seconds) {
  if (seconds < 90) return {1, "s"};
  if (seconds < 90 * 60) return {60, "min"};
  if (seconds < 48 * 3600) return {3600, "h"};
  return {86400, "days"};
}

/// "45 s", "3 min", "2.5 h".
std::string duration_text(double seconds) {
  const Unit unit = unit_of(seconds);
  const bool has_tenths = seconds < 9.95 || unit.seconds > 60;
  return fmt::format("{:.{}f} {}", std::max(0.1, seconds / unit.seconds), has_tenths ? 1 : 0, unit.name);
}

}  // namespace

std::string rough_duration_text(double seconds) {
  const Unit unit = unit_of(seconds);
  const double value = std::max(0.1, seconds / unit.seconds);
  const double digit = std::pow(10, std::floor(std::log10(value)));
  return fmt::format("{:g} {}", std::round(value / digit) * digit, unit.name);
}

std::string race_text(const Selection& selection) {
  const RaceReport& race = *selection.race;
  std::string text;
  for (const Rung& rung : race.rungs) {
    const auto all = static_cast<std::size_t>(selection.resamples);
    const bool last = rung.rows == selection.n && rung.resamples == all;
    const std::string part = rung.resamples < all ? fmt::format(" in {} of {} resamples", rung.resamples, all) : "";
    text +=
        fmt::format("{}{}: {} judged{}, {} {}", text.empty() ? "" : "; ", count_of(rung.rows, "row"),
                    count_of(rung.judged, "setting"), part, rung.survived, last ? "within chance of the best" : "kept");
  }
  if (text.empty()) text = "stopped before its first rung was complete";
  if (!race.asked_for) {
    text += fmt::format(
        ". The exact grid would have cost more than {:.0e} updates; --race no judges all settings on all rows",
        Forecast::stated_cost);
  }
  return text;
}

std::string regions_by_default_text() {
  return "the default here is an average of regions of the feature space: every setting on all rows (--race no) takes "
         "more than about a minute, and a race (--race yes) less";
}

std::string forecast_text(const Forecast& forecast, std::optional<double> seconds_left) {
  std::string text = fmt::format("forecast for {} rows, from a pilot on {} rows (cost grows like n^{:.1f}):\n",
                                 forecast.rows + forecast.set_aside, forecast.pilot_rows, forecast.growth);
  const auto line = [&](const std::string& name, double seconds, bool chosen) {
    text += fmt::format("  {:<20}about {}{}\n", name, rough_duration_text(seconds), chosen ? " (this run)" : "");
  };
  line(forecast.race_seconds ? "--race no" : "all settings", forecast.exact_seconds,
       !forecast.races && !forecast.in_regions);
  if (forecast.race_seconds) {
    text += fmt::format("  {:<20}its time depends on the settings that it drops{}\n", "--race yes",
                        forecast.races ? " (this run)" : "");
  }
  if (forecast.regions_seconds) {
    line(forecast.by_default ? "regions" : fmt::format("--region-size {}", forecast.region_size),
         *forecast.regions_seconds, forecast.in_regions);
  }
  if (forecast.by_default) text += fmt::format("  {}\n", regions_by_default_text());
  if (!seconds_left || forecast.seconds() <= *seconds_left) return text;
  return text +
         fmt::format("  the time limit leaves {}: this run is likely to end with the best of what is judged by then\n",
                     duration_text(*seconds_left));
}

std::string forecast_text(const selection::ComparisonForecast& forecast,
                          std::span<const selection::Contestant> contestants) {
  const std::string repeats = forecast.repeats > 1 ? fmt::format(", drawn {} times", forecast.repeats) : std::string();
  std::string text = fmt::format("forecast for {} rows and {} outer folds{}: about {}\n", forecast.rows,
                                 forecast.outer_folds, repeats, rough_duration_text(forecast.seconds));
  for (const selection::ComparisonForecast::Method& method : forecast.methods)
    text += fmt::format("  {:<24} about {}\n", method.name, rough_duration_text(method.seconds));
  for (const selection::Contestant& contestant : contestants)
    if (std::ranges::find(forecast.methods, contestant.name, &selection::ComparisonForecast::Method::name) ==
        forecast.methods.end())
      text += fmt::format("  {:<24} not known beforehand, and not in the sum\n", contestant.name);
  if (forecast.seconds > long_wait_seconds) {
    text += fmt::format(
        "  shorter: --region-size {} instead of cv; fewer --outer-folds or --repeats; lists of --C and --gamma; fewer "
        "methods\n",
        selection::Regions::usual_rows);
  }
  return text;
}

std::string forecast_text(const selection::FitForecast& forecast) {
  return fmt::format("forecast for {} rows, from a pilot on {} rows (cost grows like n^{:.1f}): about {}\n",
                     forecast.rows, forecast.pilot_rows, forecast.growth, rough_duration_text(forecast.seconds));
}

}  // namespace credence::report
