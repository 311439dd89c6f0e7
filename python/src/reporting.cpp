#include "reporting.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "credence/conformal/evaluation.hpp"
#include "credence/conformal/p_value.hpp"
#include "credence/conformal/regression.hpp"
#include "credence/core/atomic_file.hpp"
#include "credence/core/version.hpp"
#include "report/evaluation/evaluation_report.hpp"
#include "report/evaluation/interval_report.hpp"
#include "report/evaluation/regression_report.hpp"
#include "report/evaluation/trust_report.hpp"
#include "report/evaluation/warnings.hpp"
#include "report/page/page.hpp"
#include "report/rows/p_value_words.hpp"
#include "report/rows/probability_words.hpp"

namespace credence::python {
namespace {

using conformal::PValueOptions;
using ReportCodes = Vector<std::int32_t>;

const std::string rows_of_call = "the rows";

/// Numbered from 1, as in messages.
data::Dataset numbered(std::size_t rows) {
  data::Dataset dataset;
  dataset.features = data::DenseMatrix(rows, 0);
  return dataset;
}

void add_origin(const char* task, const std::string& model, report::Json& document) {
  document["task"] = task;
  document["model"] = model;
  document["source"] = "";
  document["version"] = version();
}

data::DenseMatrix matrix_or_none(const std::optional<Matrix>& matrix) {
  return matrix ? matrix_of(*matrix) : data::DenseMatrix{};
}

/// The document of `evaluate` for labelled rows with p-values.
/// @param given      predicted labels
/// @param labels     -1 for classes that the model does not know
/// @param guarantee  what regions guarantee; empty where that is not known
/// @param more       further members of the document, as JSON
std::string evaluation_document(const Matrix& p_values, const ReportCodes& given, const ReportCodes& labels,
                                std::vector<std::string> classes, const Vector<double>& levels,
                                const PValueOptions& made, const std::string& model, const std::string& guarantee,
                                const std::optional<Matrix>& probability, const std::optional<Matrix>& moderated,
                                const std::string& more) {
  data::Dataset dataset = numbered(labels.size());
  dataset.labels = vector_of(labels);
  dataset.schema.classes = std::move(classes);
  model::Prediction prediction;
  prediction.label = vector_of(given);
  prediction.p_value = matrix_of(p_values);
  prediction.probability = matrix_or_none(probability);
  prediction.moderated = matrix_or_none(moderated);
  conformal::conclude(prediction, true);
  const report::LabelReport compared = report::compare_labels(dataset.schema.classes, dataset, prediction, rows_of_call,
                                                              report::UnknownClasses::are_errors);
  report::Json document = report::label_json(compared);
  document["warnings"] = report::evaluation_warnings(compared, {});
  add_origin("classification", model, document);
  const auto probabilities =
      report::judge_probabilities(dataset.labels, prediction, report::probability_name({}, prediction));
  if (probabilities) document["probability"] = report::probability_json(*probabilities);
  report::add_p_values(conformal::evaluate(prediction.p_value, dataset.labels, span_of(levels), made.smoothed), made,
                       guarantee, document);
  document.update(report::trust_json(prediction, dataset));
  document.update(report::parse_json(more, rows_of_call));
  return report::json_text(document);
}

/// The document of `evaluate` for rows with targets.
/// @param p_values  of the targets
/// @param ends      for each level rows x 2, the intervals
/// @param more      further members of the document, as JSON
std::string regression_document(const Vector<double>& targets, const Vector<double>& means,
                                const Vector<double>& p_values, const std::vector<Matrix>& ends,
                                const Vector<double>& levels, const std::string& model, const std::string& guarantee,
                                const std::string& more) {
  data::Dataset dataset = numbered(targets.size());
  dataset.targets = vector_of(targets);
  model::Prediction prediction;
  prediction.mean = vector_of(means);
  report::Intervals intervals;
  for (const Matrix& level : ends) {
    const data::DenseMatrix matrix = matrix_of(level);
    auto& list = intervals.emplace_back();
    for (std::size_t i = 0; i < matrix.rows; ++i) list.push_back({matrix.row(i)[0], matrix.row(i)[1]});
  }
  const report::RegressionReport compared = report::compare_targets(dataset, prediction, rows_of_call);
  report::Json document = report::regression_json(compared);
  document["warnings"] = report::evaluation_warnings(compared, {});
  document["predicted"] = report::predicted_json(dataset, prediction);
  add_origin("regression", model, document);
  report::Json counted =
      report::interval_json(report::interval_coverage(vector_of(p_values), intervals, vector_of(levels)));
  document["intervals"] = {{"levels", std::move(counted)}, {"guarantee", guarantee}};
  document.update(report::parse_json(more, rows_of_call));
  return report::json_text(document);
}

nb::list charts_of(const std::string& document, const std::string& source) {
  nb::list list;
  for (const report::Chart& chart : report::charts(document, source)) {
    nb::dict one;
    one["id"] = chart.id;
    one["title"] = chart.title;
    one["caption"] = chart.caption;
    one["alternative"] = chart.alternative;
    one["specification"] = report::standing_alone(chart);
    one["columns"] = chart.columns;
    one["rows"] = chart.rows;
    list.append(one);
  }
  return list;
}

}  // namespace

void bind_reporting(nb::module_& module) {
  module.def("page", &report::page, nb::arg("document"), nb::arg("source"));
  module.def("charts", &charts_of, nb::arg("document"), nb::arg("source"));
  module.def("pages_are_built_in", &report::pages_are_built_in);
  module.def(
      "write_atomically",
      [](const std::string& path, const nb::bytes& bytes) {
        core::write_atomically(path, {bytes.c_str(), bytes.size()});
      },
      nb::arg("path"), nb::arg("bytes"));
  module.def("evaluation_document", &evaluation_document, nb::arg("p_values"), nb::arg("given"), nb::arg("labels"),
             nb::arg("classes"), nb::arg("levels"), nb::arg("made"), nb::arg("model"), nb::arg("guarantee"),
             nb::arg("probability").none(), nb::arg("moderated").none(), nb::arg("more"));
  module.def("regression_document", &regression_document, nb::arg("targets"), nb::arg("means"), nb::arg("p_values"),
             nb::arg("ends"), nb::arg("levels"), nb::arg("model"), nb::arg("guarantee"), nb::arg("more"));
  module.def(
      "region_guarantee",
      [](bool label_conditional, bool groups, const std::string& condition) {
        return report::region_guarantee({label_conditional, groups}, condition);
      },
      nb::arg("label_conditional"), nb::arg("groups"), nb::arg("condition"));
  module.def(
      "interval_guarantee",
      [](bool groups, const std::string& condition) {
        return report::interval_guarantee({.groups = groups}, condition);
      },
      nb::arg("groups"), nb::arg("condition"));
  module.def("cross_guarantee", &report::cross_guarantee, nb::arg("rows"), nb::arg("folds"),
             nb::arg("label_conditional"), nb::arg("stratified"));
}

}  // namespace credence::python
