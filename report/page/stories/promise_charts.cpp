#include <fmt/format.h>

#include <algorithm>

#include "credence/bounds/split_conformal.hpp"
#include "report/page/chart_data.hpp"
#include "report/page/stories.hpp"
#include "report/text.hpp"

/// Charts that hold promised errors against counted ones.
namespace credence::report {
namespace {

constexpr double band_delta = 0.05;
/// Levels that anyone would ask for.
constexpr double largest_drawn_level = 0.5;

bool is_smoothed(const Json& document) {
  return document.at("p_values").at("smoothed").flag().value_or(false);
}

std::size_t sum_of(const Json& counts) {
  double sum = counts.number().value_or(0);
  for (const Json& count : counts.values()) sum += count.number().value_or(0);
  return static_cast<std::size_t>(sum);
}

/// How many rows the new rows are compared with; 0 where the document does not say. With label-conditional p-values the
/// classes have rows of their own: the number for which a count over all classes has the variance of their sum.
std::size_t rows_compared(const Json& document, std::size_t rows) {
  const Json& counts = document.at("compared_with");
  if (!document.at("p_values").at("label_conditional").flag().value_or(false)) return sum_of(counts);
  const auto tested = document.at("confusion").values();
  const auto compared = counts.values();
  double spread = 0;
  for (std::size_t c = 0; c < compared.size() && c < tested.size(); ++c) {
    const auto n = static_cast<double>(sum_of(tested[c]));
    if (n > 1) spread += n * (n - 1) / (compared[c].number().value_or(0) + 2);
  }
  const auto n = static_cast<double>(rows);
  return spread > 0 ? static_cast<std::size_t>(std::max(1.0, n * (n - 1) / spread - 2)) : sum_of(counts);
}

/// Where the count of misses lies in 95 of 100 cases.
bounds::CountInterval band_of(std::size_t rows, std::size_t compared, double eps) {
  return compared > 0 ? bounds::split_miss_counts(rows, compared, eps, band_delta)
                      : bounds::central_counts(rows, eps, band_delta);
}

}  // namespace

Chart level_error_chart(const Json& document, std::string_view claim, std::string_view missed) {
  Table data{"",
             {{"eps", "promised error", Format::share},
              {"error", "errors counted", Format::share},
              {"lower", "band from", Format::share},
              {"upper", "band to", Format::share}}};
  const std::size_t rows = count_at(document, "n");
  const auto n = static_cast<double>(rows);
  const std::size_t compared = rows_compared(document, rows);
  std::size_t above = 0;
  for (const Json& point : document.at("calibration").values()) {
    const auto eps = point.at("eps").number();
    const auto error = point.at("error").number();
    if (!eps || !error || !(*eps > 0) || *eps > largest_drawn_level || rows == 0) continue;
    const bounds::CountInterval band = band_of(rows, compared, *eps);
    const double upper = static_cast<double>(band.upper) / n;
    above += *error > upper ? 1U : 0U;
    data.add({*eps, *error, static_cast<double>(band.lower) / n, upper});
  }
  const std::string verdict =
      above == 0 ? "At no level are there more errors than chance explains."
                 : fmt::format("At {} of {} levels there are more errors than chance explains.", above, data.size());
  return make_chart(
      "level_error",
      {"level-error", "Is the promise kept?",
       fmt::format("{} at level eps is meant to miss {} with probability eps. The line "
                   "counts the misses on these rows; it should follow the dashed line or lie below. Grey: where "
                   "that count lies in 95 of 100 cases, for {:.0f} independent new rows{}. {}{}",
                   claim, missed, n,
                   compared > 0 ? fmt::format(" and {} rows that they are compared with", compared) : "", verdict,
                   is_smoothed(document) ? "" : " Plain p-values may err less than promised."),
       "Line of the share of errors against the promised level. " + verdict},
      data);
}

Chart coverage_chart(const Json& levels) {
  Table data{"",
             {{"name", "promised", Format::text},
              {"promise", "promised", Format::share},
              {"value", "inside the interval", Format::share},
              {"lower", "from", Format::share},
              {"upper", "to", Format::share},
              {"width", "mean width"}}};
  for (const Json& level : levels.values()) {
    const double promise = 1 - number_at(level, "eps", 0);
    data.add({percent(promise), promise, level.at("share"), level.at("interval").at("lower"),
              level.at("interval").at("upper"), level.at("mean_width")});
  }
  return make_chart("coverage",
                    {"coverage", "Are the intervals wide enough?",
                     "For each level: the share of rows whose target lies inside the interval (circle, with its exact "
                     "95 % interval), beside what is promised (bar). A circle far left of the bar: intervals that are "
                     "too narrow.",
                     "Points of the share of targets inside their intervals, beside what is promised."},
                    data);
}

}  // namespace credence::report
