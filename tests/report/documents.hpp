#pragma once

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "report/page/page.hpp"

/// Documents as the command writes them, small enough to see what a page must make of them.
namespace credence::test {

using Document = nlohmann::ordered_json;

inline Document cell(double C, double gamma, double error, double error_se) {
  return {{"C", C},       {"nu", nullptr},  {"rho", nullptr},      {"gamma", gamma},
          {"k", nullptr}, {"error", error}, {"error_se", error_se}};
}

/// A choice among six cells, of which one was not computed; (C, gamma) = (2, 0.5) is chosen.
inline Document selection_document() {
  Document empty = cell(8, 1, 0, 0);
  empty["error"] = empty["error_se"] = nullptr;
  return {{"kind", "selection"},
          {"method", "cv"},
          {"status", "complete"},
          {"score", "CV error"},
          {"score_kind", "error"},
          {"best", cell(2, 0.5, 0.10, 0.02)},
          {"runner_up", cell(8, 0.5, 0.11, 0.02)},
          {"best_on_border", false},
          {"honest",
           {{"method", "bbc"},
            {"basis", "bootstrap bias-corrected (bbc): 1000 samples of 200 rows"},
            {"score", "error"},
            {"score_kind", "error"},
            {"error", 0.125},
            {"lower", 0.08},
            {"upper", 0.18},
            {"interval", "binomial"},
            {"delta", 0.05},
            {"rows", 200},
            {"seconds", 0.5}}},
          {"grid",
           {cell(0.5, 0.5, 0.30, 0.03), cell(2, 0.5, 0.10, 0.02), cell(8, 0.5, 0.11, 0.02), cell(0.5, 1, 0.12, 0.02),
            cell(2, 1, 0.121, 0.02), empty}},
          {"n", 200},
          {"features", 3},
          {"classes", {"no", "yes"}},
          {"class_counts", {120, 80}},
          {"baseline", {{"class", "no"}, {"error", 0.4}, {"weighted", false}}},
          {"learner", "svm"},
          {"options", {{"method", "cv"}, {"task", "classification"}, {"seed", 7}}},
          {"source", "rows.csv"},
          {"warnings", Document::array()},
          {"seed", 7},
          {"threads", 2},
          {"seconds", 1.5},
          {"version", "0.1.0"},
          {"command", "credence select rows.csv"},
          {"checksum", {{"sha256", "00ff"}, {"bytes", 12}}}};
}

/// Of four rows with p-values, one of them with a wrong label.
inline Document evaluation_document() {
  const auto row = [](int number, int label, int truth, double confidence, double credibility) {
    return Document{
        {"row", number}, {"label", label}, {"truth", truth}, {"confidence", confidence}, {"credibility", credibility}};
  };
  Document calibration = Document::array();
  Document sizes = Document::array();
  for (int level = 1; level < 100; ++level) {
    const double eps = level / 100.0;
    calibration.push_back({{"eps", eps}, {"error", eps < 0.4 ? 0.0 : 0.25}});
    sizes.push_back({{"eps", eps}, {"errors", 0}, {"empty", 1}, {"single", 2}, {"multiple", 1}});
  }
  const Document rows = {row(1, 0, 0, 0.9, 0.8), row(2, 1, 1, 0.95, 0.4), row(3, 0, 1, 0.5, 0.05),
                         row(4, 1, 1, 0.99, 1.0)};
  return {{"kind", "evaluation"},
          {"n", 4},
          {"errors", 1},
          {"error", 0.25},
          {"interval", {{"lower", 0.0063}, {"upper", 0.8059}}},
          {"classes", {"no", "yes"}},
          {"confusion", {{1, 0}, {1, 2}}},
          {"per_class",
           {{{"class", "no"}, {"n", 1}, {"recall", 1.0}, {"precision", 0.5}},
            {{"class", "yes"}, {"n", 3}, {"recall", 2.0 / 3}, {"precision", 1.0}}}},
          {"model", "m.credence"},
          {"source", "test.csv"},
          {"version", "0.1.0"},
          {"compared_with", {12, 26}},
          {"p_values", {{"smoothed", false}, {"guarantee", "a region at eps misses with probability at most eps"}}},
          {"calibration", calibration},
          {"sizes", sizes},
          {"rejection",
           {{{"rejected", 0.0},
             {"kept", 4},
             {"errors", 1},
             {"error", 0.25},
             {"lower", 0.01},
             {"upper", 0.8},
             {"least_confidence", 0.5}},
            {{"rejected", 0.25},
             {"kept", 3},
             {"errors", 0},
             {"error", 0.0},
             {"lower", 0.0},
             {"upper", 0.7},
             {"least_confidence", 0.9}}}},
          {"trust", {{"rows", rows}, {"of", 4}, {"least_credible", {rows[2], rows[1]}}}}};
}

/// Of two methods over three folds.
inline Document comparison_document() {
  const auto method = [](const char* name, std::vector<double> losses, double honest, double selected, double bound) {
    Document folds = Document::array();
    double sum = 0;
    for (const double loss : losses) {
      folds.push_back({{"complete", true}, {"loss", loss}, {"error", loss}});
      sum += loss;
    }
    return Document{{"name", name},
                    {"options", {{"method", name}}},
                    {"complete_folds", losses.size()},
                    {"mean_error", sum / static_cast<double>(losses.size())},
                    {"mean_honest", honest},
                    {"mean_selected_score", selected},
                    {"mean_bound", bound},
                    {"seconds", 2.0},
                    {"relative_seconds", 1.0},
                    {"warnings", Document::array()},
                    {"folds", folds}};
  };
  return {
      {"kind", "comparison"},
      {"status", "complete"},
      {"n", 90},
      {"outer_folds", 3},
      {"score", "error"},
      {"score_kind", "error"},
      {"methods", {method("cv", {0.1, 0.2, 0.15}, 0.16, 0.12, 0.4), method("loo", {0.2, 0.2, 0.2}, 0.21, 0.1, 1.5)}},
      {"tests",
       {{{"first", "cv"},
         {"second", "loo"},
         {"mean_difference", -0.05},
         {"t", -1.0},
         {"p_value", 0.4},
         {"lower", -0.2},
         {"upper", 0.1}}}},
      {"seed", 0},
      {"threads", 2},
      {"seconds", 4.5},
      {"version", "0.1.0"},
      {"source", "rows.csv"}};
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
inline Document intervals_document() {
  const auto level = [](double eps, double share, const Document& width) {
    return Document{{"eps", eps},
                    {"covered", 2 * share},
                    {"share", share},
                    {"interval", {{"lower", 0.1}, {"upper", 0.9}}},
                    {"mean_width", width},
                    {"widths",
                     {{"infinite", width.is_null() ? 2 : 0},
                      {"least", width},
                      {"lower_quartile", width},
                      {"median", width},
                      {"upper_quartile", width},
                      {"largest", width}}}};
  };
  const auto row = [](int number, double prediction, double target) {
    return Document{{"row", number},
                    {"prediction", prediction},
                    {"target", target},
                    {"lower", {nullptr, prediction - 1}},
                    {"upper", {nullptr, prediction + 1}}};
  };
  Document document{{"kind", "conformal intervals"},
                    {"calibration_source", "kept.csv"},
                    {"source", "new.csv"},
                    {"threads", 1},
                    {"seconds", 0.25},
                    {"version", "0.1.0"},
                    {"n", 2},
                    {"compared_with", 9},
                    {"smallest_p_value", 0.1},
                    {"target", "target"},
                    {"difficulty", nullptr},
                    {"guarantee", "an interval at eps misses"},
                    {"levels", {level(0.05, 1, nullptr), level(0.2, 0.5, 2)}},
                    {"calibration", Document::array()},
                    {"sample", {{"rows", {row(1, 0, 0.5), row(2, 5, 7)}}, {"of", 2}}},
                    {"warnings", Document::array()}};
  for (int i = 1; i <= 100; ++i) document["calibration"].push_back({{"eps", i / 100.0}, {"error", i < 20 ? 0.0 : 0.5}});
  return document;
}

}  // namespace credence::test
