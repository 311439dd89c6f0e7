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
#include "report/honest/honest_report.hpp"
#include "report/watch/watch_report.hpp"
#include "support/context.hpp"

namespace credence {
namespace charts_vs_document_tests {

using test::chart_of;
using test::charts_of;
using test::Document;
using test::values_of;

using test::FourRows;
using test::selection_document;
using test::selection_result;
using test::TwoIntervals;

TEST(ChartsVsDocument, TheHeatMapHasEverySettingAndItsMark) {
  const selection::Selection selection = selection_result();
  const report::DrawnChart chart = chart_of(selection_document(selection), "heat-map");
  const Document values = values_of(chart);
  ASSERT_EQ(values.size(), selection.grid.size());
  // By hand: the limit is 0.10 + 0.02.
  const std::vector<std::string> marks{"", "chosen", "close", "close", "", ""};
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(values[i]["x"], selection.grid[i].C);
    EXPECT_EQ(values[i]["y"], selection.grid[i].gamma);
    if (i < 5) EXPECT_EQ(values[i]["value"], selection.grid[i].error);
    EXPECT_EQ(values[i]["mark"], marks[i]) << i;
  }
  EXPECT_TRUE(values[5]["value"].is_null());
  EXPECT_EQ(chart.columns, (std::vector<std::string>{"C", "gamma", "CV error", "standard error", "mark"}));
  EXPECT_EQ(chart.rows[1], (std::vector<std::string>{"2", "0.5", "10.00 %", "2.00 %", "chosen"}));
  EXPECT_EQ(chart.rows[5][2], "–");
}

TEST(ChartsVsDocument, TheHeatMapMarksTheMembersOfAnAverage) {
  selection::Selection selection = selection_result();
  selection.average = selection::SettingAverage{{1, 3}, 0.1, 0.02};
  const Document values = values_of(chart_of(selection_document(selection), "heat-map"));
  // Setting 2 is within one standard error, and takes no part.
  const std::vector<std::string> marks{"", "chosen", "", "close", "", ""};
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_EQ(values[i]["mark"], marks[i]) << i;
}

TEST(ChartsVsDocument, EachKernelAndScalingHasAMapOfTheHeatMap) {
  selection::Selection selection = selection_result();
  const std::vector<selection::Setting> rectangle = selection.grid;
  selection.grid.clear();
  for (const kernel::KernelType kernel : {kernel::KernelType::rbf, kernel::KernelType::laplacian}) {
    for (const data::Scaling scale : {data::Scaling::standard, data::Scaling::quantile}) {
      for (selection::Setting setting : rectangle) {
        setting.kernel = kernel;
        setting.scale = scale;
        selection.grid.push_back(std::move(setting));
      }
    }
  }
  selection.best = 7;
  selection.average = selection::SettingAverage{{1, 7, 20}, 0.1, 0.02};
  const report::DrawnChart chart = chart_of(selection_document(selection), "heat-map");
  const Document values = values_of(chart);
  ASSERT_EQ(values.size(), 24);
  std::map<std::string, std::set<std::string>> rows;  // of each map, from above
  for (std::size_t i = 0; i < values.size(); ++i) {
    rows[values[i]["map"]].insert(values[i]["row"]);
    EXPECT_EQ(values[i]["mark"], i == 7 ? "chosen" : i == 1 || i == 20 ? "close" : "") << i;
  }
  std::string above = "9999";
  const Document headings = values_of(chart, "headings");
  for (const Document& heading : headings) {
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
  selection::Selection selection = selection_result();
  const Document values = values_of(chart_of(selection_document(selection), "scores"));
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

  selection.honest.reset();
  for (const Document& value : values_of(chart_of(selection_document(selection), "scores")))
    EXPECT_NE(value["kind"], "estimate");
}

TEST(ChartsVsDocument, BoundsThatAreVacuousAreNotDrawn) {
  selection::Selection selection = selection_result();
  selection::ErrorEstimation estimation;
  estimation.procedure = "bootstrap, out of bag";
  estimation.judgements.resize(1);
  estimation.judgements[0].rows = 20;
  estimation.bounds = {{"Hoeffding", selection::Loss::hard, 0.2, 0.3}, {"VC", selection::Loss::hard, 0.2, 1.7}};
  selection.found = estimation;
  std::set<double> drawn;
  for (const Document& value : values_of(chart_of(selection_document(selection), "scores")))
    if (value["kind"] == "bound") drawn.insert(value["value"].get<double>());
  EXPECT_EQ(drawn, (std::set<double>{0.3}));
}

TEST(ChartsVsDocument, OneAxisIsACurve) {
  selection::Selection selection = selection_result();
  selection.grid = {test::setting(1, 0.5, 0.2, 0.01), test::setting(2, 0.5, 0.1, 0.02)};
  selection.runner_up = 0;
  const Document values = values_of(chart_of(selection_document(selection), "curve"));
  ASSERT_EQ(values.size(), 2);
  EXPECT_EQ(values[1]["x"], 2);
  EXPECT_DOUBLE_EQ(values[1]["lower"], 0.08);
  EXPECT_DOUBLE_EQ(values[1]["upper"], 0.12);
  EXPECT_EQ(values[1]["mark"], "chosen");
}

TEST(ChartsVsDocument, ErrorAgainstLevelHasTheBandOfNewAndComparedRows) {
  const FourRows rows;
  const Document values = values_of(chart_of(rows.document(), "level-error"));
  ASSERT_EQ(values.size(), 50);
  for (const Document& value : values) {
    const double significance = value["allowed_error"].get<double>();
    const bounds::CountInterval band = bounds::split_miss_counts(4, 38, significance, 0.05);
    EXPECT_DOUBLE_EQ(value["lower"], static_cast<double>(band.lower) / 4);
    EXPECT_DOUBLE_EQ(value["upper"], static_cast<double>(band.upper) / 4);
    // The true classes have the p-values 0.8, 0.4, 0.04 and 1.
    EXPECT_EQ(value["error"], significance < 0.04 ? 0.0 : significance < 0.4 ? 0.25 : 0.5);
  }
}

/// Of online predictors and of models that say nothing of their rows.
TEST(ChartsVsDocument, WithoutComparedRowsTheBandIsBinomial) {
  FourRows rows;
  rows.found.compared_with.clear();
  for (const Document& value : values_of(chart_of(rows.document(), "level-error"))) {
    const bounds::CountInterval band = bounds::central_counts(4, value["allowed_error"].get<double>(), 0.05);
    EXPECT_DOUBLE_EQ(value["upper"], static_cast<double>(band.upper) / 4);
  }
}

/// Classes with rows of their own: the band of the sum, by simulation of 95 of 100 cases.
TEST(ChartsVsSimulation, BandOfLabelConditionalSetsHoldsTheSumOfClasses) {
  const report::Chart chart =
      report::level_error_chart({{0.2, 0.2}}, {.rows = 400, .compared_with = {39, 19}, .of_class = {300, 100}}, "", "");
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
  const double lower = 400 * *chart.data.rows[0][2].number();
  const double upper = 400 * *chart.data.rows[0][3].number();
  for (int draw = 0; draw < draws; ++draw) {
    const int count = missed(8, 39, 300) + missed(4, 19, 100);
    inside += count >= lower && count <= upper ? 1 : 0;
  }
  EXPECT_NEAR(inside / static_cast<double>(draws), 0.95, 0.02);
}

TEST(ChartsVsDocument, SizesOfSetsAreSharesOfAllRows) {
  std::map<double, double> sums;
  const Document values = values_of(chart_of(test::evaluation_document(), "set-sizes"));
  ASSERT_EQ(values.size(), 150);
  for (const Document& value : values) sums[value["allowed_error"].get<double>()] += value["share"].get<double>();
  for (const auto& [significance, sum] : sums) EXPECT_DOUBLE_EQ(sum, 1) << significance;
}

TEST(ChartsVsDocument, RowsOfAnEvaluation) {
  const Document document = test::evaluation_document();
  const Document values = values_of(chart_of(document, "confidence"));
  ASSERT_EQ(values.size(), 4);
  EXPECT_EQ(values[2]["kind"], "wrong label");
  EXPECT_EQ(values[2]["label"], "no");
  EXPECT_EQ(values[2]["truth"], "yes");
  EXPECT_EQ(values[2]["credibility"], 0.05);
  EXPECT_EQ(values_of(chart_of(document, "rejection")).size(), 4);
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
  EXPECT_DOUBLE_EQ(differences[0]["lower"], -0.2);
  EXPECT_DOUBLE_EQ(differences[0]["upper"], 0.1);
  EXPECT_EQ(values_of(chart_of(document, "time")).size(), 2);
}

TEST(ChartsVsDocument, CandidatesOfAChoiceAndTheirDifferences) {
  selection::LossTable losses(40, 3);
  for (std::size_t i = 0; i < losses.rows; ++i)
    for (std::size_t c = 0; c < 3; ++c) losses.row(i)[c] = i % (c + 2) == 0 ? 1 : 0;
  test::Surroundings one;
  const selection::HonestChoice found =
      selection::honest_choice(losses, {"half", "third", "quarter"}, {}, "error", {}, one.context);
  const Document document = Document::parse(report::json_text(report::honest_json(found, "losses.csv")));
  const Document values = values_of(chart_of(document, "candidates"));
  ASSERT_EQ(values.size(), 4);
  EXPECT_EQ(values[0]["method"], "quarter");
  EXPECT_EQ(values[0]["kind"], "chosen, own score");
  EXPECT_EQ(values[0]["value"], 0.25);
  EXPECT_EQ(values[1]["kind"], "chosen, corrected");
  EXPECT_EQ(values[1]["value"], document["honest"]["error"]);
  EXPECT_EQ(values[2]["method"], "third");
  EXPECT_EQ(values[3]["method"], "half");
  const Document differences = values_of(chart_of(document, "differences"));
  ASSERT_EQ(differences.size(), 2);
  EXPECT_EQ(differences[1]["lower"], document["candidates"][0]["lower"]);
  EXPECT_EQ(differences[1]["p"], document["candidates"][0]["p_value"]);
}

TEST(ChartsVsDocument, TheCourseOfTheEvidence) {
  conformal::Evidence evidence(100);
  for (int row = 0; row < 200; ++row) evidence.add(row < 100 ? row % 7 : 10 + row % 7, 0.5);
  const Document document = Document::parse(report::json_text(report::order_json(evidence, {}, "day", "rows.csv")));
  const report::DrawnChart chart = chart_of(document, "evidence-course");
  const Document values = values_of(chart);
  const Document course = document["streams"][0]["course"];
  ASSERT_EQ(values.size(), course.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(values[i]["row"], course[i]["row"]);
    EXPECT_EQ(values[i]["log10"], course[i]["log10_evidence"]);
    EXPECT_EQ(values[i]["limit"], 2);
  }
  EXPECT_NE(chart.alternative.find("an alarm"), std::string::npos) << chart.alternative;
}

TEST(ChartsVsDocument, IntervalsAndTheirWidths) {
  const TwoIntervals two;
  const Document document = two.document();
  const Document widths = values_of(chart_of(document, "interval-widths"));
  ASSERT_EQ(widths.size(), 2);
  EXPECT_TRUE(widths[0]["median"].is_null());
  EXPECT_EQ(widths[1]["median"], 2);
  // The first level has no ends, so the second is drawn.
  const report::DrawnChart chart = chart_of(document, "intervals");
  EXPECT_NE(chart.title.find("confidence level 0.8"), std::string::npos) << chart.title;
  const Document values = values_of(chart);
  ASSERT_EQ(values.size(), 2);
  EXPECT_EQ(values[0]["kind"], "target inside");
  EXPECT_EQ(values[1]["kind"], "target outside");
  EXPECT_EQ(values[1]["lower"], 4);
  EXPECT_EQ(values[1]["point"], 7);
  ASSERT_EQ(values_of(chart_of(document, "coverage")).size(), 2);
  for (const Document& value : values_of(chart_of(document, "level-error"))) {
    const bounds::CountInterval band = bounds::split_miss_counts(2, 9, value["allowed_error"].get<double>(), 0.05);
    EXPECT_DOUBLE_EQ(value["upper"], static_cast<double>(band.upper) / 2);
  }
  TwoIntervals without;
  without.targets.clear();
  without.found.p.clear();
  const std::vector<report::DrawnChart> charts = charts_of(without.document());
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
                                   TwoIntervals().document()}) {
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
