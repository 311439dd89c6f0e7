#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "helpers.hpp"
#include "support/command.hpp"

namespace credence {
namespace predict_probability_tests {

using nlohmann::json;
using test::clouds_csv;
using test::Command;
using test::CommandResult;
using test::number;
using test::Table;
using test::with;

/// A model that keeps out-of-fold scores, and 80 rows to predict.
class ModelWithScores : public testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    command_.folder().write("train.csv", clouds_csv(90, GetParam(), 3));
    command_.folder().write("new.csv", clouds_csv(80, GetParam(), 4));
    const CommandResult trained = command_.run({"train", "train.csv", "--folds", "5", "-o", "m"});
    ASSERT_EQ(trained.code, 0) << trained.err;
  }
  CommandResult run(const std::vector<std::string>& line, int code = 0) const {
    const CommandResult result = command_.run(line);
    EXPECT_EQ(result.code, code) << result.err;
    return result;
  }
  std::vector<std::string> classes() const {
    std::vector<std::string> names;
    for (int c = 0; c < GetParam(); ++c) names.push_back("class " + std::to_string(c));
    return names;
  }
  Command command_;
};

TEST_P(ModelWithScores, PredictHasTheDocumentedColumns) {
  const std::vector<std::string> plain = Table(run({"predict", "m", "new.csv"}).out).names;
  for (const std::string calibration : {"", "sigmoid", "isotonic", "venn_abers"}) {
    std::vector<std::string> line{"predict", "m", "new.csv", "--probability"};
    if (!calibration.empty()) line = with(line, {"--calibration", calibration});
    std::vector<std::string> expected;
    const auto first_of_rest = std::ranges::find(plain, "confidence");
    expected.assign(plain.begin(), first_of_rest);
    for (const std::string& name : classes()) expected.push_back("probability_" + name);
    for (const char* end : {"lower_", "upper_"})
      for (const std::string& name : classes())
        if (calibration == "venn_abers") expected.push_back(std::string("probability_") + end + name);
    expected.insert(expected.end(), first_of_rest, plain.end());
    EXPECT_EQ(Table(run(line).out).names, expected) << calibration;
  }
}

TEST_P(ModelWithScores, TheMostProbableClassIsTheLabel) {
  for (const char* calibration : {"sigmoid", "isotonic", "venn_abers"}) {
    const Table table(run({"predict", "m", "new.csv", "--probability", "--calibration", calibration}).out);
    ASSERT_EQ(table.rows.size(), 80U);
    for (const auto& row : table.rows) {
      double sum = 0;
      for (const std::string& name : classes()) {
        sum += number(row, "probability_" + name);
        if (name != row.at("label"))
          EXPECT_LT(number(row, "probability_" + name), number(row, "probability_" + row.at("label")));
      }
      EXPECT_NEAR(sum, 1, 1e-12);
    }
  }
}

TEST_P(ModelWithScores, OtherColumnsStayAsTheyAre) {
  const Table plain(run({"predict", "m", "new.csv"}).out);
  const Table with_probability(run({"predict", "m", "new.csv", "--probability"}).out);
  for (std::size_t i = 0; i < plain.rows.size(); ++i)
    for (const std::string& name : plain.names) EXPECT_EQ(plain.rows[i].at(name), with_probability.rows[i].at(name));
}

TEST_P(ModelWithScores, EvaluateScoresWhatPredictWrites) {
  for (const std::string calibration : {"sigmoid", "isotonic", "venn_abers"}) {
    const std::vector<std::string> asked{"--probability", "--calibration", calibration};
    const CommandResult evaluated = run(with({"evaluate", "m", "new.csv", "--json", "e.json"}, asked));
    EXPECT_NE(evaluated.out.find(calibration), std::string::npos) << evaluated.out;
    EXPECT_NE(evaluated.err.find("scores of 90 rows"), std::string::npos) << evaluated.err;
    const Table table(run(with({"predict", "m", "new.csv"}, asked)).out);
    double log_loss = 0;
    double brier = 0;
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
      const std::string truth = "class " + std::to_string(i % static_cast<std::size_t>(GetParam()));
      log_loss -= std::log(std::max(number(table.rows[i], "probability_" + truth), 1e-15)) / 80;
      for (const std::string& name : classes()) {
        const double wrong = number(table.rows[i], "probability_" + name) - (name == truth ? 1 : 0);
        brier += wrong * wrong / 80 / (GetParam() == 2 ? 2 : 1);
      }
    }
    const json document = json::parse(test::read_text(command_.folder().file("e.json")))["probability"];
    EXPECT_EQ(document.size(), 1U);
    EXPECT_NEAR(document[calibration]["log_loss"].get<double>(), log_loss, 1e-12);
    EXPECT_NEAR(document[calibration]["brier"].get<double>(), brier, 1e-12);
  }
}

INSTANTIATE_TEST_SUITE_P(TwoAndMoreClasses, ModelWithScores, testing::Values(2, 3));

TEST(Probability, ErrorsAreOneSentence) {
  const Command command;
  command.folder().write("train.csv", clouds_csv(40, 2, 3));
  ASSERT_EQ(command.run({"train", "train.csv", "-o", "m"}).code, 0);
  const auto refuse = [&](const std::vector<std::string>& line, const std::string& words) {
    const CommandResult result = command.run(line);
    EXPECT_EQ(result.code, 2) << result.err;
    EXPECT_NE(result.err.find(words), std::string::npos) << result.err;
  };
  for (const char* part : {"predict", "evaluate"}) {
    refuse({part, "m", "train.csv", "--probability"}, "--probability: the model keeps no scores of rows left out");
    refuse({part, "m", "train.csv", "--calibration", "isotonic"}, "--calibration needs --probability");
    refuse({part, "m", "train.csv", "--probability", "--calibration", "platt"},
           "--calibration: 'platt' is not one of sigmoid, isotonic, venn_abers");
  }
}

}  // namespace predict_probability_tests
}  // namespace credence
