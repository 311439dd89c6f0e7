#include <gtest/gtest.h>

#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "credence/model/predictor.hpp"
#include "credence/selection/options.hpp"
#include "report/rows/p_value_words.hpp"
#include "support/temporary_folder.hpp"

/// The sentence of each word of --p-values, against every place that shows it.
namespace credence {
namespace grades_say_one_sentence_tests {

using model::PValues;

TEST(GradesOfPValues, HaveOneSentenceInTerminalOptionsAndDocs) {
  for (const PValues grade : {PValues::cross, PValues::nested, PValues::split}) {
    const std::string sentence = model::sentence_of(grade);
    std::istringstream words(sentence);
    EXPECT_LE(std::distance(std::istream_iterator<std::string>(words), {}), 25) << sentence;
    EXPECT_EQ(
        report::promise_of(grade),
        std::string(core::word(grade)) + ", " + model::grade_of(grade) + ": " + sentence +
            (grade == PValues::cross
                 ? "; with --p-values split it is proved that sets and intervals miss at most as often as allowed, "
                   "on average over the rows set aside, if rows are exchangeable"
                 : ""));
    selection::Options options;
    const std::vector<core::Field> fields = core::fields_of(options);
    EXPECT_NE(core::find_field(fields, "p_values")->sentence.find(sentence), std::string::npos);
    for (const char* page : {"/docs/selection.md", "/docs/confidence.md", "/docs/options.md"})
      EXPECT_NE(test::read_text(CREDENCE_SOURCE_DIR + std::string(page)).find(sentence), std::string::npos) << page;
  }
}

/// Every number in the text that looks like a share.
std::vector<double> shares_in(const std::string& text) {
  std::vector<double> found;
  std::istringstream words(text);
  for (std::string word; words >> word;)
    if (word.find('.') != std::string::npos && word.find_first_not_of("0123456789.,") == std::string::npos)
      found.push_back(std::stod(word));
  return found;
}

/// A bound of 1 or more, and a 0 that comes of rows that are missing, are no figures; from the rows named on there are.
TEST(GradesOfPValues, FewRowsHaveNoFigure) {
  for (std::size_t rows = 1; rows <= 200; ++rows) {
    const std::string split = report::promised_figures(PValues::split, rows, 1);
    EXPECT_EQ(split.find("vacuous at 0.9") != std::string::npos, 1.0 / (static_cast<double>(rows) + 1) > 0.1) << split;
    EXPECT_EQ(split.find("at most 0 "), std::string::npos) << split;
    for (const std::size_t folds : {2U, 3U, 10U, 50U}) {
      const std::string proved = report::promised_figures(PValues::nested, rows, folds);
      const double n = static_cast<double>(rows);
      const double k = static_cast<double>(folds);
      const double bound = 0.2 + 1.8 * (k - 1) / (n + k);
      EXPECT_EQ(proved.find("vacuous at 0.9 with fewer than ") != std::string::npos, bound >= 1) << proved;
      for (const double share : shares_in(proved)) EXPECT_LE(share, 1) << proved;
      if (bound < 1) continue;
      const std::string before = "fewer than ";
      const double named = std::stod(proved.substr(proved.find(before) + before.size()));
      EXPECT_LT(0.2 + 1.8 * (k - 1) / (named + k), 1) << proved;
      EXPECT_GE(0.2 + 1.8 * (k - 1) / (named - 1 + k), 1) << proved;
    }
  }
  EXPECT_EQ(report::promised_figures(PValues::split, 2, 1),
            "the probability of a miss is at most 1 - confidence level on average over runs; vacuous at 0.9, where "
            "nothing is left out without 7 more rows");
}

TEST(GradesOfPValues, AGuaranteeOfFewRowsHasNoFigureAboveOne) {
  for (const std::size_t rows : {1U, 4U, 6U, 10U, 30U})
    for (const bool by_class : {false, true})
      for (const double share : shares_in(report::cross_guarantee({rows, rows}, 10, by_class, by_class)))
        EXPECT_LE(share, 1) << report::cross_guarantee({rows, rows}, 10, by_class, by_class);
  for (const double share : {0.01, 0.1, 0.6})
    for (const double shown : shares_in(report::weighted_cross_guarantee(share, 10, true, true))) EXPECT_LE(shown, 1);
}

TEST(MissLimits, AZeroSaysThatRowsAreMissing) {
  const std::vector<double> levels{0.01, 0.05, 0.2};
  const auto lines_of = [&](const conformal::PValueOptions& options) {
    return report::miss_limit_lines(report::miss_limits({"a", "b"}, {3, 5}, options, levels));
  };
  const std::vector<std::string> together = lines_of({});
  ASSERT_EQ(together.size(), 1U);
  EXPECT_TRUE(together.front().starts_with("up to ")) << together.front();
  EXPECT_TRUE(together.front().ends_with(
      " % of new rows at 0.8 (8 rows, with certainty 95 %), and no row at 0.99 "
      "and 0.95, where nothing is left out (91 more rows are needed at 0.99, 11 more at 0.95)"))
      << together.front();
  const std::vector<std::string> apart = lines_of({.label_conditional = true});
  ASSERT_EQ(apart.size(), 2U);
  EXPECT_EQ(apart.front(),
            "no row of class 'a' at 0.99, 0.95 and 0.8, where nothing is left out (96 more rows "
            "are needed at 0.99, 16 more at 0.95, 1 more at 0.8)");
  EXPECT_TRUE(apart.back().starts_with("up to ")) << apart.back();
}

}  // namespace grades_say_one_sentence_tests
}  // namespace credence
