#include "report/evaluation/regression_report.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <numeric>

#include "credence/core/error.hpp"
#include "report/text.hpp"

namespace credence::report {
namespace {

void check_targets(const data::Dataset& dataset, const std::string& source) {
  for (std::size_t i = 0; i < dataset.rows(); ++i) {
    if (std::isfinite(dataset.targets[i])) continue;
    refuse_data(fmt::format("data row {} has no target to compare with",
                            dataset.file_rows.empty() ? i + 1 : dataset.file_rows[i]),
                {source, 0, dataset.schema.label_name});
  }
}

/// Sum of (t - mean t)^2.
double squares_about_mean(const std::vector<double>& targets) {
  const double mean = std::accumulate(targets.begin(), targets.end(), 0.0) / static_cast<double>(targets.size());
  return std::accumulate(targets.begin(), targets.end(), 0.0,
                         [mean](double sum, double t) { return sum + (t - mean) * (t - mean); });
}

/// -log N(t | m, s^2), of the error t - m.
double negative_log_density(double error, double sd) {
  const double scaled = error / sd;
  return 0.5 * std::log(2 * std::numbers::pi) + std::log(sd) + 0.5 * scaled * scaled;
}

}  // namespace

RegressionReport compare_targets(const data::Dataset& dataset, const model::Prediction& prediction,
                                 const std::string& source) {
  check_targets(dataset, source);
  RegressionReport report;
  report.rows = dataset.rows();
  report.spreads = !prediction.sd.empty();
  double squares = 0;
  for (std::size_t i = 0; i < report.rows; ++i) {
    const double error = dataset.targets[i] - prediction.mean[i];
    squares += error * error;
    report.mean_absolute_error += std::abs(error);
    if (!report.spreads) continue;
    report.mean_width += 2 * RegressionReport::half_width * prediction.sd[i];
    report.mean_negative_log_density += negative_log_density(error, prediction.sd[i]);
    if (std::abs(error) <= RegressionReport::half_width * prediction.sd[i]) ++report.covered;
  }
  const auto n = static_cast<double>(report.rows);
  report.rmse = std::sqrt(squares / n);
  report.mean_absolute_error /= n;
  report.mean_negative_log_density /= n;
  report.mean_width /= n;
  const double spread = squares_about_mean(dataset.targets);
  if (spread > 0) report.r_squared = 1 - squares / spread;
  report.baseline_rmse = std::sqrt(spread / n);
  report.interval = bounds::clopper_pearson(report.covered, report.rows, RegressionReport::interval_delta);
  return report;
}

std::string regression_table(const RegressionReport& report) {
  return named_line("rows", fmt::format("{}", report.rows)) +
         named_line("error", fmt::format("root mean squared {:.6g}, mean absolute {:.6g}", report.rmse,
                                         report.mean_absolute_error)) +
         named_line("baseline", fmt::format("root mean squared {:.6g} (always predicting the mean of these targets)",
                                            report.baseline_rmse)) +
         named_line("R^2", report.r_squared ? fmt::format("{:.6g}", *report.r_squared) : "- (all targets are equal)") +
         named_line("density", fmt::format("mean negative log {:.6g}", report.mean_negative_log_density)) +
         named_line("coverage",
                    fmt::format("{} of {} = {} within {} sd of the mean; exact 95 % interval {} to {}", report.covered,
                                report.rows, shown(share(report.covered, report.rows)), RegressionReport::half_width,
                                percent(report.interval.lower), percent(report.interval.upper))) +
         named_line("width", fmt::format("{:.6g} between mean - {} sd and mean + {} sd, on average", report.mean_width,
                                         RegressionReport::half_width, RegressionReport::half_width));
}

Json regression_json(const RegressionReport& report) {
  Json document =
      Json::object("kind"_key = "evaluation", "n"_key = report.rows, "rmse"_key = report.rmse,
                   "mean_absolute_error"_key = report.mean_absolute_error, "baseline_rmse"_key = report.baseline_rmse,
                   "r_squared"_key = report.r_squared, "trained_on"_key = !report.trained_on.empty());
  if (!report.spreads) return document;
  return document.add("mean_negative_log_density"_key = report.mean_negative_log_density,
                      "coverage"_key = Json::object(
                          "nominal"_key = RegressionReport::nominal, "half_width"_key = RegressionReport::half_width,
                          "mean_width"_key = report.mean_width, "covered"_key = report.covered,
                          "share"_key = share(report.covered, report.rows),
                          "interval"_key = exact_interval_json(report.interval, RegressionReport::interval_delta)));
}

Json predicted_json(const data::Dataset& dataset, const model::Prediction& prediction) {
  constexpr std::size_t most_rows = 500;
  const Json rows = Json::list(evenly(dataset.rows(), most_rows), [&](std::size_t row) {
    return Json::object("row"_key = row_number(dataset, row), "target"_key = dataset.targets[row],
                        "prediction"_key = prediction.mean[row]);
  });
  return Json::object("rows"_key = rows, "of"_key = dataset.rows());
}

}  // namespace credence::report
