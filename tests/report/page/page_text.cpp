#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <string>
#include <vector>

#include "credence/core/error.hpp"
#include "credence/core/sha256.hpp"
#include "report/documents.hpp"
#include "report/json.hpp"
#include "report/page/html.hpp"

namespace credence {
namespace page_text_tests {

using test::Document;

const std::string hostile = "</script><script>alert(\"1\")</script><!-- & '";

std::string page_of(const Document& document) {
  return report::page(document.dump(), "result.json");
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

/// The content of each element that begins so.
std::vector<std::string> contents(const std::string& page, const std::string& begin, const std::string& end) {
  std::vector<std::string> found;
  for (std::size_t at = page.find(begin); at != std::string::npos; at = page.find(begin, at + 1)) {
    const std::size_t first = at + begin.size();
    found.push_back(page.substr(first, page.find(end, first) - first));
  }
  return found;
}

TEST(PageText, MarkupIsEscaped) {
  EXPECT_EQ(report::escaped("a<b>&\"'"), "a&lt;b&gt;&amp;&quot;&#39;");
  EXPECT_EQ(report::escaped(std::string("a\0b\x1b", 4)), "a b ");
  EXPECT_EQ(report::for_script("{\"a\":\"</script>&\"}"), "{\"a\":\"\\u003c/script\\u003e\\u0026\"}");
}

TEST(PageText, NamesForPeople) {
  EXPECT_EQ(report::shown_name("benign"), "benign");
  EXPECT_EQ(report::shown_name("a\nb"), "a b");
  EXPECT_EQ(report::shown_name(std::string(10000, 'x')), "\u2068" + std::string(60, 'x') + "…\u2069");
  EXPECT_EQ(report::shown_name("\u05d0\u05d1"), "\u2068\u05d0\u05d1\u2069");
  EXPECT_EQ(report::shown_name("a\u202eb"), "a b") << "a mark that turns the direction of what follows";
  const std::vector<std::string> names{"a\tb", "a b", "", "1"};
  EXPECT_EQ(report::shown_names(names), (std::vector<std::string>{"a b", "a b (2)", "(empty)", "1"}));
}

/// The square of "How good is it?" is the best constant answer, by the score of the chart.
TEST(PageText, TheSquareIsNamedByWhatItStandsFor) {
  if (!report::pages_are_built_in()) GTEST_SKIP() << "report pages are not built in";
  selection::Selection selection = test::selection_result();
  const std::string of_errors = page_of(test::selection_document(selection));
  EXPECT_EQ(count(of_errors, "Square: the error if every row were called &#39;no&#39;."), 1U);
  EXPECT_EQ(count(of_errors, "no model at all"), 0U);
  selection.options.score = selection::Score::balanced_accuracy;
  selection.score = "CV 1 - balanced accuracy";
  selection.honest->score = "1 - balanced accuracy";
  const std::string page = page_of(test::selection_document(selection));
  EXPECT_EQ(count(page, "Square: the balanced accuracy of giving every row the same answer."), 1U);
  EXPECT_GE(count(page, "0.5000 (balanced accuracy of giving every row the same answer)"), 1U);
}

TEST(PageText, HostileNamesStayText) {
  if (!report::pages_are_built_in()) GTEST_SKIP() << "report pages are not built in";
  test::FourRows rows;
  const std::string plain = page_of(rows.document());
  rows.dataset.schema.classes = rows.found.labels.confusion.classes = {hostile, std::string(10000, 'x')};
  rows.found.source = rows.found.model = hostile;
  Document document = rows.document();
  document["command"] = document["source"] = document["model"] = hostile;
  const std::string page = page_of(document);
  for (const char* tag : {"<script", "</script", "<style", "<!--", "<img"})
    EXPECT_EQ(count(page, tag), count(plain, tag)) << tag;
  EXPECT_NE(page.find("&lt;/script&gt;&lt;script&gt;alert(&quot;1&quot;)"), std::string::npos);
  EXPECT_EQ(page.find(std::string(100, 'x')), std::string::npos);
}

TEST(PageText, ThePolicyAllowsWhatThePageHoldsAndNothingElse) {
  if (!report::pages_are_built_in()) GTEST_SKIP() << "report pages are not built in";
  const std::string page = page_of(test::selection_document());
  const std::string policy = contents(page, "<meta http-equiv=\"Content-Security-Policy\" content=\"", "\">").at(0);
  EXPECT_TRUE(policy.starts_with("default-src 'none';"));
  EXPECT_EQ(policy.find("unsafe"), std::string::npos);
  const std::vector<std::string> scripts = contents(page, "<script>", "</script>");
  ASSERT_EQ(scripts.size(), 2);
  for (const std::string& script : scripts)
    EXPECT_NE(policy.find("'sha256-" + core::base64(core::sha256(script)) + "'"), std::string::npos);
  const std::vector<std::string> styles = contents(page, "<style>", "</style>");
  ASSERT_EQ(styles.size(), 1);
  EXPECT_NE(policy.find("style-src 'sha256-" + core::base64(core::sha256(styles[0])) + "'"), std::string::npos);
  EXPECT_EQ(count(policy, "sha256-"), 3);
  for (const char* address : {"src=", "<link", "@import", "url("})
    EXPECT_EQ(count(page.substr(0, page.find("<script>")), address), 0) << address;
  EXPECT_LT(page.size(), 1500000);
}

TEST(PageText, TheDataOfChartsAreTheCharts) {
  if (!report::pages_are_built_in()) GTEST_SKIP() << "report pages are not built in";
  const Document document = test::selection_document();
  const std::string page = page_of(document);
  for (const report::DrawnChart& chart : test::charts_of(document)) {
    const auto found = contents(page, "<script type=\"application/json\" id=\"spec-" + chart.id + "\">", "</script>");
    ASSERT_EQ(found.size(), 1) << chart.id;
    EXPECT_EQ(Document::parse(found[0]), Document::parse(chart.specification));
    EXPECT_NE(page.find("aria-label=\"" + report::escaped(chart.alternative)), std::string::npos);
  }
}

TEST(PageText, VacuousBoundsAreSaidToBeSo) {
  if (!report::pages_are_built_in()) GTEST_SKIP() << "report pages are not built in";
  selection::Selection selection = test::selection_result();
  EXPECT_EQ(page_of(test::selection_document(selection)).find("vacuous"), std::string::npos);
  selection::ErrorEstimation estimation;
  estimation.procedure = "bootstrap, out of bag";
  estimation.judgements.resize(1);
  estimation.judgements[0].rows = 20;
  estimation.bounds = {{"VC", selection::Loss::hard, 0.2, 1.4}};
  selection.found = estimation;
  const std::string page = page_of(test::selection_document(selection));
  EXPECT_NE(page.find("140.00 % (vacuous)"), std::string::npos);
  EXPECT_NE(page.find("A vacuous bound is not below 100 %, and says nothing about the error."), std::string::npos);
}

TEST(PageText, WhatIsNoResultIsRefusedInOneSentence) {
  const auto refused = [](const std::string& text, const std::string& part) {
    try {
      report::charts(text, "r.json");
      ADD_FAILURE() << "not refused: " << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::format);
      EXPECT_EQ(error.location().file, "r.json");
      EXPECT_NE(error.sentence().find(part), std::string::npos) << error.sentence();
    }
  };
  const std::string whole = test::selection_document().dump();
  refused("", "the file is empty");
  refused(whole.substr(0, whole.size() / 2), "cut off");
  refused("<html>", "not JSON: the first error is at byte 1");
  refused(whole + "}", "not JSON");
  refused("[1, 2]", "a result is a JSON object");
  refused("{\"report\": {}}", "the key 'kind' is missing");
  refused("{\"kind\": \"<script>\"}", "the result of the kind '<script>' lacks the block 'report'");
  refused("{\"kind\": \"selection\"}", "lacks the block 'report'");
  refused(std::string(1000, '['), "more than 100 levels deep");
  std::string keys = "{";
  for (int i = 0; i <= 10'000; ++i) keys += "\"" + std::to_string(i) + "\":1,";
  refused(keys + "\"last\":1}", "more than 10,000 keys");
  refused("{\"a\": \"\xff\"}", "not JSON");
  Document newer = test::selection_document();
  newer["version"] = "99.0.0";
  refused(newer.dump(), "Credence 99.0.0 wrote this result");
}

/// Values of other types than a page expects, at every level (of a list, in its first and second item): parts of the
/// page are missing, and nothing fails.
TEST(PageText, OddValuesLeavePartsOut) {
  const auto survives = [](const Document& document, const std::string& where) {
    try {
      report::charts(document.dump(), "r.json");
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::format) << where << ": " << error.what();
    }
  };
  const std::vector<Document> odd{Document(nullptr), Document(-1e300), Document("text"),
                                  Document::array({nullptr, 1, {{"a", 1}}}), Document{{"a", {1}}}};
  for (const Document& document :
       {test::selection_document(), test::evaluation_document(), test::comparison_document()}) {
    const Document flat = document.flatten();
    std::set<std::string> places;
    const std::regex later_item("/([2-9]|[1-9][0-9]+)(/|$)");
    for (const auto& [path, value] : flat.items()) {
      if (std::regex_search(path, later_item)) continue;
      for (Document::json_pointer at(path); !at.empty(); at.pop_back()) places.insert(at.to_string());
    }
    for (const std::string& place : places) {
      if (place == "/kind" || place == "/version") continue;
      for (const Document& value : odd) {
        Document changed = document;
        changed[Document::json_pointer(place)] = value;
        survives(changed, place);
      }
    }
  }
}

}  // namespace page_text_tests
}  // namespace credence
