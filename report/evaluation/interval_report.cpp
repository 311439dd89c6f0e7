#include "report/evaluation/interval_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "credence/bounds/binomial.hpp"
#include "credence/bounds/quantile.hpp"
#include "credence/conformal/evaluation.hpp"
#include "credence/conformal/p_value.hpp"
#include "credence/core/error.hpp"
#include "credence/core/list.hpp"
#include "report/evaluation/evaluation_report.hpp"
#include "report/text.hpp"

namespace credence::report {

using conformal::PredictionInterval;

namespace {

Json widths_json(const Widths& widths) {
  return Json::object("infinite"_key = widths.infinite, "least"_key = widths.at(0),
                      "lower_quartile"_key = widths.at(0.25), "median"_key = widths.at(0.5),
                      "upper_quartile"_key = widths.at(0.75), "largest"_key = widths.at(1));
}

}  // namespace

Widths::Widths(const std::vector<PredictionInterval>& intervals) {
  for (const PredictionInterval& interval : intervals)
    if (const double width = interval.upper - interval.lower; std::isfinite(width)) finite.push_back(width);
  std::ranges::sort(finite);
  infinite = intervals.size() - finite.size();
}

std::optional<double> Widths::at(double share) const {
  return finite.empty() ? std::nullopt : std::optional(bounds::quantile(finite, share));
}

std::vector<double> interval_levels(const std::vector<double>& asked, const std::vector<double>& usual) {
  if (std::ranges::find(asked, 0.0) != asked.end())
    refuse("--confidence-level: an interval at 1 is the whole line; levels must be below 1");
  return asked.empty() ? usual : asked;
}

Intervals intervals_of(const conformal::InductiveRegression& regression, std::span<const double> predictions,
                       std::span<const double> difficulties, const std::vector<double>& levels,
                       std::span<const double> own) {
  Intervals intervals;
  for (const double significance : levels)
    intervals.push_back(regression.intervals(predictions, difficulties, significance, own));
  return intervals;
}

Intervals intervals_of(const std::optional<conformal::CrossRegression>& regression, const model::Prediction& prediction,
                       const std::vector<double>& levels) {
  Intervals intervals;
  for (std::size_t e = 0; regression && e < levels.size(); ++e)
    intervals.push_back(regression->intervals(prediction, levels[e]));
  return intervals;
}

void add_intervals(Columns& columns, const Intervals& intervals, const std::vector<double>& levels) {
  for (std::size_t e = 0; e < levels.size(); ++e) {
    const std::vector<PredictionInterval>& level = intervals[e];
    add_numbers(columns, fmt::format("lower_{}", core::confidence_level_of(levels[e])),
                [&level](std::size_t row) { return level[row].lower; });
    add_numbers(columns, fmt::format("upper_{}", core::confidence_level_of(levels[e])),
                [&level](std::size_t row) { return level[row].upper; });
  }
}

std::vector<IntervalCoverage> interval_coverage(const std::vector<double>& p, const Intervals& intervals,
                                                const std::vector<double>& levels) {
  std::vector<IntervalCoverage> result;
  for (std::size_t e = 0; e < levels.size(); ++e) {
    IntervalCoverage& coverage = result.emplace_back(IntervalCoverage{levels[e], 0, p.size(), 0});
    coverage.covered = static_cast<std::size_t>(
        std::ranges::count_if(p, [&](double value) { return conformal::in_set(value, coverage.significance); }));
    for (const PredictionInterval& interval : intervals[e]) coverage.mean_width += interval.upper - interval.lower;
    coverage.mean_width /= static_cast<double>(intervals[e].size());
  }
  return result;
}

Table intervals_table(const std::vector<IntervalCoverage>& coverage) {
  Table table{{"|confidence level", "|target inside", "|share", "|mean width"}, "Intervals", Where::both};
  for (const IntervalCoverage& level : coverage)
    table.add({level_text(level.significance), level.covered, shown(share(level.covered, level.rows)),
               fmt::format("{:.6g}", level.mean_width)});
  return table;
}

Json interval_json(const std::vector<IntervalCoverage>& coverage) {
  constexpr double delta = 0.05;
  return Json::list(coverage, [](const IntervalCoverage& level) {
    const Json exact = level.rows == 0
                           ? Json(nullptr)
                           : exact_interval_json(bounds::clopper_pearson(level.covered, level.rows, delta), delta);
    return Json::object("confidence_level"_key = core::confidence_level_of(level.significance),
                        "covered"_key = level.covered, "share"_key = share(level.covered, level.rows),
                        "interval"_key = exact,
                        "mean_width"_key = std::isfinite(level.mean_width) ? Json(level.mean_width) : Json(nullptr));
  });
}

Json interval_levels_json(const std::vector<double>& p, const Intervals& intervals, const std::vector<double>& levels) {
  Json json = interval_json(interval_coverage(p, intervals, levels));
  std::size_t e = 0;
  for (Json& level : json) {
    if (p.empty()) level["covered"] = nullptr;
    level["widths"] = widths_json(Widths(intervals[e++]));
  }
  return json;
}

std::vector<conformal::CalibrationPoint> interval_calibration(const std::vector<double>& p) {
  data::DenseMatrix of_targets(p.size(), 1);
  for (std::size_t i = 0; i < p.size(); ++i) of_targets.row(i)[0] = p[i];
  const std::vector<int> truth(p.size(), 0);
  return conformal::evaluate(of_targets, truth, {}, false).calibration;
}

std::string whole_line_warning(std::size_t rows, const std::vector<double>& levels) {
  const double smallest = conformal::p_value({.of = static_cast<double>(rows)});
  const std::vector<double> below = levels_below(smallest, levels);
  if (below.empty()) return {};
  return fmt::format("no p-value can be below {:.4g}, 1 / ({} + 1): every interval at {} is the whole line{}", smallest,
                     rows, levels_text(below), more_needed(rows, below, "row"));
}

}  // namespace credence::report
