#include "reporting.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "credence/conformal/evaluation.hpp"
#include "credence/conformal/p_value.hpp"
#include "credence/conformal/regression.hpp"
#include "credence/core/atomic_file.hpp"
#include "credence/core/version.hpp"
#include "report/evaluation_report.hpp"
#include "report/interval_report.hpp"
#include "report/page/page.hpp"
#include "report/regression_report.hpp"
#include "report/trust_report.hpp"

namespace credence::python {
namespace {

using conformal::PValueOptions;
using Codes = Vector<std::int32_t>;

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

/// The document of `evaluate` for labelled rows with p-values.
/// @param given      predicted labels
/// @param guarantee  what regions guarantee; empty where that is not known
std::string evaluation_document(const Matrix& p_values, const Codes& given, const Codes& labels,
                                std::vector<std::string> classes, const Vector<double>& levels,
                                const PValueOptions& made, const std::string& model, const std::string& guarantee) {
  data::Dataset dataset = numbered(labels.size());
  dataset.labels = vector_of(labels);
  dataset.schema.classes = std::move(classes);
  model::Prediction prediction;
  prediction.label = vector_of(given);
  prediction.p_value = matrix_of(p_values);
  conformal::conclude(prediction, true);
  const report::LabelReport compared =
      report::compare_labels(dataset.schema.classes, dataset, prediction, rows_of_call);
  report::Json document = report::label_json(compared);
  add_origin("classification", model, document);
  report::add_p_values(conformal::evaluate(prediction.p_value, dataset.labels, span_of(levels), made.smoothed), made,
                       guarantee, document);
  document.update(report::trust_json(prediction, dataset));
  return report::json_text(document);
}

/// The document of `evaluate` for rows with targets.
/// @param p_values  of the targets
/// @param ends      rows x 2, the intervals at the level
std::string regression_document(const Vector<double>& targets, const Vector<double>& means,
                                const Vector<double>& p_values, const Matrix& ends, double eps,
                                const std::string& model) {
  data::Dataset dataset = numbered(targets.size());
  dataset.targets = vector_of(targets);
  model::Prediction prediction;
  prediction.mean = vector_of(means);
  const data::DenseMatrix matrix = matrix_of(ends);
  report::Intervals intervals(1);
  for (std::size_t i = 0; i < matrix.rows; ++i) intervals[0].push_back({matrix.row(i)[0], matrix.row(i)[1]});
  report::Json document = report::regression_json(report::compare_targets(dataset, prediction, rows_of_call));
  add_origin("regression", model, document);
  report::Json levels = report::interval_json(report::interval_coverage(vector_of(p_values), intervals, {eps}));
  document["intervals"] = {{"levels", std::move(levels)}};
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
             nb::arg("classes"), nb::arg("levels"), nb::arg("made"), nb::arg("model"), nb::arg("guarantee"));
  module.def("regression_document", &regression_document, nb::arg("targets"), nb::arg("means"), nb::arg("p_values"),
             nb::arg("ends"), nb::arg("eps"), nb::arg("model"));
}

}  // namespace credence::python
