#include "report/race_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/text.hpp"

namespace credence::report {
namespace {

using selection::Cell;
using selection::Cost;
using selection::Forecast;
using selection::RaceReport;
using selection::Rung;
using selection::Selection;

/// Two digits: "1.2e+09".
std::string about(double value) {
  return fmt::format("{:.1e}", value);
}

std::string memory_text(double bytes) {
  return bytes < 1e9 ? fmt::format("{:.0f} MB", bytes / 1e6) : fmt::format("{:.1f} GB", bytes / 1e9);
}

std::string cost_text(const Cost& cost) {
  return fmt::format("about {}, {} kernel values, up to {}", duration_text(cost.seconds), about(cost.kernel_values),
                     memory_text(cost.bytes));
}

/// What a long run asks of its user.
std::string advice(const Forecast& forecast, std::optional<double> seconds_left) {
  const double seconds = forecast.chosen().seconds;
  std::string text;
  if (seconds_left && seconds > *seconds_left) {
    text = fmt::format("  the time limit leaves {}: this run will end with the best of what is judged by then\n",
                       duration_text(*seconds_left));
  }
  if (!forecast.cells || forecast.in_cells || !(seconds > long_wait_seconds) ||
      !(forecast.cells->seconds < seconds / 2)) {
    return text;
  }
  if (text.empty()) text = fmt::format("  this run goes on, and takes about {}\n", duration_text(seconds));
  return text + fmt::format(
                    "  recommended: stop it with Ctrl-C, and give --cells {}: about {}, one machine for each "
                    "part of the feature space\n",
                    forecast.cell_rows, duration_text(forecast.cells->seconds));
}

}  // namespace

std::string duration_text(double seconds) {
  if (seconds < 9.95) return fmt::format("{:.1f} s", std::max(0.1, seconds));
  if (seconds < 90) return fmt::format("{:.0f} s", seconds);
  if (seconds < 90 * 60) return fmt::format("{:.0f} min", seconds / 60);
  if (seconds < 48 * 3600) return fmt::format("{:.1f} h", seconds / 3600);
  return fmt::format("{:.1f} days", seconds / 86400);
}

std::string race_text(const Selection& selection) {
  const RaceReport& race = *selection.race;
  std::string text;
  for (const Rung& rung : race.rungs) {
    const auto all = static_cast<std::size_t>(selection.folds);
    const bool last = rung.rows == selection.n && rung.resamples == all;
    const std::string part = rung.resamples < all ? fmt::format(" in {} of {} resamples", rung.resamples, all) : "";
    text += fmt::format("{}{}: {} judged{}, {} {}", text.empty() ? "" : fmt::format("\n{:<12}", ""),
                        count_of(rung.rows, "row"), count_of(rung.judged, "cell"), part, rung.survived,
                        last ? "within chance of the best" : "kept");
  }
  if (text.empty()) text = "stopped before its first rung was complete";
  if (!race.asked_for) {
    text += fmt::format(
        "\n{:<12}the exact grid would have cost more than {} updates; --race no judges all cells on all rows", "",
        about(Forecast::stated_cost));
  }
  return text;
}

std::string rung_text(const Selection& selection) {
  const auto is_left = [](const Cell& cell) { return !cell.complete && cell.rung == 0; };
  if (selection.best && selection.grid[*selection.best].rung > 0) {
    const auto judged =
        std::count_if(selection.grid.begin(), selection.grid.end(), [](const Cell& cell) { return cell.complete; });
    return fmt::format("the best of {} on {} of the {} rows; nothing larger was complete",
                       count_of(static_cast<std::size_t>(judged), "cell"), selection.grid[*selection.best].rung,
                       selection.n);
  }
  if (!selection.race) return {};
  return fmt::format("{} cells of the last rung of the race were not looked at",
                     std::count_if(selection.grid.begin(), selection.grid.end(), is_left));
}

std::string forecast_text(const Forecast& forecast, std::optional<double> seconds_left) {
  std::string text = fmt::format("forecast for {} rows, from a pilot on {} rows (cost grows like n^{:.1f}):\n",
                                 forecast.rows + forecast.set_aside, forecast.pilot_rows, forecast.growth);
  const auto line = [&](const std::string& name, const Cost& cost, const char* note) {
    text += fmt::format("  {:<16}{}{}\n", name, cost_text(cost), note);
  };
  const bool exact = !forecast.races && !forecast.in_cells;
  line(forecast.race ? "--race no" : "all cells", forecast.exact, exact ? " (this run)" : "");
  if (forecast.race) line("--race", *forecast.race, forecast.races ? " (this run)" : "");
  if (forecast.cells)
    line(fmt::format("--cells {}", forecast.cell_rows), *forecast.cells, forecast.in_cells ? " (this run)" : "");
  return text + advice(forecast, seconds_left);
}

std::string forecast_text(const selection::ComparisonForecast& forecast,
                          std::span<const selection::Contestant> contestants) {
  const std::string repeats = forecast.repeats > 1 ? fmt::format(", drawn {} times", forecast.repeats) : std::string();
  std::string text = fmt::format("forecast for {} rows and {} outer folds{}: about {}\n", forecast.rows,
                                 forecast.outer_folds, repeats, duration_text(forecast.seconds));
  for (const selection::ComparisonForecast::Method& method : forecast.methods) {
    text += fmt::format("  {:<24} about {}{}\n", method.name, duration_text(method.seconds),
                        method.races ? ", with races" : "");
  }
  for (const selection::Contestant& contestant : contestants)
    if (std::ranges::find(forecast.methods, contestant.name, &selection::ComparisonForecast::Method::name) ==
        forecast.methods.end())
      text += fmt::format("  {:<24} not known beforehand, and not in the sum\n", contestant.name);
  if (forecast.seconds > long_wait_seconds) {
    text += fmt::format(
        "  shorter: --cells {}, which cv takes; fewer --outer-folds or --repeats; lists of --C and --gamma; fewer "
        "--methods\n",
        Forecast::usual_cell);
  }
  return text;
}

std::string forecast_text(const selection::FitForecast& forecast) {
  return fmt::format("forecast for {} rows, from a pilot on {} rows (cost grows like n^{:.1f}): about {}\n",
                     forecast.rows, forecast.pilot_rows, forecast.growth, duration_text(forecast.seconds));
}

}  // namespace credence::report
