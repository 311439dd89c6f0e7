#include "evaluation_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "credence/core/error.hpp"
#include "shares.hpp"

namespace credence::cli {
namespace {

std::size_t row_sum(const LabelReport& report, std::size_t truth) {
  std::size_t sum = 0;
  for (const std::size_t count : report.confusion[truth]) sum += count;
  return sum;
}

std::size_t column_sum(const LabelReport& report, std::size_t predicted) {
  std::size_t sum = 0;
  for (const auto& row : report.confusion) sum += row[predicted];
  return sum;
}

std::string confusion_table(const LabelReport& report) {
  const std::vector<std::string>& classes = report.classes;
  std::size_t name_width = 5;
  for (const std::string& name : classes) name_width = std::max(name_width, name.size());
  std::vector<std::size_t> widths;
  for (std::size_t b = 0; b < classes.size(); ++b) {
    widths.push_back(std::max<std::size_t>({classes[b].size(), fmt::formatted_size("{}", column_sum(report, b)), 3}));
  }
  std::string text = fmt::format("\n{:>{}} ", "truth", name_width + 2);
  for (std::size_t b = 0; b < classes.size(); ++b) text += fmt::format("  {:>{}}", classes[b], widths[b]);
  text += fmt::format("  {:>9}  {:>9}\n", "recall", "precision");
  for (std::size_t a = 0; a < classes.size(); ++a) {
    text += fmt::format("  {:>{}} ", classes[a], name_width);
    for (std::size_t b = 0; b < classes.size(); ++b) text += fmt::format("  {:>{}}", report.confusion[a][b], widths[b]);
    text += fmt::format("  {:>9}  {:>9}\n", shown(share(report.confusion[a][a], row_sum(report, a))),
                        shown(share(report.confusion[a][a], column_sum(report, a))));
  }
  return text + "  (columns: predicted)\n";
}

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
  report.classes = classes;
  report.confusion.assign(classes.size(), std::vector<std::size_t>(classes.size(), 0));
  for (std::size_t i = 0; i < report.rows; ++i) {
    const int truth = dataset.labels[i];
    if (truth < 0) {
      throw Error(ErrorCode::invalid_data,
                  fmt::format("row {} has a class that the model does not know; its classes are {}",
                              dataset.file_rows.empty() ? i + 1 : dataset.file_rows[i], fmt::join(classes, ", ")),
                  {source, 0, {}});
    }
    const auto predicted = static_cast<std::size_t>(prediction.label[i]);
    ++report.confusion[static_cast<std::size_t>(truth)][predicted];
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
         confusion_table(report);
}

Json label_json(const LabelReport& report) {
  Json per_class = Json::array();
  for (std::size_t a = 0; a < report.classes.size(); ++a) {
    per_class.push_back({{"class", report.classes[a]},
                         {"n", row_sum(report, a)},
                         {"recall", or_null(share(report.confusion[a][a], row_sum(report, a)))},
                         {"precision", or_null(share(report.confusion[a][a], column_sum(report, a)))}});
  }
  return {{"n", report.rows},
          {"errors", report.errors},
          {"error", or_null(share(report.errors, report.rows))},
          {"interval",
           {{"lower", report.interval.lower},
            {"upper", report.interval.upper},
            {"confidence", 1 - LabelReport::interval_delta},
            {"method", "Clopper-Pearson"}}},
          {"classes", report.classes},
          {"confusion", report.confusion},
          {"per_class", std::move(per_class)}};
}

std::optional<ProbabilityReport> judge_probabilities(const std::vector<int>& labels,
                                                     const model::Prediction& prediction) {
  if (prediction.probability.columns == 0 || prediction.moderated.columns == 0) return std::nullopt;
  return ProbabilityReport{score_of(labels, prediction.probability), score_of(labels, prediction.moderated)};
}

std::string probability_table(const ProbabilityReport& report) {
  std::string text = fmt::format("\n{:<12}  {:>9}  {:>9}\n", "probability", "log loss", "Brier");
  for (const auto& [name, score] : {std::pair{"plain", report.plain}, std::pair{"moderated", report.moderated}}) {
    text += fmt::format("{:<12}  {:>9.4f}  {:>9.4f}\n", name, score.log_loss, score.brier);
  }
  return text + "  (log loss: mean of -log p of the true class; Brier: mean squared error of p)\n";
}

Json probability_json(const ProbabilityReport& report) {
  const auto fields = [](const ProbabilityScore& score) {
    return Json{{"log_loss", score.log_loss}, {"brier", score.brier}};
  };
  return {{"plain", fields(report.plain)}, {"moderated", fields(report.moderated)}};
}

std::string curve_table(const std::vector<selection::BoundPoint>& curve) {
  constexpr std::size_t most = 8;
  const auto bound = [](double value) { return value >= 1 ? std::string(">= 1") : fmt::format("{:.3f}", value); };
  std::string text = fmt::format("\n{:>11}  {:>8}  {:>8}  {:>8}  {:>9}\n", "eps_crit <=", "VC", "DKW", "rows", "error");
  const std::size_t lines = std::min(most, curve.size());
  for (std::size_t line = 0; line < lines; ++line) {
    const selection::BoundPoint& point = curve[(line + 1) * curve.size() / lines - 1];
    text += fmt::format("{:>11.3f}  {:>8}  {:>8}  {:>8}  {:>9}\n", point.eps_crit, bound(point.bound_vc),
                        bound(point.bound_dkw), point.rows, percent(point.error()));
  }
  return text + "  (VC, DKW: bounds; from 1 on they say nothing)\n";
}

Json curve_json(const std::vector<selection::BoundPoint>& curve) {
  Json points = Json::array();
  for (const selection::BoundPoint& point : curve) {
    points.push_back({{"eps_crit", point.eps_crit},
                      {"bound_vc", point.bound_vc},
                      {"bound_dkw", point.bound_dkw},
                      {"n", point.rows},
                      {"errors", point.errors},
                      {"error", point.error()}});
  }
  return points;
}

}  // namespace credence::cli
