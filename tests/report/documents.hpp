#pragma once

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "report/conformal/fit_report.hpp"
#include "report/evaluation/evaluation_report.hpp"
#include "report/page/page.hpp"
#include "report/selection/selection_report.hpp"

/// Results and their documents, small enough to see what a page must make of them.
namespace credence::test {

using Document = nlohmann::ordered_json;

/// A document of that kind with that story.
inline Document document_of(const char* kind, const report::Story& story) {
  return {{"kind", kind},
          {"version", "0.1.0"},
          {"command", "credence select rows.csv"},
          {"report", Document::parse(report::json_text(report::story_json(story)))}};
}

inline selection::Setting setting(double C, double gamma, double error, double error_se) {
  selection::Setting setting;
  setting.C = C;
  setting.gamma = gamma;
  setting.complete = true;
  setting.error = error;
  setting.error_se = error_se;
  return setting;
}

/// A choice among six settings, of which one was not computed; (C, gamma) = (2, 0.5) is chosen.
inline selection::Selection selection_result() {
  selection::Selection selection;
  selection.options.method = selection::CrossValidation{};
  selection.options = selection.options.resolved();
  selection.score = "CV error";
  selection.n = 200;
  selection.features = 3;
  selection.classes = {"no", "yes"};
  selection.class_counts = {120, 80};
  selection.class_shares = {0.6, 0.4};
  selection.resamples = 10;
  selection.grid = {setting(0.5, 0.5, 0.30, 0.03), setting(2, 0.5, 0.10, 0.02), setting(8, 0.5, 0.11, 0.02),
                    setting(0.5, 1, 0.12, 0.02),   setting(2, 1, 0.121, 0.02),  setting(8, 1, 0, 0)};
  selection.grid.back().complete = false;
  selection.best = 1;
  selection.runner_up = 2;
  selection::HonestEstimate honest;
  honest.method = "bbc";
  honest.score = "error";
  honest.error = 0.125;
  honest.lower = 0.08;
  honest.upper = 0.18;
  honest.interval = "binomial";
  honest.delta = 0.05;
  honest.resamples = 1000;
  honest.rows = 200;
  honest.seconds = 0.5;
  selection.honest = honest;
  selection.seconds = 1.5;
  selection.threads = 2;
  return selection;
}

inline Document selection_document(const selection::Selection& selection = selection_result()) {
  return document_of("selection", report::selection_story(selection, "rows.csv"));
}

/// Of four rows with p-values, one of them with a wrong label.
struct FourRows {
  data::Dataset dataset;
  model::Prediction prediction;
  report::Evaluated found;

  FourRows() {
    dataset.features = data::Features(data::DenseMatrix(4, 0));
    dataset.schema.classes = {"no", "yes"};
    dataset.labels = {0, 1, 1, 1};
    prediction.label = {0, 1, 0, 1};
    prediction.p_value = data::DenseMatrix(4, 2);
    prediction.p_value.values = {0.8, 0.1, 0.05, 0.4, 0.05, 0.04, 0.01, 1.0};
    prediction.confidence = {0.9, 0.95, 0.5, 0.99};
    prediction.credibility = {0.8, 0.4, 0.05, 1.0};
    found.labels = report::compare_labels(dataset.schema.classes, dataset, prediction);
    found.p_values = conformal::evaluate(prediction.p_value, dataset.labels, std::vector{0.05}, false);
    found.sets = found.p_values->levels;
    found.compared_with = {12, 26};
    found.guarantee = "a set misses with probability at most 1 - confidence level";
    found.model = "m.credence";
    found.source = "test.csv";
  }
  Document document() const {
    report::Section of_rows;
    report::add_trust_charts(prediction, dataset, of_rows);
    return document_of("evaluation", report::evaluation_story(found, nullptr, std::move(of_rows.blocks)));
  }
};
inline Document evaluation_document() {
  return FourRows().document();
}

/// Of two methods over three folds.
inline selection::Comparison comparison() {
  const auto method = [](const char* name, const std::vector<double>& losses, double honest, double selected,
                         double bound) {
    selection::MethodResult made;
    made.name = name;
    for (const double loss : losses) {
      selection::OuterFold fold;
      fold.complete = true;
      fold.loss = loss;
      made.folds.push_back(fold);
      made.mean_error += loss / static_cast<double>(losses.size());
    }
    made.mean_honest = honest;
    made.mean_selected_score = selected;
    made.mean_bound = bound;
    made.seconds = 2;
    return made;
  };
  selection::Comparison made;
  made.methods = {method("cv", {0.1, 0.2, 0.15}, 0.16, 0.12, 0.4), method("loo", {0.2, 0.2, 0.2}, 0.21, 0.1, 1.5)};
  made.n = 90;
  made.outer_folds = 3;
  selection::PairedTest test;
  test.mean_difference = -0.05;
  test.t = -1;
  test.p_value = 0.4;
  test.half_width = 0.15;
  made.tests = {std::nullopt, test, std::nullopt, std::nullopt};
  made.threads = 2;
  made.seconds = 4.5;
  made.version = "0.1.0";
  return made;
}

inline Document comparison_document(const selection::Comparison& made = comparison()) {
  report::Json document = report::comparison_json(made);
  document["source"] = "rows.csv";
  document["report"] = report::story_json(report::comparison_story(made, data::Dataset(), "rows.csv"));
  return Document::parse(report::json_text(document));
}

inline std::vector<report::DrawnChart> charts_of(const Document& document) {
  return report::charts(document.dump(), "result.json");
}

/// The chart of that name; a test that looks for one that is missing fails.
inline report::DrawnChart chart_of(const Document& document, const std::string& id) {
  for (const report::DrawnChart& chart : charts_of(document))
    if (chart.id == id) return chart;
  throw std::runtime_error("there is no chart " + id);
}

inline Document values_of(const report::DrawnChart& chart, const char* name = "values") {
  return Document::parse(chart.specification).at("datasets").at(name);
}

/// Intervals of two rows, the second of which misses its target; at the first level they are infinite.
struct TwoIntervals {
  data::Dataset dataset;
  std::vector<double> targets{0.5, 7};
  std::vector<double> predictions{0, 5};
  report::OutsideIntervals found{.levels = {0.05, 0.2}, .compared = 9, .units = 9, .intervals = {}};

  TwoIntervals() {
    dataset.features = data::Features(data::DenseMatrix(2, 0));
    found.intervals = {{{-INFINITY, INFINITY}, {-INFINITY, INFINITY}}, {{-1, 1}, {4, 6}}};
    found.p = {0.6, 0.1};
    found.target = "target";
    found.prediction = "prediction";
    found.guarantee = "an interval misses with probability at most 1 - confidence level";
  }
  Document document() const {
    return document_of("conformal intervals",
                       report::outside_intervals_story(found, {dataset, targets, predictions}, "new.csv"));
  }
};

}  // namespace credence::test
