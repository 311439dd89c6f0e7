#include "report/evaluation/evaluation_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "credence/core/error.hpp"
#include "credence/core/list.hpp"
#include "credence/model/probability.hpp"
#include "report/evaluation/class_facts.hpp"
#include "report/text.hpp"

namespace credence::report {
namespace {

ProbabilityScore score_of(const std::vector<int>& labels, const data::DenseMatrix& probability) {
  ProbabilityScore score;
  std::size_t known = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (labels[i] < 0) continue;
    ++known;
    const auto p = probability.row(i);
    const auto truth = static_cast<std::size_t>(labels[i]);
    score.log_loss += model::log_loss(p[truth]);
    for (std::size_t c = 0; c < p.size(); ++c) score.brier += std::pow(p[c] - (c == truth ? 1 : 0), 2);
  }
  const auto n = static_cast<double>(known);
  const double counted = probability.columns == 2 ? 2 : 1;  // of two classes, both have the same square
  return {score.log_loss / n, score.brier / n / counted};
}

Table criteria_of_levels(const std::vector<conformal::LevelCounts>& levels) {
  Table table{
      "", {{"", "confidence level"}, {"", "N"}, {"", "M"}, {"", "E"}, {"", "OM"}, {"", "OE"}}, {}, Where::verbose};
  for (const conformal::LevelCounts& level : levels) {
    std::vector<Json> row{level_text(level.significance)};
    for (const double value : {level.n, level.m, level.e, level.om, level.oe})
      row.emplace_back(fmt::format("{:.4f}", value));
    table.add(std::move(row));
  }
  return table;
}

/// What the share of errors says of new rows.
std::string errors_stand_for(const LabelReport& report) {
  if (!report.trained_on.empty()) return "these rows trained the model: new rows get wrong labels more often";
  return "exact 95 % interval " + ends_text(report.interval);
}

/// At a few levels that people look at.
std::string calibration_line(const std::vector<conformal::CalibrationPoint>& points) {
  std::string text;
  for (const double significance : {0.01, 0.05, 0.1, 0.2, 0.5}) {
    for (const conformal::CalibrationPoint& point : points) {
      if (std::abs(point.significance - significance) > 1e-9) continue;
      text += fmt::format("{}{} at {}", text.empty() ? "" : ", ", percent(point.error), percent(significance));
    }
  }
  return text;
}

}  // namespace

LabelReport compare_labels(const std::vector<std::string>& classes, const data::Dataset& dataset,
                           const model::Prediction& prediction, const std::string& source, UnknownClasses unknown) {
  LabelReport report;
  report.rows = dataset.rows();
  report.confusion.classes = classes;
  report.confusion.counts.assign(classes.size(), std::vector<std::size_t>(classes.size(), 0));
  for (std::size_t i = 0; i < report.rows; ++i) {
    const int truth = dataset.labels[i];
    if (truth < 0 && unknown == UnknownClasses::are_errors) {
      ++report.unknown;
      ++report.errors;
      continue;
    }
    if (truth < 0) {
      refuse_data(fmt::format("row {} has a class that the model does not know; its classes are {}",
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

void add_labels(const Evaluated& findings, Section& section) {
  const LabelReport& report = findings.labels;
  const bool seen = !report.trained_on.empty();
  const std::string error = shown(share(report.errors, report.rows));
  section.headline(fmt::format(
      "{} of {} got a wrong label: {}. {}", report.errors, count_of(report.rows, "row"), error,
      seen ? std::string("These rows trained the model, so new rows will be predicted less well.")
           : fmt::format("For new rows of the same kind, the error lies between {} and {} at confidence 95 %.",
                         percent(report.interval.lower), percent(report.interval.upper))));
  if (!seen)
    section.say(
        "This holds for rows that had no part in the training or the choice of the model. On rows of the "
        "training the numbers are too good.");
  for (const std::string& warning : findings.warnings) section.warn(warning + (warning.ends_with('.') ? "" : "."));
  if (!findings.model.empty()) section.fact("model", shown_name(findings.model));
  section.fact("rows", fmt::format("{} of {}", report.rows, shown_source(findings.source)));
  section.fact("errors", fmt::format("{} = {}; {}", report.errors, error, errors_stand_for(report)));
  if (const auto baseline = baseline_of(report.confusion)) section.fact("baseline error", baseline_text(*baseline));
  add_confusion(report.confusion, section);
}

Json label_json(const LabelReport& report) {
  Json document = Json::object("kind"_key = "evaluation", "n"_key = report.rows, "errors"_key = report.errors,
                               "error"_key = share(report.errors, report.rows),
                               "interval"_key = exact_interval_json(report.interval, LabelReport::interval_delta),
                               "trained_on"_key = !report.trained_on.empty(),
                               "baseline"_key = baseline_json(baseline_of(report.confusion)));
  document.update(confusion_json(report.confusion));
  if (report.unknown > 0) document["unknown"] = report.unknown;
  return document;
}

std::optional<ProbabilityReport> judge_probabilities(const std::vector<int>& labels,
                                                     const model::Prediction& prediction, const std::string& name) {
  const bool known = std::ranges::any_of(labels, [](int label) { return label >= 0; });
  if (prediction.probability.columns == 0 || !known) return std::nullopt;
  ProbabilityReport report{{{name, score_of(labels, prediction.probability)}}};
  if (prediction.moderated.columns > 0) report.scores.emplace_back("moderated", score_of(labels, prediction.moderated));
  return report;
}

void add_probability(const ProbabilityReport& report, Section& section) {
  Table table{"", {"probability", {"", "log loss"}, {"", "Brier"}}, {}, Where::both};
  for (const auto& [name, score] : report.scores)
    table.add({shown_name(name), fmt::format("{:.4f}", score.log_loss), fmt::format("{:.4f}", score.brier)});
  section.add(std::move(table));
  section.say("log loss: mean of -log p of the true class; Brier: mean squared error of p; the smaller, the better",
              Where::both);
}

Json probability_json(const ProbabilityReport& report) {
  Json document;
  for (const auto& [name, score] : report.scores)
    document[name] = Json::object("log_loss"_key = score.log_loss, "brier"_key = score.brier);
  return document;
}

Table sets_table(const std::vector<conformal::LevelCounts>& levels) {
  Table table{"Prediction sets",
              {{"", "confidence level"},
               {"", "allowed error"},
               {"", "missed"},
               {"", "no class"},
               {"", "one class"},
               {"", "several"},
               {"", "wrong where one class"}},
              {},
              Where::both};
  for (const conformal::LevelCounts& level : levels)
    table.add({level_text(level.significance), percent(level.significance), shown(share(level.errors, level.rows)),
               level.empty, level.single, level.multiple, shown(share(level.single_errors, level.single))});
  return table;
}

Json sets_json(const std::vector<conformal::LevelCounts>& levels) {
  return Json::list(levels, [&](const conformal::LevelCounts& level) {
    return Json::object("confidence_level"_key = core::confidence_level_of(level.significance), "n"_key = level.rows,
                        "errors"_key = level.errors, "error"_key = share(level.errors, level.rows),
                        "empty"_key = level.empty, "single"_key = level.single, "multiple"_key = level.multiple,
                        "single_errors"_key = level.single_errors,
                        "single_error"_key = share(level.single_errors, level.single), "N"_key = level.n,
                        "M"_key = level.m, "E"_key = level.e, "OM"_key = level.om, "OE"_key = level.oe);
  });
}

void add_criteria(const conformal::Evaluation& evaluation, Section& section) {
  const conformal::Efficiency& all = evaluation.efficiency;
  const conformal::UniformityTest& test = evaluation.uniformity;
  const auto fact = [&](const char* label, std::string value, std::string note = {}) {
    section.fact(label, std::move(value), std::move(note), Where::verbose);
  };
  fact("confidence",
       fmt::format("mean {}; credibility mean {}", percent(all.mean_confidence), percent(all.mean_credibility)),
       "neither is a probability of being right; of rows like those compared with, credibility is 50 % on average");
  section.add(criteria_of_levels(evaluation.levels));
  section.say(
      "N: mean size; M: share with several classes; E: mean excess over one; OM: share with a false class; OE: "
      "mean number of false classes",
      Where::verbose);
  fact("criteria", fmt::format("S {:.4f}, U {:.4f}, F {:.4f}, OU {:.4f}, OF {:.4f} (less is better)", all.s, all.u,
                               all.f, all.ou, all.of));
  fact("calibration", "missed " + calibration_line(evaluation.calibration));
  fact("uniformity", fmt::format("Kolmogorov-Smirnov {} = {:.4f}, p = {:.4g} if rows were independent",
                                 test.one_sided ? "D+" : "D", test.statistic, test.p_value));
}

Json validity_json(const conformal::Evaluation& evaluation) {
  const conformal::Efficiency& all = evaluation.efficiency;
  return Json::object(
      "mean_confidence"_key = all.mean_confidence, "mean_credibility"_key = all.mean_credibility,
      "errors_of_largest_p_value"_key = evaluation.errors,
      "criteria"_key =
          Json::object("S"_key = all.s, "U"_key = all.u, "F"_key = all.f, "OU"_key = all.ou, "OF"_key = all.of),
      "calibration"_key = Json::list(evaluation.calibration,
                                     [](const conformal::CalibrationPoint& point) {
                                       return Json::object(
                                           "confidence_level"_key = core::confidence_level_of(point.significance),
                                           "error"_key = point.error);
                                     }),
      "uniformity"_key = Json::object(
          "test"_key = evaluation.uniformity.one_sided ? "Kolmogorov-Smirnov, one-sided" : "Kolmogorov-Smirnov",
          "statistic"_key = evaluation.uniformity.statistic, "p_value"_key = evaluation.uniformity.p_value,
          "assumes"_key = "independent rows; rows compared with the same examples are not quite"));
}

void add_p_values(const conformal::Evaluation& evaluation, const conformal::PValueOptions& made,
                  const std::string& guarantee, Json& document) {
  document["p_values"] = Json::object("smoothed"_key = made.smoothed, "label_conditional"_key = made.label_conditional,
                                      "seed"_key = made.seed);
  if (!guarantee.empty()) document["p_values"]["guarantee"] = guarantee;
  document.update(validity_json(evaluation));
  document["prediction_sets"] = sets_json(evaluation.levels);
}

}  // namespace credence::report
