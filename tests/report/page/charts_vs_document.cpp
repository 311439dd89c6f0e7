#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "credence/bounds/split_conformal.hpp"
#include "report/documents.hpp"

namespace credence {
namespace charts_vs_document_tests {

using test::chart_of;
using test::charts_of;
using test::Document;
using test::values_of;

TEST(ChartsVsDocument, TheHeatMapHasEveryCellAndItsMark) {
  const Document document = test::selection_document();
  const report::DrawnChart chart = chart_of(document, "heat-map");
  const Document values = values_of(chart);
  ASSERT_EQ(values.size(), document["grid"].size());
  // By hand: the limit is 0.10 + 0.02.
  const std::vector<std::string> marks{"", "chosen", "close", "close", "", ""};
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(values[i]["x"], document["grid"][i]["C"]);
    EXPECT_EQ(values[i]["y"], document["grid"][i]["gamma"]);
    EXPECT_EQ(values[i]["value"], document["grid"][i]["error"]);
    EXPECT_EQ(values[i]["mark"], marks[i]) << i;
  }
  EXPECT_EQ(chart.columns, (std::vector<std::string>{"C", "gamma", "CV error", "standard error", "mark"}));
  EXPECT_EQ(chart.rows[1], (std::vector<std::string>{"2", "0.5", "10.00 %", "2.00 %", "chosen"}));
  EXPECT_EQ(chart.rows[5][2], "–");
}

TEST(ChartsVsDocument, TheHeatMapMarksTheMembersOfAnAverage) {
  Document document = test::selection_document();
  document["average"] = {{"members", {1, 3}}, {"error", 0.1}, {"error_se", 0.02}};
  const Document values = values_of(chart_of(document, "heat-map"));
  // Cell 2 is within one standard error, and takes no part.
  const std::vector<std::string> marks{"", "chosen", "", "close", "", ""};
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_EQ(values[i]["mark"], marks[i]) << i;
}

TEST(ChartsVsDocument, EachKernelAndScalingHasAMapOfTheHeatMap) {
  Document document = test::selection_document();
  Document& grid = document["grid"];
  const Document rectangle = grid;
  grid = Document::array();
  for (const char* kernel : {"rbf", "laplacian"}) {
    for (const char* scale : {"standard", "quantile"}) {
      for (Document cell : rectangle) {
        cell["kernel"] = kernel;
        cell["scale"] = scale;
        grid.push_back(std::move(cell));
      }
    }
  }
  document["best"] = grid[7];
  document["average"] = {{"members", {1, 7, 20}}, {"error", 0.1}, {"error_se", 0.02}};
  const report::DrawnChart chart = chart_of(document, "heat-map");
  const Document values = values_of(chart);
  ASSERT_EQ(values.size(), 24);
  std::map<std::string, std::set<std::string>> rows;  // of each map, from above
  for (std::size_t i = 0; i < values.size(); ++i) {
    rows[values[i]["map"]].insert(values[i]["row"]);
    EXPECT_EQ(values[i]["mark"], i == 7 ? "chosen" : i == 1 || i == 20 ? "close" : "") << i;
  }
  std::string above = "9999";
  for (const Document& heading : Document::parse(chart.specification)["datasets"]["headings"]) {
    const std::set<std::string>& own = rows.at(heading["text"]);
    EXPECT_LT(*own.rbegin(), heading["row"].get<std::string>());
    EXPECT_LT(heading["row"].get<std::string>(), above);
    EXPECT_TRUE(own.begin()->ends_with("|0.5") && own.rbegin()->ends_with("|1"));
    above = *own.begin();
  }
  EXPECT_EQ(rows.size(), 4);
  EXPECT_EQ(chart.columns[0], "kernel and scaling");
  EXPECT_EQ(chart.rows[20][0], "laplacian kernel, quantile scaling");
}

TEST(ChartsVsDocument, TheSelectedScoreIsNeverTheEstimate) {
  const Document values = values_of(chart_of(test::selection_document(), "scores"));
  ASSERT_EQ(values.size(), 3);
  EXPECT_EQ(values[0]["kind"], "estimate");
  EXPECT_EQ(values[0]["value"], 0.125);
  EXPECT_EQ(values[0]["lower"], 0.08);
  EXPECT_EQ(values[0]["upper"], 0.18);
  EXPECT_EQ(values[1]["kind"], "optimistic");
  EXPECT_EQ(values[1]["value"], 0.10);
  EXPECT_TRUE(values[1]["lower"].is_null());
  EXPECT_EQ(values[2]["kind"], "reference");
  EXPECT_DOUBLE_EQ(values[2]["value"], 0.4);

  Document without = test::selection_document();
  without["honest"] = nullptr;
  for (const Document& value : values_of(chart_of(without, "scores"))) EXPECT_NE(value["kind"], "estimate");
}

TEST(ChartsVsDocument, BoundsThatAreVacuousAreNotDrawn) {
  Document document = test::selection_document();
  const auto bound = [](const char* name, double value) {
    return Document{{"name", name}, {"loss", "hard"}, {"bound", value}};
  };
  document["estimation"] = {
      {"independent", true}, {"delta", 0.05}, {"bounds", {bound("Hoeffding", 0.3), bound("VC", 1.7)}}};
  std::set<double> drawn;
  for (const Document& value : values_of(chart_of(document, "scores")))
    if (value["kind"] == "bound") drawn.insert(value["value"].get<double>());
  EXPECT_EQ(drawn, (std::set<double>{0.3}));
}

TEST(ChartsVsDocument, OneAxisIsACurve) {
  Document document = test::selection_document();
  document["grid"] = {test::cell(1, 0.5, 0.2, 0.01), test::cell(2, 0.5, 0.1, 0.02)};
  const Document values = values_of(chart_of(document, "curve"));
  ASSERT_EQ(values.size(), 2);
  EXPECT_EQ(values[1]["x"], 2);
  EXPECT_DOUBLE_EQ(values[1]["lower"], 0.08);
  EXPECT_DOUBLE_EQ(values[1]["upper"], 0.12);
  EXPECT_EQ(values[1]["mark"], "chosen");
}

TEST(ChartsVsDocument, ErrorAgainstLevelHasTheBandOfNewAndComparedRows) {
  const Document document = test::evaluation_document();
  const Document values = values_of(chart_of(document, "level-error"));
  ASSERT_EQ(values.size(), 50);
  for (const Document& value : values) {
    const bounds::CountInterval band = bounds::split_miss_counts(4, 38, value["eps"].get<double>(), 0.05);
    EXPECT_DOUBLE_EQ(value["lower"], static_cast<double>(band.lower) / 4);
    EXPECT_DOUBLE_EQ(value["upper"], static_cast<double>(band.upper) / 4);
    EXPECT_EQ(value["error"], value["eps"].get<double>() < 0.4 ? 0.0 : 0.25);
  }
}

/// Documents of earlier versions do not say how many rows were compared with.
TEST(ChartsVsDocument, WithoutComparedRowsTheBandIsBinomial) {
  Document document = test::evaluation_document();
  document.erase("compared_with");
  for (const Document& value : values_of(chart_of(document, "level-error"))) {
    const bounds::CountInterval band = bounds::central_counts(4, value["eps"].get<double>(), 0.05);
    EXPECT_DOUBLE_EQ(value["upper"], static_cast<double>(band.upper) / 4);
  }
}

/// Classes with rows of their own: the band of the sum, by simulation of 95 of 100 cases.
TEST(ChartsVsSimulation, BandOfLabelConditionalRegionsHoldsTheSumOfClasses) {
  Document document = test::evaluation_document();
  document["p_values"]["label_conditional"] = true;
  document["compared_with"] = {39, 19};
  document["confusion"] = {{300, 0}, {0, 100}};
  document["n"] = 400;
  std::mt19937_64 random(3);
  const auto uniform = [&] { return static_cast<double>(random() >> 11) * 0x1p-53; };
  const auto missed = [&](std::size_t rank, std::size_t kept, int rows) {
    std::vector<double> scores(kept);
    for (double& score : scores) score = uniform();
    std::ranges::sort(scores);
    return std::binomial_distribution<int>(rows, scores[rank - 1])(random);
  };
  constexpr int draws = 4000;
  int inside = 0;
  double lower = 0, upper = 0;
  for (const Document& value : values_of(chart_of(document, "level-error"))) {
    if (std::abs(value["eps"].get<double>() - 0.2) > 1e-9) continue;
    lower = value["lower"].get<double>() * 400;
    upper = value["upper"].get<double>() * 400;
  }
  for (int draw = 0; draw < draws; ++draw) {
    const int count = missed(8, 39, 300) + missed(4, 19, 100);
    inside += count >= lower && count <= upper ? 1 : 0;
  }
  EXPECT_NEAR(inside / static_cast<double>(draws), 0.95, 0.02);
}

TEST(ChartsVsDocument, SizesOfRegionsAreSharesOfAllRows) {
  std::map<double, double> sums;
  const Document values = values_of(chart_of(test::evaluation_document(), "region-sizes"));
  ASSERT_EQ(values.size(), 150);
  for (const Document& value : values) {
    sums[value["eps"].get<double>()] += value["share"].get<double>();
    EXPECT_EQ(value["share"], value["kind"] == "one class" ? 0.5 : 0.25);
  }
  for (const auto& [eps, sum] : sums) EXPECT_DOUBLE_EQ(sum, 1) << eps;
}

TEST(ChartsVsDocument, RowsOfAnEvaluation) {
  const Document document = test::evaluation_document();
  const Document values = values_of(chart_of(document, "confidence"));
  ASSERT_EQ(values.size(), 4);
  EXPECT_EQ(values[2]["kind"], "wrong label");
  EXPECT_EQ(values[2]["label"], "no");
  EXPECT_EQ(values[2]["truth"], "yes");
  EXPECT_EQ(values[2]["credibility"], 0.05);
  EXPECT_EQ(values_of(chart_of(document, "rejection")).size(), 2);
  const Document counts = values_of(chart_of(document, "confusion"));
  ASSERT_EQ(counts.size(), 4);
  EXPECT_EQ(counts[2]["truth"], "yes");
  EXPECT_EQ(counts[2]["label"], "no");
  EXPECT_EQ(counts[2]["count"], 1);
  EXPECT_DOUBLE_EQ(counts[2]["share"], 1.0 / 3);
}

TEST(ChartsVsDocument, MethodsTheirClaimsAndDifferences) {
  const Document document = test::comparison_document();
  EXPECT_EQ(values_of(chart_of(document, "methods")).size(), 2 * 3 + 2);
  std::size_t bounds = 0;
  for (const Document& value : values_of(chart_of(document, "claims")))
    bounds += value["kind"] == "its bound" ? 1U : 0U;
  EXPECT_EQ(bounds, 1) << "the vacuous bound of loo is not drawn";
  const Document differences = values_of(chart_of(document, "differences"));
  ASSERT_EQ(differences.size(), 1);
  EXPECT_EQ(differences[0]["lower"], -0.2);
  EXPECT_EQ(differences[0]["upper"], 0.1);
  EXPECT_EQ(values_of(chart_of(document, "time")).size(), 2);
}

TEST(ChartsVsDocument, FieldsOfDecisionRegionsCoverTheGrid) {
  Document document = test::evaluation_document();
  document["decision"] = {{"x", {{"name", "a"}, {"least", 0}, {"most", 2}, {"points", 3}}},
                          {"y", {{"name", "b"}, {"least", 0}, {"most", 2}, {"points", 3}}},
                          {"classes", {"no", "yes"}},
                          {"label", {0, 0, 1, 0, 1, 1, 1, 1, 1}},
                          {"rows", {{{"x", 0.5}, {"y", 1.5}, {"truth", 1}}}}};
  const report::DrawnChart chart = chart_of(document, "decision-regions");
  double area = 0;
  double yes = 0;
  const Document fields = values_of(chart, "fields");
  EXPECT_EQ(fields.size(), 5);
  for (const Document& field : fields) {
    const double own =
        (field["x2"].get<double>() - field["x"].get<double>()) * (field["y2"].get<double>() - field["y"].get<double>());
    area += own;
    yes += field["class"] == "yes" ? own : 0;
  }
  EXPECT_DOUBLE_EQ(area, 9);
  EXPECT_DOUBLE_EQ(yes, 6);
  EXPECT_EQ(values_of(chart).size(), 1);
  EXPECT_EQ(chart.caption.find("colours"), std::string::npos) << chart.caption;
  for (int i = 2; i < 9; ++i) document["decision"]["classes"].push_back(std::to_string(i));
  const std::string caption = chart_of(document, "decision-regions").caption;
  EXPECT_NE(caption.find("8 colours repeat among the 9 classes"), std::string::npos) << caption;
  const Document configuration = Document::parse(report::standing_alone(chart)).at("config");
  EXPECT_EQ(configuration.at("range").at("category").size(), 8U);
}

TEST(ChartsVsDocument, IntervalsAndTheirWidths) {
  const Document document = test::intervals_document();
  const Document widths = values_of(chart_of(document, "interval-widths"));
  ASSERT_EQ(widths.size(), 2);
  EXPECT_TRUE(widths[0]["median"].is_null());
  EXPECT_EQ(widths[1]["median"], 2);
  // The first level has no ends, so the second is drawn.
  const report::DrawnChart chart = chart_of(document, "intervals");
  EXPECT_NE(chart.title.find("eps = 0.2"), std::string::npos) << chart.title;
  const Document values = values_of(chart);
  ASSERT_EQ(values.size(), 2);
  EXPECT_EQ(values[0]["kind"], "target inside");
  EXPECT_EQ(values[1]["kind"], "target outside");
  EXPECT_EQ(values[1]["lower"], 4);
  EXPECT_EQ(values[1]["point"], 7);
  ASSERT_EQ(values_of(chart_of(document, "coverage")).size(), 2);
  for (const Document& value : values_of(chart_of(document, "level-error"))) {
    const bounds::CountInterval band = bounds::split_miss_counts(2, 9, value["eps"].get<double>(), 0.05);
    EXPECT_DOUBLE_EQ(value["upper"], static_cast<double>(band.upper) / 2);
  }
  Document without = document;
  without["calibration"] = nullptr;
  for (Document& row : without["sample"]["rows"]) row["target"] = nullptr;
  const std::vector<report::DrawnChart> charts = charts_of(without);
  ASSERT_EQ(charts.size(), 2U);
  EXPECT_EQ(values_of(charts[1])[1]["kind"], "prediction");
  EXPECT_EQ(values_of(charts[1])[1]["point"], 5);
}

/// No text of a specification that stands for another is left.
TEST(ChartsVsDocument, SpecificationsAreWhole) {
  const std::function<void(const Document&, const std::string&)> check = [&](const Document& json,
                                                                             const std::string& id) {
    if (json.is_string()) EXPECT_FALSE(json.get<std::string>().starts_with('$')) << id << ": " << json;
    if (json.is_structured())
      for (const Document& part : json) check(part, id);
  };
  for (const Document& document : {test::selection_document(), test::evaluation_document(), test::comparison_document(),
                                   test::intervals_document()}) {
    for (const report::DrawnChart& chart : charts_of(document)) {
      const Document specification = Document::parse(chart.specification);
      check(specification, chart.id);
      EXPECT_EQ(specification["description"], chart.alternative);
      EXPECT_FALSE(chart.title.empty() || chart.caption.empty() || chart.alternative.empty()) << chart.id;
      EXPECT_FALSE(chart.rows.empty()) << chart.id;
      for (const auto& row : chart.rows) EXPECT_EQ(row.size(), chart.columns.size()) << chart.id;
    }
  }
}

TEST(ChartsVsDocument, SpecificationFilesHoldNoData) {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(CREDENCE_SOURCE_DIR "/report/charts")) {
    std::ifstream file(entry.path());
    const Document specification = Document::parse(file);
    EXPECT_EQ(specification["$schema"], "https://vega.github.io/schema/vega-lite/v6.json") << entry.path();
    EXPECT_EQ(specification["data"], (Document{{"name", "values"}})) << entry.path();
    EXPECT_FALSE(specification.contains("datasets")) << entry.path();
    ++files;
  }
  EXPECT_GT(files, 10);
}

}  // namespace charts_vs_document_tests
}  // namespace credence
