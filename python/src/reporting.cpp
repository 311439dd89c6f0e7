#include "bindings.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "credence/conformal/evaluation.hpp"
#include "credence/conformal/p_value.hpp"
#include "credence/conformal/regression.hpp"
#include "credence/core/atomic_file.hpp"
#include "credence/core/version.hpp"
#include "options.hpp"
#include "report/decisions/limit_report.hpp"
#include "report/evaluation/evaluation_report.hpp"
#include "report/evaluation/interval_report.hpp"
#include "report/evaluation/regression_report.hpp"
#include "report/evaluation/warnings.hpp"
#include "report/page/page.hpp"
#include "report/rows/familiarity_report.hpp"
#include "report/rows/p_value_words.hpp"

namespace credence::python {
namespace {

using report::operator""_key;

using conformal::PValueOptions;
using ReportCodes = Vector<std::int32_t>;

const std::string rows_of_call = "the rows";

/// Numbered from 1, as in messages.
data::Dataset numbered(std::size_t rows) {
  data::Dataset dataset;
  dataset.features = data::DenseMatrix(rows, 0);
  return dataset;
}

data::DenseMatrix matrix_or_none(const std::optional<Matrix>& matrix) {
  return matrix ? matrix_of(*matrix) : data::DenseMatrix{};
}

/// What was predicted for labelled rows.
model::Prediction prediction_of(const Matrix& p_values, const ReportCodes& given, const std::optional<Matrix>& scores) {
  model::Prediction prediction;
  prediction.label = vector_of(given);
  prediction.p_value = matrix_of(p_values);
  prediction.score = matrix_or_none(scores);
  conformal::conclude(prediction, true);
  return prediction;
}

data::Dataset labelled(const ReportCodes& labels, std::vector<std::string> classes) {
  data::Dataset dataset = numbered(labels.size());
  dataset.labels = vector_of(labels);
  dataset.schema.classes = std::move(classes);
  return dataset;
}

/// The members of report::OutsideRange.
using OutsideColumn = std::tuple<std::string, std::size_t, std::string, double, std::string>;

/// The members of conformal::Review; a reason is its number.
using Marked = std::tuple<std::vector<int>, std::vector<std::size_t>, std::vector<double>>;

std::optional<conformal::Review> review_of(const std::optional<Marked>& marked) {
  if (!marked) return std::nullopt;
  const auto reason_of = [](int reason) { return static_cast<conformal::ReviewReason>(reason); };
  const auto& [reasons, rows, probability] = *marked;
  return conformal::Review{core::mapped(reasons, reason_of), rows, probability};
}

/// A part of what Python keeps of an evaluation.
template <class T>
T part(const nb::dict& parts, const char* name) {
  return nb::cast<T>(parts[name]);
}

/// What is known of evaluated rows beside their predictions.
struct Origin {
  explicit Origin(const nb::dict& parts)
      : model(part<std::string>(parts, "model")),
        guarantee(part<std::string>(parts, "guarantee")),
        trained_on(part<std::string>(parts, "trained_on")),
        warnings(part<std::vector<std::string>>(parts, "warnings")),
        familiarity(part<std::optional<Vector<double>>>(parts, "familiarity")),
        known_rows(part<std::size_t>(parts, "known_rows")),
        cost{part<double>(parts, "seconds"), part<int>(parts, "threads")},
        outside(part<std::vector<OutsideColumn>>(parts, "outside")),
        review(review_of(part<std::optional<Marked>>(parts, "review"))) {}

  std::string model;
  std::string guarantee;  ///< empty where that is not known
  std::string trained_on;
  std::vector<std::string> warnings;  ///< of rows without a look at their classes
  std::optional<Vector<double>> familiarity;
  std::size_t known_rows;
  report::Cost cost;
  std::vector<OutsideColumn> outside;
  std::optional<conformal::Review> review;

  std::optional<report::FamiliarityReport> familiar() const {
    if (!familiarity) return std::nullopt;
    auto report = report::familiarity_report(span_of(*familiarity), report::FamiliarityTally(known_rows),
                                             numbered(familiarity->size()));
    if (report)
      report->outside = core::mapped(
          outside, [](const OutsideColumn& one) { return std::make_from_tuple<report::OutsideRange>(one); });
    return report;
  }
  /// The document of an evaluation, and what the command prints of it.
  std::pair<std::string, std::string> told(const char* task, const report::Story& story, report::Json document) const {
    document.add("task"_key = task, "model"_key = model, "source"_key = "", "version"_key = version(),
                 "seconds"_key = cost.seconds, "threads"_key = cost.threads > 0 ? report::Json(cost.threads) : nullptr,
                 "report"_key = report::story_json(story));
    return {report::json_text(document), in_python(report::terminal_text(story, report::Detail::usual))};
  }
};

/// The document of `evaluate` for labelled rows with p-values, and what the command prints.
/// @param parts    given: predicted labels; labels: -1 for classes that the model does not know; compared_with: rows of
///                 each class, if that is known; decision: Predictor.decision, as JSON, "null" for none; scores: by
///                 which an AUC orders the rows, without them the p-values do; positive: a class, or empty for the
///                 second of two
/// @param figures  the document has its figures and warnings alone, and nothing is printed
std::pair<std::string, std::string> evaluation_document(const nb::dict& parts, bool figures) {
  const Origin origin(part<nb::dict>(parts, "origin"));
  const data::Dataset dataset =
      labelled(part<ReportCodes>(parts, "labels"), part<std::vector<std::string>>(parts, "classes"));
  model::Prediction prediction = prediction_of(part<Matrix>(parts, "p_values"), part<ReportCodes>(parts, "given"),
                                               part<std::optional<Matrix>>(parts, "scores"));
  prediction.probability = matrix_or_none(part<std::optional<Matrix>>(parts, "probability"));
  prediction.moderated = matrix_or_none(part<std::optional<Matrix>>(parts, "moderated"));
  const auto options = part<nb::dict>(parts, "made");
  const PValueOptions made{.smoothed = part<bool>(options, "smoothed"),
                           .label_conditional = part<bool>(options, "label_conditional"),
                           .seed = part<std::uint64_t>(options, "seed")};
  report::LabelReport counted =
      report::compare_labels(dataset.schema.classes, dataset, prediction, part<std::string>(parts, "positive"));
  counted.trained_on = origin.trained_on;
  report::Evaluated found{
      .labels = counted,
      .p_values = conformal::evaluate(prediction.p_value, dataset.labels,
                                      span_of(part<Vector<double>>(parts, "levels")), made.smoothed),
      .made = made,
      .compared_with =
          part<std::optional<std::vector<std::size_t>>>(parts, "compared_with").value_or(std::vector<std::size_t>{}),
      .guarantee = origin.guarantee,
      .probability =
          report::judge_probabilities(dataset.labels, prediction, report::probability_name({}, prediction), counted),
      .familiarity = origin.familiar(),
      .review = report::ReviewReport::of(origin.review, dataset.labels, prediction.label),
      .warnings = report::evaluation_warnings(counted, origin.warnings),
      .model = origin.model,
      .cost = origin.cost};
  found.sets = found.p_values->levels;
  if (figures) return {report::json_text(report::evaluated_json(found, nullptr)), ""};
  report::Section of_rows;
  report::add_trust_charts(prediction, dataset, of_rows, origin.review);
  report::add_block(report::parse_json(part<std::string>(parts, "decision"), rows_of_call), of_rows);
  return origin.told("classification", report::evaluation_story(found, nullptr, std::move(of_rows.blocks)),
                     report::evaluated_json(found, nullptr));
}

/// The document of `limits`, and what the command prints of it.
/// @param compared_with  rows of each class, if that is known
std::pair<std::string, std::string> limits_document(const Matrix& p_values, const ReportCodes& labels,
                                                    const std::vector<std::string>& classes,
                                                    const std::optional<std::vector<std::size_t>>& compared_with,
                                                    const std::vector<double>& limits, const std::string& cost,
                                                    const std::string& guarantee, const std::string& model) {
  report::check_limits(limits);
  const report::DecisionCurve curve =
      report::decision_curve({classes, compared_with.value_or(std::vector<std::size_t>{})}, matrix_of(p_values),
                             vector_of(labels), limits, cost, {});
  const report::Story story = report::limits_story(curve, guarantee, rows_of_call);
  report::Json document = report::curve_json(curve, guarantee, model, "");
  document.add("report"_key = report::story_json(story));
  return {report::json_text(document), in_python(report::terminal_text(story, report::Detail::usual))};
}

/// The document of `evaluate` for rows with targets.
/// @param parts    p_values: of the targets; ends: for each level rows x 2, the intervals
/// @param figures  as for evaluation_document
std::pair<std::string, std::string> regression_document(const nb::dict& parts, bool figures) {
  const Origin origin(part<nb::dict>(parts, "origin"));
  const auto targets = part<Vector<double>>(parts, "targets");
  data::Dataset dataset = numbered(targets.size());
  dataset.targets = vector_of(targets);
  model::Prediction prediction;
  prediction.mean = vector_of(part<Vector<double>>(parts, "means"));
  report::Intervals intervals;
  for (const Matrix& level : part<std::vector<Matrix>>(parts, "ends")) {
    const data::DenseMatrix matrix = matrix_of(level);
    auto& list = intervals.emplace_back();
    for (std::size_t i = 0; i < matrix.rows; ++i) list.push_back({matrix.row(i)[0], matrix.row(i)[1]});
  }
  report::EvaluatedNumbers found{
      .figures = report::compare_targets(dataset, prediction, rows_of_call),
      .coverage = report::interval_coverage(vector_of(part<Vector<double>>(parts, "p_values")), intervals,
                                            vector_of(part<Vector<double>>(parts, "levels"))),
      .guarantee = origin.guarantee,
      .familiarity = origin.familiar(),
      .model = origin.model,
      .cost = origin.cost};
  found.figures.trained_on = origin.trained_on;
  found.warnings = report::evaluation_warnings(found.figures, origin.warnings);
  if (figures) return {report::json_text(report::evaluated_json(found)), ""};
  return origin.told("regression", report::regression_story(found, dataset, prediction), report::evaluated_json(found));
}

/// What to warn of where rows are unlike those of the training.
std::vector<std::string> familiarity_warnings(const Vector<double>& familiarity, std::size_t known) {
  report::FamiliarityTally tally(known);
  tally.add(span_of(familiarity));
  const std::string warning = tally.warning();
  return warning.empty() ? std::vector<std::string>{} : std::vector{warning};
}

nb::list charts_of(const std::string& document, const std::string& source) {
  nb::list list;
  for (const report::DrawnChart& chart : report::charts(document, source))
    list.append(dict_of("id", chart.id, "title", chart.title, "caption", chart.caption, "alternative",
                        chart.alternative, "specification", report::standing_alone(chart), "columns", chart.columns,
                        "rows", chart.rows));
  return list;
}

void bind_guarantees(nb::module_& module) {
  module.def("set_guarantee",
             [](bool label_conditional, bool categories, bool new_groups, const std::string& condition) {
               return report::set_guarantee({label_conditional, categories, new_groups}, condition);
             });
  module.def("interval_guarantee", [](bool categories, bool new_groups, const std::string& condition) {
    return report::interval_guarantee({.categories = categories, .new_groups = new_groups}, condition);
  });
  module.def("cross_guarantee", &report::cross_guarantee);
  module.def("weighted_cross_guarantee", &report::weighted_cross_guarantee);
}

}  // namespace

void bind_reporting(nb::module_& module) {
  module.def("page", &report::page);
  module.def("charts", &charts_of);
  module.def("pages_are_built_in", &report::pages_are_built_in);
  module.def("write_atomically", [](const std::string& path, const nb::bytes& bytes) {
    core::write_atomically(path, {bytes.c_str(), bytes.size()});
  });
  module.def("evaluation_document", &evaluation_document, nb::arg("parts"), nb::arg("figures") = false);
  module.def("regression_document", &regression_document, nb::arg("parts"), nb::arg("figures") = false);
  module.attr("usual_limits") = report::usual_limits;
  module.def("limits_document", &limits_document);
  module.def("familiarity_warnings", &familiarity_warnings);
  module.def("p_value_warnings", [](const std::vector<std::string>& classes, const std::vector<std::size_t>& counts,
                                    const PValueOptions& made, const Vector<double>& levels) {
    return report::p_value_warnings(classes, counts, made, vector_of(levels));
  });
  module.def("limit_warnings", [](const std::vector<std::string>& classes, const std::vector<std::size_t>& counts,
                                  const std::vector<double>& limits, std::optional<double> certainty) {
    return report::limit_warnings({classes, counts}, {limits, certainty, {}});
  });
  module.def("interval_warnings", [](std::size_t compared, const Vector<double>& levels) {
    return report::interval_warnings(compared, vector_of(levels));
  });
  module.def("seen_rows_sentence",
             [](std::size_t rows, const Vector<std::uint64_t>& known, const Vector<std::uint64_t>& keys) {
               model::TrainingRecord record;
               record.rows = rows;
               record.row_keys = vector_of(known);
               return report::seen_rows_sentence(record, vector_of(keys));
             });
  bind_guarantees(module);
}

}  // namespace credence::python
