#include "report/interval_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "credence/bounds/binomial.hpp"
#include "credence/conformal/p_value.hpp"
#include "credence/core/error.hpp"
#include "report/shares.hpp"

namespace credence::report {

using conformal::PredictionInterval;

std::vector<double> interval_levels(const std::vector<double>& asked, const std::vector<double>& usual) {
  if (std::find(asked.begin(), asked.end(), 0.0) != asked.end())
    throw Error(ErrorCode::invalid_argument, "--eps: an interval at 0 is the whole line; levels must be above 0");
  return asked.empty() ? usual : asked;
}

Intervals intervals_of(const conformal::InductiveRegression& regression, std::span<const double> predictions,
                       std::span<const double> difficulties, const std::vector<double>& levels) {
  Intervals intervals;
  for (const double eps : levels) intervals.push_back(regression.intervals(predictions, difficulties, eps));
  return intervals;
}

void add_intervals(Columns& columns, const Intervals& intervals, const std::vector<double>& levels) {
  for (std::size_t e = 0; e < levels.size(); ++e) {
    const std::vector<PredictionInterval>& level = intervals[e];
    add_numbers(columns, fmt::format("lower_{}", levels[e]), [&level](std::size_t row) { return level[row].lower; });
    add_numbers(columns, fmt::format("upper_{}", levels[e]), [&level](std::size_t row) { return level[row].upper; });
  }
}

std::vector<IntervalCoverage> interval_coverage(const std::vector<double>& p, const Intervals& intervals,
                                                const std::vector<double>& levels) {
  std::vector<IntervalCoverage> result;
  for (std::size_t e = 0; e < levels.size(); ++e) {
    IntervalCoverage& coverage = result.emplace_back(IntervalCoverage{levels[e], 0, p.size(), 0});
    coverage.covered = static_cast<std::size_t>(
        std::count_if(p.begin(), p.end(), [&](double value) { return conformal::in_region(value, coverage.eps); }));
    for (const PredictionInterval& interval : intervals[e]) coverage.mean_width += interval.upper - interval.lower;
    coverage.mean_width /= static_cast<double>(intervals[e].size());
  }
  return result;
}

std::string interval_table(const std::vector<IntervalCoverage>& coverage) {
  std::string text = fmt::format("\n{:>13}  {:>9}  {:>9}  {:>11}\n", "intervals eps", "covered", "share", "mean width");
  for (const IntervalCoverage& level : coverage) {
    text += fmt::format("{:>13}  {:>9}  {:>9}  {:>11.6g}\n", level.eps, level.covered,
                        shown(share(level.covered, level.rows)), level.mean_width);
  }
  return text + "  (covered: the target lies in the interval)\n";
}

Json interval_json(const std::vector<IntervalCoverage>& coverage) {
  constexpr double delta = 0.05;
  Json levels = Json::array();
  for (const IntervalCoverage& level : coverage) {
    const bounds::Interval exact = bounds::clopper_pearson(level.covered, level.rows, delta);
    levels.push_back(
        Json::object("eps"_key = level.eps, "covered"_key = level.covered,
                     "share"_key = share(level.covered, level.rows), "interval"_key = exact_interval_json(exact, delta),
                     "mean_width"_key = std::isfinite(level.mean_width) ? Json(level.mean_width) : Json(nullptr)));
  }
  return levels;
}

std::string whole_line_warning(std::size_t rows, const std::vector<double>& levels) {
  const double smallest = conformal::p_value({0, 0, rows});
  std::vector<double> below;
  std::copy_if(levels.begin(), levels.end(), std::back_inserter(below),
               [&](double eps) { return conformal::in_region(smallest, eps); });
  if (below.empty()) return {};
  return fmt::format("no p-value can be below {:.4g}, 1 / ({} + 1): every interval at {} is the whole line", smallest,
                     rows, fmt::join(below, " and "));
}

}  // namespace credence::report
