#include "report/evaluation/regression_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "credence/core/error.hpp"
#include "report/evaluation/class_facts.hpp"
#include "report/evaluation/evaluation_report.hpp"
#include "report/evaluation/interval_report.hpp"
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

namespace {

Chart predicted_chart(const data::Dataset& dataset, const model::Prediction& prediction) {
  constexpr std::size_t most_rows = 500;
  Table data{{"row|row", "prediction|prediction", "target|target"}};
  double least = std::numeric_limits<double>::infinity();
  double most = -least;
  for (const std::size_t row : evenly(dataset.rows(), most_rows)) {
    const double target = dataset.targets[row];
    const double mean = prediction.mean[row];
    data.add({row_number(dataset, row), mean, target});
    least = std::min({least, target, mean});
    most = std::max({most, target, mean});
  }
  const std::string sample = sample_text(data.size(), dataset.rows());
  return std::move(data).as_chart(
      "predicted", "How near are predictions to the targets?",
      "Each point is one row; on the dashed line the prediction is the target." + sample,
      "Points of targets against predictions, with the line on which both are equal.", Json::object(),
      Json::object("ends"_key =
                       Json::list(std::vector{least, most}, [](double at) { return Json::object("at"_key = at); })));
}

void add_numbers(const EvaluatedNumbers& found, Section& section) {
  const RegressionReport& report = found.figures;
  section.headline(
      fmt::format("The predictions miss the targets by {:.6g} on average (root mean square {:.6g}).{}",
                  report.mean_absolute_error, report.rmse,
                  report.trained_on.empty()
                      ? ""
                      : " Rows that trained the model are among these, so new rows will be predicted less well."));
  for (const std::string& warning : found.warnings) section.warn(warning + (warning.ends_with('.') ? "" : "."));
  section.fact("rows", fmt::format("{}", report.rows));
  section.fact("error",
               fmt::format("root mean squared {:.6g}, mean absolute {:.6g}", report.rmse, report.mean_absolute_error),
               report.trained_on.empty() ? quotable : "");
  section.fact("baseline", fmt::format("root mean squared {:.6g} (always predicting the mean of these targets)",
                                       report.baseline_rmse));
  section.fact(
      "R^2", report.r_squared
                 ? fmt::format("{:.6g}: the share of the targets' variance that the model explains", *report.r_squared)
                 : "- (all targets are equal)");
  if (!report.spreads) return;
  section.fact("density", fmt::format("{:.6g}, the mean negative log density", report.mean_negative_log_density), {},
               Where::verbose);
  section.fact(
      "coverage",
      fmt::format("{} of {} = {} within {} sd of the mean; exact 95 % interval {}", report.covered, report.rows,
                  shown(share(report.covered, report.rows)), RegressionReport::half_width, ends_text(report.interval)),
      "95 % if the model is right");
  section.fact("width", fmt::format("{:.6g} between mean - {} sd and mean + {} sd, on average", report.mean_width,
                                    RegressionReport::half_width, RegressionReport::half_width));
}

/// The fields at the top of a document.
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

}  // namespace

Story regression_story(const EvaluatedNumbers& found, const data::Dataset& dataset,
                       const model::Prediction& prediction) {
  Story story{"Evaluation of a model", evaluated_rows(found.model, found.source)};
  Section& good = story.section("chosen", "How good the model is");
  add_numbers(found, good);
  if (dataset.rows() > 0) good.add(predicted_chart(dataset, prediction));
  add_columns(found.columns, story);
  if (!found.coverage.empty()) {
    Section& trust = story.section("trust", "How far single predictions can be trusted");
    if (!found.guarantee.empty()) trust.say("What is promised: " + found.guarantee + ".");
    trust.add(intervals_table(found.coverage));
    trust.add(coverage_chart(found.coverage));
  }
  if (found.familiarity) add_familiarity_facts(*found.familiarity, good);
  if (found.familiarity && !found.familiarity->unlike.empty())
    add_familiarity(*found.familiarity, story.section("familiarity", "Rows unlike anything in training"));
  add_cost(found.cost, story);
  return story;
}

Json evaluated_json(const EvaluatedNumbers& found) {
  Json document = regression_json(found.figures);
  document["warnings"] = found.warnings;
  add_columns(found.columns, document);
  if (found.familiarity) document["familiarity"] = familiarity_json(*found.familiarity);
  if (!found.coverage.empty())
    document["intervals"] =
        Json::object("levels"_key = interval_json(found.coverage), "guarantee"_key = found.guarantee);
  return document;
}

}  // namespace credence::report
