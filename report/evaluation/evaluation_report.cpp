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

/// The calibration of the probabilities of one of two classes.
std::optional<model::CalibrationLine> line_of(const std::vector<int>& labels, const data::DenseMatrix& probability,
                                              std::size_t positive) {
  std::vector<double> of_class;
  std::vector<int> is_class;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (labels[i] < 0) continue;
    of_class.push_back(probability.row(i)[positive]);
    is_class.push_back(labels[i] == static_cast<int>(positive) ? 1 : 0);
  }
  return model::calibration_line(of_class, is_class);
}

/// @param positive  of two classes; none of more
ProbabilityScore score_of(const std::vector<int>& labels, const data::DenseMatrix& probability,
                          std::optional<std::size_t> positive) {
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
  return {score.log_loss / n, score.brier / n / counted,
          positive ? line_of(labels, probability, *positive) : std::nullopt};
}

/// Of the positive class, or of each row's own label.
std::vector<ReliabilityBin> reliability_of(const std::vector<int>& labels, const model::Prediction& prediction,
                                           std::optional<std::size_t> positive) {
  constexpr std::size_t bins = 10;
  std::vector<ReliabilityBin> reliability(bins);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (labels[i] < 0) continue;
    const std::size_t named = positive.value_or(static_cast<std::size_t>(prediction.label[i]));
    const double p = prediction.probability.row(i)[named];
    ReliabilityBin& bin = reliability[std::min(static_cast<std::size_t>(p * bins), bins - 1)];
    ++bin.rows;
    bin.sum += p;
    if (labels[i] == static_cast<int>(named)) ++bin.hits;
  }
  return reliability;
}

Chart reliability_chart(const ProbabilityReport& report) {
  Table data{{"probability|mean probability|share", "share|rows of the class|share", "lower|95 % interval from|share",
              "upper|to|share", "rows|rows"}};
  for (const ReliabilityBin& bin : report.reliability) {
    if (bin.rows == 0) continue;
    const CountedShare hits{bin.hits, bin.rows};
    const bounds::Interval interval = *hits.interval();
    data.add({bin.sum / static_cast<double>(bin.rows), *hits.value(), interval.lower, interval.upper, bin.rows});
  }
  const std::string of = report.of_class.empty() ? std::string("of each row's label")
                                                 : fmt::format("of '{}'", shown_name(report.of_class));
  return std::move(data).as_chart(
      "reliability", "Do the probabilities come true? (reliability diagram)",
      fmt::format(
          "Rows in ten bins by the probability {}: the share that is of the class, with its exact 95 % interval. "
          "Points on the diagonal are right; below it, probabilities are too large. The number is that of the rows.",
          of),
      fmt::format("Reliability diagram: share of rows of the class over the probability {}.", of));
}

/// "0.94 (0.71 to 1.17)".
std::string estimated_text(const model::Estimated& estimated) {
  constexpr double half_width = 1.96;
  return fmt::format("{:.2f} ({:.2f} to {:.2f})", estimated.value,
                     estimated.value - half_width * estimated.standard_error,
                     estimated.value + half_width * estimated.standard_error);
}

Json estimated_json(const model::Estimated& estimated) {
  return Json::object("value"_key = estimated.value, "standard_error"_key = estimated.standard_error);
}

/// Scores by which rows are ordered for a class: those of the model itself, else what was made of them.
data::DenseMatrix ordering_scores(const model::Prediction& prediction) {
  if (!prediction.chosen.empty()) return {};  // each row has a model of its own, and their scores do not compare
  if (prediction.score.columns > 0) return prediction.score;
  return prediction.probability.columns > 0 ? prediction.probability : prediction.p_value;
}

/// The numbers as they are told: rows that trained the model have no interval.
PaperNumbers told_numbers(const LabelReport& report) {
  PaperNumbers numbers = report.numbers;
  const bool seen = !report.trained_on.empty();
  if (seen) numbers.intervals = Intervals95::none;
  numbers.basis = seen ? "Rows that trained the model are among these, so the numbers are too good."
                       : "These numbers hold for new rows if these rows had no part in the training or the choice.";
  return numbers;
}

Table criteria_of_levels(const std::vector<conformal::LevelCounts>& levels) {
  Table table{{"|confidence level", "|N", "|M", "|E", "|OM", "|OE"}, "", Where::verbose};
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
  if (!report.trained_on.empty())
    return "rows that trained the model are among them: new rows get wrong labels more often";
  return "exact 95 % interval " + ends_text(report.interval);
}

/// At a few levels that people look at.
std::string calibration_line(const std::vector<conformal::CalibrationPoint>& points) {
  std::string text;
  for (const double significance : {0.01, 0.05, 0.1, 0.2, 0.5}) {
    for (const conformal::CalibrationPoint& point : points) {
      if (std::abs(point.significance - significance) > 1e-9) continue;
      text += fmt::format("{}{} ({} allowed)", text.empty() ? "" : ", ", percent(point.error), percent(significance));
    }
  }
  return text;
}

}  // namespace

LabelReport compare_labels(const std::vector<std::string>& classes, const data::Dataset& dataset,
                           const model::Prediction& prediction, const std::string& positive) {
  LabelReport report;
  report.rows = dataset.rows();
  report.confusion.classes = classes;
  report.confusion.counts.assign(classes.size(), std::vector<std::size_t>(classes.size(), 0));
  for (std::size_t i = 0; i < report.rows; ++i) {
    const int truth = dataset.labels[i];
    if (truth < 0) {
      ++report.unknown;
      ++report.errors;
      continue;
    }
    const auto predicted = static_cast<std::size_t>(prediction.label[i]);
    ++report.confusion.counts[static_cast<std::size_t>(truth)][predicted];
    if (static_cast<std::size_t>(truth) != predicted) ++report.errors;
  }
  report.interval = bounds::clopper_pearson(report.errors, report.rows, LabelReport::interval_delta);
  report.numbers =
      paper_numbers(report.confusion, positive_class(classes, positive), dataset.labels, ordering_scores(prediction));
  report.numbers.accuracy = CountedShare{report.rows - report.errors, report.rows};
  return report;
}

void add_labels(const Evaluated& findings, Section& section) {
  const LabelReport& report = findings.labels;
  const bool seen = !report.trained_on.empty();
  const std::string error = shown(share(report.errors, report.rows));
  section.headline(fmt::format(
      "{} of {} got a wrong label: {}. {}", report.errors, count_of(report.rows, "row"), error,
      seen ? std::string("Rows that trained the model are among these, so new rows will be predicted less well.")
           : fmt::format("For new rows of the same kind, the error lies between {} and {} at confidence 95 %.",
                         percent(report.interval.lower), percent(report.interval.upper))));
  if (!seen)
    section.say(
        "This holds for rows that had no part in the training or the choice of the model. On rows of the "
        "training the numbers are too good.");
  for (const std::string& warning : findings.warnings) section.warn(warning + (warning.ends_with('.') ? "" : "."));
  if (!findings.model.empty()) section.fact("model", shown_name(findings.model));
  section.fact("rows", fmt::format("{} of {}", report.rows, shown_source(findings.source)));
  section.fact("errors", fmt::format("{} = {}; {}", report.errors, error, errors_stand_for(report)),
               seen ? "" : quotable);
  if (const auto baseline = baseline_of(report.confusion)) section.fact("baseline error", baseline_text(*baseline));
  add_confusion(report.confusion, section);
  add_paper_numbers(told_numbers(report), Where::both, section);
}

Json label_json(const LabelReport& report) {
  Json document = Json::object("kind"_key = "evaluation", "n"_key = report.rows, "errors"_key = report.errors,
                               "error"_key = share(report.errors, report.rows),
                               "interval"_key = exact_interval_json(report.interval, LabelReport::interval_delta),
                               "trained_on"_key = !report.trained_on.empty(),
                               "baseline"_key = baseline_json(baseline_of(report.confusion)));
  document.update(confusion_json(report.confusion));
  document["numbers"] = paper_json(told_numbers(report));
  if (report.unknown > 0) document["unknown"] = report.unknown;
  return document;
}

std::optional<ProbabilityReport> judge_probabilities(const std::vector<int>& labels,
                                                     const model::Prediction& prediction, const std::string& name,
                                                     const LabelReport& report) {
  const bool known = std::ranges::any_of(labels, [](int label) { return label >= 0; });
  if (prediction.probability.columns == 0 || !known) return std::nullopt;
  std::optional<std::size_t> positive;
  if (report.numbers.of_two()) positive = positive_class(report.confusion.classes, report.numbers.classes.front().name);
  ProbabilityReport found{{{name, score_of(labels, prediction.probability, positive)}},
                          positive ? report.confusion.classes[*positive] : std::string(),
                          reliability_of(labels, prediction, positive)};
  if (prediction.moderated.columns > 0)
    found.scores.emplace_back("moderated", score_of(labels, prediction.moderated, positive));
  return found;
}

void add_probability(const ProbabilityReport& report, Section& section) {
  Table table{{"probability", "|log loss", "|Brier", "|calibration slope", "|intercept"}, "", Where::both};
  for (const auto& [name, score] : report.scores)
    table.add({shown_name(name), fmt::format("{:.4f}", score.log_loss), fmt::format("{:.4f}", score.brier),
               score.line ? estimated_text(score.line->slope) : "-",
               score.line ? estimated_text(score.line->intercept) : "-"});
  const bool lines = std::ranges::any_of(report.scores, [](const auto& one) { return one.second.line.has_value(); });
  for (const char* title : {"calibration slope", "intercept"})
    if (!lines) table.drop(title);
  section.add(std::move(table));
  section.tell(fmt::format(
      "log loss: mean of -log p of the true class; Brier: mean squared error of p; the smaller, the better{}",
      lines ? ". Slope 1 and intercept 0 are right; slope below 1: too extreme, above 1: too cautious" : ""));
  section.add(reliability_chart(report));
}

Json probability_json(const ProbabilityReport& report) {
  Json document;
  for (const auto& [name, score] : report.scores) {
    document[name] = Json::object("log_loss"_key = score.log_loss, "brier"_key = score.brier);
    if (score.line)
      document[name].add("calibration_slope"_key = estimated_json(score.line->slope),
                         "calibration_intercept"_key = estimated_json(score.line->intercept));
  }
  return document;
}

Table sets_table(const std::vector<conformal::LevelCounts>& levels) {
  Table table{{"|confidence level", "|allowed error", "|missed", "|no class", "|one class", "|several",
               "|wrong where one class"},
              "Prediction sets",
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
  const auto fact = [&](const char* label, const std::string& value, const std::string& note = {}) {
    section.fact(label, value, note, Where::verbose);
  };
  fact("confidence",
       fmt::format("mean {}; credibility mean {}", percent(all.mean_confidence), percent(all.mean_credibility)),
       "neither is a probability of being right; for rows like those compared with, mean credibility is about 50 %");
  section.add(criteria_of_levels(evaluation.levels));
  section.say(
      "N: mean size; M: share with several classes; E: mean excess over one; OM: share with a false class; OE: "
      "mean number of false classes",
      Where::verbose);
  fact("criteria",
       fmt::format("S {:.4f}, U {:.4f}, F {:.4f}, OU {:.4f}, OF {:.4f}", all.s, all.u, all.f, all.ou, all.of),
       "S: sum of p-values; U: unconfidence; F: fuzziness; OU, OF: the same observed; smaller is better");
  fact("calibration", "missed " + calibration_line(evaluation.calibration));
  fact("uniformity", fmt::format("Kolmogorov-Smirnov {} = {:.4f}, p = {:.4g} as if rows were independent; a small p "
                                 "speaks against the p-values",
                                 test.one_sided ? "D+" : "D", test.statistic, test.p_value));
}

std::optional<ReviewReport> ReviewReport::of(const std::optional<conformal::Review>& review,
                                             const std::vector<int>& labels, const std::vector<int>& predicted) {
  if (!review) return std::nullopt;
  const auto is_wrong = [&](std::size_t row) { return labels[row] != predicted[row]; };
  return ReviewReport{labels.size(), review->rows.size(), core::numbers_where(labels.size(), is_wrong).size(),
                      static_cast<std::size_t>(std::ranges::count_if(review->rows, is_wrong))};
}

void add_review(const ReviewReport& report, Section& section) {
  if (report.errors == 0) return;
  section.fact(
      "review",
      fmt::format("{} of {} = {} are among the {} most worth a look", report.found, count_of(report.errors, "error"),
                  shown(share(report.found, report.errors)), count_of(report.marked, "row")),
      fmt::format("the tenth of the rows whose labels are least probable; as many rows drawn by chance would "
                  "on average hold {} of the errors",
                  percent(*share(report.marked, report.rows))));
}

Json review_json(const ReviewReport& report) {
  return Json::object("share"_key = conformal::ReviewRule::usual_share, "n"_key = report.rows,
                      "marked"_key = report.marked, "errors"_key = report.errors, "found"_key = report.found,
                      "found_share"_key = share(report.found, report.errors));
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
