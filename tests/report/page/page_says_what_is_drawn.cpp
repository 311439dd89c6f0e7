#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "report/documents.hpp"
#include "report/reproduction_report.hpp"

/// Captions and legends name marks that are drawn, and no others; scores stand in their own direction; few rows are
/// called doubtful.
namespace credence {
namespace page_says_what_is_drawn_tests {

using test::chart_of;
using test::Document;
using test::values_of;

bool says(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

TEST(PageSaysWhatIsDrawn, MarksOfScores) {
  const std::string caption = chart_of(test::selection_document(), "scores").caption;
  EXPECT_TRUE(says(caption, "Circle"));
  EXPECT_TRUE(says(caption, "Square"));
  EXPECT_FALSE(says(caption, "Triangle")) << "no bound is drawn: " << caption;
}

TEST(PageSaysWhatIsDrawn, MarksOfClaims) {
  selection::Comparison without = test::comparison();
  for (selection::MethodResult& method : without.methods) method.mean_bound.reset();
  const report::DrawnChart chart = chart_of(test::comparison_document(without), "claims");
  EXPECT_FALSE(says(chart.specification, "its bound"));
  EXPECT_FALSE(says(chart.caption, "bound"));
  EXPECT_TRUE(says(chart_of(test::comparison_document(), "claims").specification, "its bound"));
}

/// Tables with the same figures are one chart, and their figures count once.
TEST(PageSaysWhatIsDrawn, FiguresOfAReproductionCountOnce) {
  report::Reproduction found;
  for (const auto& [name, ours] : {std::pair("bupa", 30.5), std::pair("glass", 35.0), std::pair("Overall", 32.0),
                                   std::pair("Overall ex. Haberman", 32.0), std::pair("Overall, same", 32.0)})
    found.figures.push_back({name, "cv", ours, 1, 30});
  const report::Json story = report::story_json(report::reproduction_story(found));
  const Document document{{"kind", "reproduction"}, {"report", Document::parse(report::json_text(story))}};
  EXPECT_EQ(test::charts_of(document).size(), 3U);
  if (!report::pages_are_built_in()) GTEST_SKIP() << "report pages are not built in";
  const std::string page = report::page(document.dump(), "result.json");
  EXPECT_TRUE(says(page, "3 figures of ours stand beside the paper")) << page.substr(0, 3000);
  EXPECT_TRUE(says(page, "; 1 of 3 agree within their spreads."));
}

TEST(PageSaysWhatIsDrawn, AScoreOfAComparisonIsShownItself) {
  selection::Comparison comparison = test::comparison();
  const Document errors = test::comparison_document(comparison);
  const Document before = values_of(chart_of(errors, "methods"));
  const Document test_before = values_of(chart_of(errors, "differences"))[0];
  comparison.score = selection::Score::balanced_accuracy;
  const Document document = test::comparison_document(comparison);
  const Document after = values_of(chart_of(document, "methods"));
  ASSERT_EQ(before.size(), after.size());
  for (std::size_t i = 0; i < before.size(); ++i)
    EXPECT_DOUBLE_EQ(after[i]["value"].get<double>(), 1 - before[i]["value"].get<double>());
  const Document test_after = values_of(chart_of(document, "differences"))[0];
  EXPECT_EQ(test_after["lower"].get<double>(), -test_before["upper"].get<double>());
  EXPECT_EQ(test_after["upper"].get<double>(), -test_before["lower"].get<double>());
  EXPECT_FALSE(says(chart_of(document, "methods").specification, "1 - "));
}

TEST(PageSaysWhatIsDrawn, AScoreOfASelectionIsShownItself) {
  selection::Selection selection = test::selection_result();
  selection.options.score = selection::Score::balanced_accuracy;
  selection.score = "CV 1 - balanced accuracy";
  selection.honest->score = "1 - balanced accuracy";
  const Document document = test::selection_document(selection);
  const Document values = values_of(chart_of(document, "scores"));
  EXPECT_EQ(values[0]["value"], 0.875);
  EXPECT_DOUBLE_EQ(values[0]["lower"].get<double>(), 0.82);
  EXPECT_DOUBLE_EQ(values[0]["upper"].get<double>(), 0.92);
  EXPECT_DOUBLE_EQ(values_of(chart_of(document, "heat-map"))[1]["value"], 0.9);
  const std::string map = chart_of(document, "heat-map").specification;
  EXPECT_TRUE(says(map, "\"reverse\":false")) << "the brighter, the better";
  EXPECT_FALSE(says(map, "\"reverse\":true"));
}

}  // namespace page_says_what_is_drawn_tests
}  // namespace credence
