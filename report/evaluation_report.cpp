#include "report/evaluation_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "credence/core/error.hpp"
#include "report/shares.hpp"

namespace credence::report {
namespace {

ProbabilityScore score_of(const std::vector<int>& labels, const data::DenseMatrix& probability) {
  ProbabilityScore score;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const auto p = probability.row(i);
    const auto truth = static_cast<std::size_t>(labels[i]);
    score.log_loss -= std::log(std::max(p[truth], std::numeric_limits<double>::min()));
    for (std::size_t c = 0; c < p.size(); ++c) score.brier += std::pow(p[c] - (c == truth ? 1 : 0), 2);
  }
  const auto n = static_cast<double>(labels.size());
  const double counted = probability.columns == 2 ? 2 : 1;  // of two classes, both have the same square
  return {score.log_loss / n, score.brier / n / counted};
}

}  // namespace

LabelReport compare_labels(const std::vector<std::string>& classes, const data::Dataset& dataset,
                           const model::Prediction& prediction, const std::string& source) {
  LabelReport report;
  report.rows = dataset.rows();
  report.confusion.classes = classes;
  report.confusion.counts.assign(classes.size(), std::vector<std::size_t>(classes.size(), 0));
  for (std::size_t i = 0; i < report.rows; ++i) {
    const int truth = dataset.labels[i];
    if (truth < 0) {
      throw Error(ErrorCode::invalid_data,
                  fmt::format("row {} has a class that the model does not know; its classes are {}",
                              dataset.file_rows.empty() ? i + 1 : dataset.file_rows[i], fmt::join(classes, ", ")),
                  {source, 0, {}});
    }
    const auto predicted = static_cast<std::size_t>(prediction.label[i]);
    ++report.confusion.counts[static_cast<std::size_t>(truth)][predicted];
    if (static_cast<std::size_t>(truth) != predicted) ++report.errors;
  }
  report.interval = bounds::clopper_pearson(report.errors, report.rows, LabelReport::interval_delta);
  return report;
}

std::string label_table(const LabelReport& report) {
  return fmt::format("{:<12}{}\n", "rows", report.rows) +
         fmt::format("{:<12}{} = {}; exact 95 % interval {} to {}\n", "errors", report.errors,
                     shown(share(report.errors, report.rows)), percent(report.interval.lower),
                     percent(report.interval.upper)) +
         confusion_table(report.confusion);
}

Json label_json(const LabelReport& report) {
  Json document =
      Json::object("n"_key = report.rows, "errors"_key = report.errors, "error"_key = share(report.errors, report.rows),
                   "interval"_key = Json::object(
                       "lower"_key = report.interval.lower, "upper"_key = report.interval.upper,
                       "confidence"_key = 1 - LabelReport::interval_delta, "method"_key = "Clopper-Pearson"));
  document.update(confusion_json(report.confusion));
  return document;
}

std::optional<ProbabilityReport> judge_probabilities(const std::vector<int>& labels,
                                                     const model::Prediction& prediction) {
  if (prediction.probability.columns == 0 || prediction.moderated.columns == 0) return std::nullopt;
  return ProbabilityReport{score_of(labels, prediction.probability), score_of(labels, prediction.moderated)};
}

std::string probability_table(const ProbabilityReport& report) {
  std::string text = fmt::format("\n{:<12}  {:>9}  {:>9}\n", "probability", "log loss", "Brier");
  for (const auto& [name, score] : {std::pair{"plain", report.plain}, std::pair{"moderated", report.moderated}})
    text += fmt::format("{:<12}  {:>9.4f}  {:>9.4f}\n", name, score.log_loss, score.brier);
  return text + "  (log loss: mean of -log p of the true class; Brier: mean squared error of p)\n";
}

Json probability_json(const ProbabilityReport& report) {
  const auto fields = [](const ProbabilityScore& score) {
    return Json::object("log_loss"_key = score.log_loss, "brier"_key = score.brier);
  };
  return Json::object("plain"_key = fields(report.plain), "moderated"_key = fields(report.moderated));
}

}  // namespace credence::report
