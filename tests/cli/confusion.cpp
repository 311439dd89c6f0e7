#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <tuple>

#include "cli/helpers.hpp"
#include "credence/core/random.hpp"
#include "support/command.hpp"

namespace credence {
namespace confusion_tests {

using nlohmann::json;
using test::Command;
using test::CommandResult;
using test::Table;

/// Overlapping clouds along a line, `each` rows a class; the names have different lengths.
std::string line_csv(int classes, int each, std::uint64_t seed) {
  core::RandomStream random(seed);
  std::ostringstream text;
  text << "x,y,label\n";
  for (int i = 0; i < classes * each; ++i) {
    const int c = i % classes;
    text << c + 0.6 * random.normal() << ',' << random.normal() << ",k" << c << '\n';
  }
  return text.str();
}

class Confusions : public testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    command_.folder().write("train.csv", line_csv(GetParam(), 5, 1));
    command_.folder().write("test.csv", line_csv(GetParam(), 10, 2));
    const CommandResult result = command_.run({"train", "train.csv", "--kernel", "linear", "-o", "m"});
    ASSERT_EQ(result.code, 0) << result.err;
  }
  CommandResult evaluate(const std::vector<std::string>& more = {}) const {
    const CommandResult result = command_.run(test::with({"evaluate", "m", "test.csv"}, more));
    EXPECT_EQ(result.code, 0) << result.err;
    return result;
  }
  /// (truth, prediction) -> rows, from the labels that predict writes.
  std::map<std::pair<std::string, std::string>, int> counted() const {
    const Table predicted(command_.run({"predict", "m", "test.csv"}).out);
    const Table truth(line_csv(GetParam(), 10, 2));
    std::map<std::pair<std::string, std::string>, int> counts;
    for (std::size_t i = 0; i < truth.rows.size(); ++i)
      ++counts[{truth.rows[i].at("label"), predicted.rows[i].at("label")}];
    return counts;
  }
  Command command_;
};

TEST_P(Confusions, CsvAndJsonHoldTheWholeMatrixOfWhatPredictSays) {
  auto counts = counted();
  const json found = json::parse(evaluate({"--json", "-", "--confusion", "matrix.csv", "--quiet"}).out);
  const Table csv(test::read_text(command_.folder().file("matrix.csv")));
  ASSERT_EQ(csv.names.size(), static_cast<std::size_t>(GetParam()) + 1);
  EXPECT_EQ(csv.names[0], "truth");
  for (std::size_t a = 0; a < csv.rows.size(); ++a) {
    EXPECT_EQ(csv.rows[a].at("truth"), found["classes"][a]);
    for (std::size_t b = 0; b < csv.rows.size(); ++b) {
      const std::string predicted = found["classes"][b];
      const int rows = counts[{csv.rows[a].at("truth"), predicted}];
      EXPECT_EQ(csv.rows[a].at(predicted), std::to_string(rows));
      EXPECT_EQ(found["confusion"][a][b], rows);
    }
  }
  EXPECT_EQ(evaluate({"--confusion", "-"}).out, test::read_text(command_.folder().file("matrix.csv")));
}

TEST_P(Confusions, LargestAreThoseOfTheCounts) {
  using Pair = std::tuple<int, std::string, std::string>;
  std::vector<Pair> pairs;
  for (const auto& [names, rows] : counted())
    if (names.first != names.second) pairs.emplace_back(-rows, names.first, names.second);
  ASSERT_GT(pairs.size(), 20U);
  std::sort(pairs.begin(), pairs.end());
  const json found = json::parse(evaluate({"--json", "-", "--quiet"}).out);
  ASSERT_EQ(found["largest_confusions"].size(), 20U);
  for (std::size_t i = 0; i < 20; ++i) {
    const json& pair = found["largest_confusions"][i];
    EXPECT_EQ(pair["n"], -std::get<0>(pairs[i])) << i;
    EXPECT_TRUE(std::find(pairs.begin(), pairs.end(), Pair(-pair["n"].get<int>(), pair["truth"], pair["predicted"])) !=
                pairs.end());
    EXPECT_NEAR(pair["share"].get<double>(), pair["n"].get<double>() / 10, 1e-12);
  }
}

/// Up to 20 classes the matrix is printed; of more a list that does not grow.
TEST_P(Confusions, TextIsTheMatrixOrTheLargest) {
  const std::string text = evaluate().out;
  const bool matrix = text.find("true class as") != std::string::npos;
  const bool list = text.find("The largest confusions") != std::string::npos;
  EXPECT_EQ(matrix, GetParam() <= 20) << text;
  EXPECT_EQ(list, GetParam() > 20) << text;
  EXPECT_LT(test::line_count(text), 60U);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LT(line.size(), 180U);
  if (!list) return;
  const json first = json::parse(evaluate({"--json", "-", "--quiet"}).out)["largest_confusions"][0];
  const std::string pair = first["truth"].get<std::string>() + " " + first["predicted"].get<std::string>();
  EXPECT_NE(test::flat(text).find(" " + pair + " "), std::string::npos) << text;
}

INSTANTIATE_TEST_SUITE_P(Classes, Confusions, testing::Values(20, 21, 40));

/// The command on two classes, of which the rare one is found less often.
class PaperNumbers : public testing::Test {
 protected:
  void SetUp() override {
    command_.folder().write("train.csv", line_csv(2, 40, 1));
    command_.folder().write("test.csv", line_csv(2, 30, 2));
    ASSERT_EQ(command_.run({"select", "train.csv", "--C", "1", "--gamma", "1,2", "-o", "m"}).code, 0);
  }
  Command command_;
};

TEST_F(PaperNumbers, AreSharesOfTheConfusionMatrix) {
  const CommandResult result = command_.run({"evaluate", "m", "test.csv", "--positive", "k0", "--json", "-"});
  ASSERT_EQ(result.code, 0) << result.err;
  const json found = json::parse(result.out);
  const auto counts = found["confusion"].get<std::vector<std::vector<double>>>();
  const json& numbers = found["numbers"];
  EXPECT_EQ(numbers["positive"], "k0");
  EXPECT_EQ(numbers["sensitivity"]["value"], counts[0][0] / (counts[0][0] + counts[0][1]));
  EXPECT_EQ(numbers["specificity"]["value"], counts[1][1] / (counts[1][0] + counts[1][1]));
  EXPECT_EQ(numbers["ppv"]["value"], counts[0][0] / (counts[0][0] + counts[1][0]));
  EXPECT_EQ(numbers["npv"]["value"], counts[1][1] / (counts[0][1] + counts[1][1]));
  EXPECT_EQ(numbers["accuracy"]["interval"]["upper"], 1 - found["interval"]["lower"].get<double>());
  const CommandResult wrong = command_.run({"evaluate", "m", "test.csv", "--positive", "k7"});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_NE(wrong.err.find("--positive: no class 'k7'; the classes are k0, k1"), std::string::npos) << wrong.err;
}

TEST_F(PaperNumbers, OfRowsThatTrainedTheModelHaveNoInterval) {
  const json found = json::parse(command_.run({"evaluate", "m", "train.csv", "--json", "-", "--quiet"}).out);
  EXPECT_TRUE(found["numbers"]["sensitivity"]["interval"].is_null());
  EXPECT_TRUE(found["numbers"]["auc"]["interval"].is_null());
}

TEST_F(PaperNumbers, OfASelectionSayThatTheyAreNotCorrectedForTheChoice) {
  const json found =
      json::parse(command_.run({"select", "train.csv", "--C", "1", "--gamma", "1,2", "--json", "-"}).out);
  EXPECT_NE(found["numbers"]["basis"].get<std::string>().find("not corrected for the choice among 4 settings"),
            std::string::npos);
  EXPECT_TRUE(found["numbers"]["auc"]["interval"].is_null());
  EXPECT_FALSE(found["numbers"].contains("accuracy")) << "the honest estimate is the figure to quote";
}

TEST_F(PaperNumbers, OfOneSettingNeedNoCorrection) {
  const CommandResult told =
      command_.run({"select", "train.csv", "--C", "1", "--gamma", "1", "--scale", "none", "--estimate", "none"});
  EXPECT_NE(told.out.find("nothing was chosen by it, as there is one setting"), std::string::npos) << told.out;
  const json found = json::parse(
      command_.run({"select", "train.csv", "--C", "1", "--gamma", "1", "--scale", "none", "--json", "-"}).out);
  EXPECT_TRUE(found["numbers"]["basis"].get<std::string>().ends_with("each judged by a model that had not seen it."));
  EXPECT_EQ(found.dump().find("optimistic"), std::string::npos);
}

TEST_F(PaperNumbers, StandInASentenceThatQuietPrintsAlone) {
  const CommandResult told = command_.run({"evaluate", "m", "test.csv", "--sentence", "--quiet"});
  ASSERT_EQ(told.code, 0) << told.err;
  EXPECT_EQ(told.out.rfind("On 60 rows that had no part in the training", 0), 0U) << told.out;
  EXPECT_NE(told.out.find("[2] DeLong"), std::string::npos) << told.out;
  const CommandResult chosen = command_.run({"select", "train.csv", "--C", "1", "--sentence", "--quiet"});
  EXPECT_NE(chosen.out.find("(BBC-CV)"), std::string::npos) << chosen.out;
}

TEST(Confusion, RefusesOneOutputForTwoThings) {
  Command command;
  command.folder().write("data.csv", line_csv(2, 20, 1));
  ASSERT_EQ(command.run({"train", "data.csv", "-o", "m"}).code, 0);
  const auto fails = [&](const std::vector<std::string>& more, const std::string& part) {
    const CommandResult result = command.run(test::with({"evaluate", "m", "data.csv"}, more));
    EXPECT_NE(result.code, 0);
    EXPECT_NE(result.err.find(part), std::string::npos) << result.err;
  };
  fails({"--json", "-", "--confusion", "-"}, "cannot both go to standard output");
  fails({"--json", "out", "--confusion", "out"}, "another file of this command");
  fails({"--confusion", "m"}, "another file of this command");
}

TEST(Confusion, NumbersHaveNone) {
  Command command;
  std::ostringstream text;
  text << "x,t\n";
  for (int i = 0; i < 20; ++i) text << i << ',' << 2 * i + i % 3 << '\n';
  command.folder().write("data.csv", text.str());
  const CommandResult trained =
      command.run({"train", "data.csv", "--task", "regression", "--sigma", "5", "--scale", "none", "-o", "m"});
  ASSERT_EQ(trained.code, 0) << trained.err;
  const CommandResult result = command.run({"evaluate", "m", "data.csv", "--confusion", "c.csv"});
  EXPECT_EQ(result.code, 2);
  EXPECT_NE(result.err.find("no confusion matrix"), std::string::npos) << result.err;
}

TEST(Confusion, NamesAreQuotedWhereTheyMustBe) {
  Command command;
  std::string text = line_csv(2, 20, 1);
  for (std::size_t at = 0; (at = text.find("k1", at)) != std::string::npos;) text.replace(at, 2, "\"k,1\"");
  command.folder().write("data.csv", text);
  ASSERT_EQ(command.run({"train", "data.csv", "-o", "m"}).code, 0);
  const std::string csv = command.run({"evaluate", "m", "data.csv", "--confusion", "-", "--quiet"}).out;
  EXPECT_EQ(csv.substr(0, csv.find('\n')), "truth,\"k,1\",k0");
  EXPECT_NE(csv.find("\n\"k,1\","), std::string::npos) << csv;
}

/// Numbers in the order of numbers, and by bytes as soon as one class is a word: in columns, tables and JSON alike.
TEST(Classes, AreSortedAsNumbersIfAllAre) {
  const auto classes = [](const std::string& last) {
    Command command;
    std::ostringstream text;
    text << "x,label\n";
    for (int i = 0; i < 40; ++i) {
      const char* const names[] = {"10", "9", "-2", last.c_str()};
      text << i % 4 + 0.01 * i << ',' << names[i % 4] << '\n';
    }
    command.folder().write("data.csv", text.str());
    EXPECT_EQ(command.run({"train", "data.csv", "--folds", "2", "-o", "m"}).code, 0);
    const CommandResult result = command.run({"evaluate", "m", "data.csv", "--json", "-", "--quiet"});
    const auto names = json::parse(result.out)["classes"].get<std::vector<std::string>>();
    std::string columns;
    for (const std::string& name : names) columns += ",p_" + name;
    const std::string header = command.run({"predict", "m", "data.csv", "--quiet"}).out;
    EXPECT_NE(header.find(columns + "\n"), std::string::npos) << header.substr(0, 200);
    return names;
  };
  EXPECT_EQ(classes("1e1"), (std::vector<std::string>{"-2", "9", "10"}));  // equal numbers are one class
  EXPECT_EQ(classes("+9"), (std::vector<std::string>{"-2", "9", "10"}));
  EXPECT_EQ(classes("11"), (std::vector<std::string>{"-2", "9", "10", "11"}));
  EXPECT_EQ(classes("a"), (std::vector<std::string>{"-2", "10", "9", "a"}));
}

}  // namespace confusion_tests
}  // namespace credence
