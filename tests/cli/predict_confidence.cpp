#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "credence/core/random.hpp"
#include "helpers.hpp"
#include "support/command.hpp"

namespace credence {
namespace predict_confidence_tests {

using nlohmann::json;
using test::clouds_csv;
using test::Command;
using test::CommandResult;
using test::number;
using test::Table;
using test::with;

const std::vector<std::string> small_grid{"--C", "1,8", "--gamma", "0.05,0.3", "--estimate", "none"};

/// A model that `select` chose on 90 rows, and 60 rows to predict.
class SelectedModel : public testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    command_.folder().write("train.csv", clouds_csv(90, GetParam(), 3));
    command_.folder().write("new.csv", clouds_csv(60, GetParam(), 4));
    selected_ =
        command_.run(with({"select", "train.csv", "-o", "m", "--json", "m.json"}, with(small_grid, test::one_svm)));
    ASSERT_EQ(selected_.code, 0) << selected_.err;
  }
  CommandResult predict(const std::vector<std::string>& more = {}) const {
    const CommandResult result = command_.run(with({"predict", "m", "new.csv"}, more));
    EXPECT_EQ(result.code, 0) << result.err;
    return result;
  }
  std::vector<std::string> p_columns() const {
    std::vector<std::string> names;
    for (int c = 0; c < GetParam(); ++c) names.push_back("p_class " + std::to_string(c));
    return names;
  }
  Command command_;
  CommandResult selected_;
};

TEST_P(SelectedModel, TellsOfItsMargins) {
  const auto document = nlohmann::json::parse(test::read_text(command_.folder().file("m.json")));
  EXPECT_EQ(document["calibration"]["source"], "out-of-fold");
  EXPECT_EQ(document["calibration"]["rows"], 90);
}

TEST_P(SelectedModel, PredictHasTheDocumentedColumns) {
  std::vector<std::string> expected{"row", "label", "decision_value"};
  if (GetParam() == 3) {
    expected = {"row", "label", "decision_value_class 0_vs_class 1", "decision_value_class 0_vs_class 2",
                "decision_value_class 1_vs_class 2"};
  }
  for (const char* name : {"confidence", "credibility", "familiarity", "set_0.95", "set_0.7"})
    expected.emplace_back(name);
  for (const std::string& name : p_columns()) expected.push_back(name);
  EXPECT_EQ(Table(predict({"--confidence-level", "0.95,0.7"}).out).names, expected);
}

TEST_P(SelectedModel, ConfidenceCredibilityAndRegionsFollowFromThePValues) {
  std::map<std::size_t, int> sizes;
  for (const auto& row : Table(predict({"--confidence-level", "0.95,0.7"}).out).rows) {
    std::vector<double> p;
    std::string set;
    std::size_t size = 0;
    for (const std::string& name : p_columns()) {
      p.push_back(number(row, name));
      EXPECT_NEAR(p.back() * 91, std::round(p.back() * 91), 1e-9) << "a count over 90 rows and the new one";
      if (p.back() <= 0.3) continue;
      set += (size++ == 0 ? "" : "|") + name.substr(2);
    }
    EXPECT_EQ(row.at("set_0.7"), set);
    ++sizes[size];
    std::ranges::sort(p, std::greater{});
    EXPECT_DOUBLE_EQ(number(row, "credibility"), p[0]);
    EXPECT_NEAR(number(row, "confidence"), 1 - p[1], 1e-12);
  }
  EXPECT_GT(sizes[1], 0);
  EXPECT_GT(sizes[0] + sizes[2], 0) << "all prediction sets hold one class, so this test shows less than it should";
}

TEST_P(SelectedModel, SaysOnceWhatIsGuaranteed) {
  const std::string said = predict().err;
  EXPECT_EQ(
      said,
      "credence: note: confidence and credibility are not the probability of being right, which --probability "
      "estimates; --review marks the rows most worth a look\n"
      "credence: note: in simulations, a prediction set misses the true class with probability near 1 - confidence "
      "level; nothing is proved, because the calibration rows chose the model too\n");
  EXPECT_EQ(test::line_count(said), 2U);
  EXPECT_EQ(predict({"--quiet"}).err, "");
}

TEST_P(SelectedModel, WarnsOfLevelsBelowTheSmallestPValue) {
  const std::string said = predict({"--confidence-level", "0.99,0.95"}).err;
  for (const char* part : {"credence: warning: ", "0.01099, 1 / (90 + 1)", " 0.99 ", " (9 more rows are needed)\n"})
    EXPECT_NE(said.find(part), std::string::npos) << part << said;
  for (const auto& row : Table(predict({"--confidence-level", "0.99"}).out).rows)
    EXPECT_EQ(std::ranges::count(row.at("set_0.99"), '|'), GetParam() - 1);
  EXPECT_EQ(predict({"--confidence-level", "0.988"}).err.find("warning"), std::string::npos);
  EXPECT_EQ(predict({"--confidence-level", "0.99", "--smoothed"}).err.find("warning"), std::string::npos);
  const std::string apart = predict({"--label-conditional", "--confidence-level", "0.98"}).err;
  const std::string rows = GetParam() == 2 ? "45" : "30";
  for (const std::string& part : {std::string("'class 0'"), "1 / (" + rows + " + 1)", std::string(" 0.98 ")})
    EXPECT_NE(apart.find(part), std::string::npos) << part << apart;
}

TEST_P(SelectedModel, LabelConditionalPValuesAreCountsOverTheClass) {
  const double rows = GetParam() == 2 ? 46 : 31;
  const Table apart(predict({"--label-conditional"}).out);
  const Table together(predict({"--no-label-conditional"}).out);
  EXPECT_EQ(together.rows, Table(predict().out).rows);
  EXPECT_NE(apart.rows, together.rows);
  for (std::size_t i = 0; i < apart.rows.size(); ++i) {
    EXPECT_EQ(apart.rows[i].at("label"), together.rows[i].at("label"));
    for (const std::string& name : p_columns()) {
      const double p = number(apart.rows[i], name);
      EXPECT_NEAR(p * rows, std::round(p * rows), 1e-9);
    }
  }
}

TEST_P(SelectedModel, SmoothedPValuesDependOnTheSeedAndLieBelow) {
  const Table plain(predict().out);
  const std::string smoothed = predict({"--smoothed", "--seed", "5"}).out;
  EXPECT_EQ(predict({"--smoothed", "--seed", "5"}).out, smoothed);
  EXPECT_NE(predict({"--smoothed", "--seed", "6"}).out, smoothed);
  EXPECT_EQ(predict({"--smoothed"}).out, predict({"--smoothed", "--seed", "0"}).out);
  const Table table(smoothed);
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    for (const std::string& name : p_columns()) {
      EXPECT_LE(number(table.rows[i], name), number(plain.rows[i], name));
      EXPECT_GE(number(table.rows[i], name), number(plain.rows[i], name) - 1.0 / 91 - 1e-12);
    }
  }
}

TEST_P(SelectedModel, OfEveryMethodThatKeepsOneModel) {
  const std::map<std::string, std::string> sources{
      {"loo", "left-one-out"}, {"bootstrap", "out-of-bag"}, {"holdout", "held-out"}};
  for (const auto& [method, source] : sources) {
    const CommandResult selected =
        command_.run(with({"select", "train.csv", "--method", method, "-o", "m"}, small_grid));
    ASSERT_EQ(selected.code, 0) << selected.err;
    EXPECT_NE(selected.out.find(" " + source + ", kept with the model"), std::string::npos) << selected.out;
    const CommandResult result = predict();
    EXPECT_NE(result.err.find("near 1 - confidence level"), std::string::npos) << result.err;
    EXPECT_TRUE(Table(result.out).rows.front().contains("set_0.95")) << method;
  }
}

INSTANTIATE_TEST_SUITE_P(Classes, SelectedModel, testing::Values(2, 3));

TEST(TrainedModel, HasPValuesIfItWasCrossFitted) {
  Command command;
  command.folder().write("train.csv", clouds_csv(90, 2, 3));
  const std::vector<std::string> setting{"--C", "8", "--gamma", "0.3", "--tolerance", "0.001"};
  ASSERT_EQ(command.run(with({"train", "train.csv", "-o", "bare"}, setting)).code, 0);
  const CommandResult bare = command.run({"predict", "bare", "train.csv"});
  EXPECT_TRUE(bare.out.starts_with("row,label,decision_value,familiarity\n"));
  EXPECT_NE(bare.err.find("train --folds"), std::string::npos) << bare.err;
  for (const char* option : {"--label-conditional", "--smoothed", "--confidence-level"}) {
    const std::vector<std::string> level(std::string(option) == "--confidence-level" ? 1 : 0, "0.1");
    const CommandResult refused = command.run(with({"predict", "bare", "train.csv", option}, level));
    EXPECT_EQ(refused.code, 2) << option;
    EXPECT_NE(refused.err.find(option), std::string::npos) << refused.err;
  }

  const CommandResult crossed = command.run(with({"train", "train.csv", "--folds", "5", "-o", "crossed"}, setting));
  ASSERT_EQ(crossed.code, 0) << crossed.err;
  const CommandResult result = command.run({"predict", "crossed", "train.csv"});
  EXPECT_NE(result.err.find("nothing is proved"), std::string::npos) << result.err;
  EXPECT_EQ(result.err.find("chose the model"), std::string::npos) << "nothing was chosen: " << result.err;
  // The SVM is the same, and its margins are those that select finds at this setting with as many folds.
  ASSERT_EQ(command.run(with({"select", "train.csv", "--folds", "5", "-o", "selected"}, setting)).code, 0);
  const Table one(result.out);
  const Table other(command.run({"predict", "selected", "train.csv"}).out);
  ASSERT_EQ(one.names, other.names);
  for (std::size_t i = 0; i < one.rows.size(); ++i) {
    EXPECT_EQ(one.rows[i].at("p_class 0"), other.rows[i].at("p_class 0")) << i;
    EXPECT_EQ(one.rows[i].at("p_class 1"), other.rows[i].at("p_class 1")) << i;
  }
}

TEST(TrainedModel, FoldsThatCannotBeAreRefused) {
  Command command;
  command.folder().write("train.csv", clouds_csv(30, 2, 3));
  EXPECT_EQ(command.run({"train", "train.csv", "--folds", "1", "-o", "m"}).code, 2);
  EXPECT_EQ(command.run({"train", "train.csv", "--folds", "-2", "-o", "m"}).code, 2);
  EXPECT_EQ(command.run({"train", "train.csv", "--folds", "31", "-o", "m"}).code, 3);
  EXPECT_FALSE(std::filesystem::exists(command.folder().file("m")));
}

TEST(HeldOut, IsExactOnlyWhereNothingWasChosen) {
  Command command;
  command.folder().write("train.csv", clouds_csv(90, 2, 3));
  const auto said = [&](const std::vector<std::string>& options) {
    const CommandResult selected =
        command.run(with({"select", "train.csv", "--method", "holdout", "--estimate", "none", "-o", "m"}, options));
    EXPECT_EQ(selected.code, 0) << selected.err;
    return command.run({"predict", "m", "train.csv"}).err;
  };
  const std::vector<std::string> one{"--C", "1", "--gamma", "0.3"};
  EXPECT_NE(said(with({"--refit", "training"}, one)).find("at most 1 - confidence level"), std::string::npos);
  EXPECT_NE(said(with({"--refit", "training"}, {"--C", "1,8", "--gamma", "0.3"})).find("nothing is proved"),
            std::string::npos);
  EXPECT_NE(said(one).find("nothing is proved"), std::string::npos);
}

/// Labels that are coins, and a bootstrap's machine that answers nearly the same for every new row. Compared with
/// scores of other machines its prediction sets missed 47.7 % of new rows; machines of folds compare what they
/// themselves said.
TEST(SelectedModels, ThatAreNearlyConstantMissNoMoreThanTheirLevel) {
  Command command;
  const auto coins = [](std::size_t rows, std::uint64_t seed) {
    core::RandomStream random(seed);
    std::string text = "a,b,c,d,label\n";
    for (std::size_t i = 0; i < rows; ++i) {
      for (int j = 0; j < 4; ++j) text += std::to_string(random.uniform()) + ",";
      text += random.below(2) == 0 ? "heads\n" : "tails\n";
    }
    return text;
  };
  command.folder().write("train.csv", coins(317, 1));
  command.folder().write("test.csv", coins(400, 2));
  const CommandResult chosen =
      command.run({"select", "train.csv", "--method", "bootstrap", "--C", "0.5", "--gamma", "8", "-o", "m"});
  ASSERT_EQ(chosen.code, 0);
  const CommandResult judged = command.run({"evaluate", "m", "test.csv", "--confidence-level", "0.9", "--json", "-"});
  EXPECT_LT(json::parse(judged.out)["prediction_sets"][0]["error"].get<double>(), 0.15) << judged.out;
}

TEST(PValueOptions, OfANonconformityModelAreChosenWithSelect) {
  Command command;
  command.folder().write("train.csv", clouds_csv(90, 2, 3));
  ASSERT_EQ(command.run(with({"select", "train.csv", "--method", "nonconformity", "-o", "m"}, small_grid)).code, 0);
  const CommandResult refused = command.run({"predict", "m", "train.csv", "--smoothed"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_NE(refused.err.find("--smoothed"), std::string::npos) << refused.err;
}

}  // namespace predict_confidence_tests
}  // namespace credence
