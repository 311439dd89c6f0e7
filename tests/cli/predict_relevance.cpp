#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "helpers.hpp"
#include "relevance_models.hpp"
#include "support/command.hpp"

namespace credence {
namespace predict_relevance_tests {

using nlohmann::json;
using test::Command;
using test::CommandResult;
using test::Line;
using test::logistic;
using test::moderated;
using test::number;
using test::Table;

constexpr Line line{-1, 3, 0.5, 0.1, 2};
const std::vector<double> columns_x{0, 1, -2, 0.5};
const std::string rows_of_two = "x,c\n0,no\n1,yes\n-2,yes\n0.5,yes\n";
const std::string rows_of_three = "x,c\n0,a\n1,b\n-2,c\n0.5,c\n";

void save_two(const Command& command) {
  io::save_model(test::lines_model(command.folder(), "x,c\n1,no\n2,yes\n", data::Task::classification, {line}),
                 command.folder().file("m"));
}

const std::vector<Line> lines{{0.2, -1, 0.3, 0, 0.1}, {0, 2, 1, 0.2, 0.5}, {-0.5, 0.25, 0.1, 0, 4}};

void save_three(const Command& command) {
  io::save_model(test::lines_model(command.folder(), "x,c\n1,a\n2,b\n3,c\n", data::Task::classification, lines),
                 command.folder().file("m"));
}

TEST(PredictRelevance, TwoClassesByTheFormulas) {
  const Command command;
  save_two(command);
  const CommandResult result = command.run({"predict", "m", "-"}, rows_of_two);
  ASSERT_EQ(result.code, 0) << result.err;
  const Table table(result.out);
  EXPECT_EQ(table.names, (std::vector<std::string>{"row", "label", "decision_value", "probability_no",
                                                   "probability_yes", "moderated_no", "moderated_yes"}));
  ASSERT_EQ(table.rows.size(), columns_x.size());
  for (std::size_t i = 0; i < columns_x.size(); ++i) {
    const double y = line.mean(columns_x[i]);
    EXPECT_EQ(table.rows[i].at("label"), y > 0 ? "yes" : "no");
    EXPECT_NEAR(number(table.rows[i], "decision_value"), y, 1e-14);
    EXPECT_NEAR(number(table.rows[i], "probability_yes"), logistic(y), 1e-14);
    EXPECT_NEAR(number(table.rows[i], "probability_no"), logistic(-y), 1e-14);
    const double v = line.variance(columns_x[i]);
    EXPECT_NEAR(number(table.rows[i], "moderated_yes"), moderated(y, v), 1e-14);
    EXPECT_NEAR(number(table.rows[i], "moderated_no"), moderated(-y, v), 1e-14);
  }
}

TEST(PredictRelevance, MoreClassesAreEachAgainstTheRest) {
  const Command command;
  save_three(command);
  const CommandResult result = command.run({"predict", "m", "-"}, rows_of_three);
  ASSERT_EQ(result.code, 0) << result.err;
  const Table table(result.out);
  EXPECT_EQ(table.names,
            (std::vector<std::string>{"row", "label", "decision_value_a_vs_rest", "decision_value_b_vs_rest",
                                      "decision_value_c_vs_rest", "probability_a", "probability_b", "probability_c",
                                      "moderated_a", "moderated_b", "moderated_c"}));
  for (std::size_t i = 0; i < columns_x.size(); ++i) {
    const double x = columns_x[i];
    double plain_sum = 0;
    double moderated_sum = 0;
    for (const Line& own : lines) {
      plain_sum += logistic(own.mean(x));
      moderated_sum += moderated(own.mean(x), own.variance(x));
    }
    for (std::size_t c = 0; c < lines.size(); ++c) {
      const std::string name(1, static_cast<char>('a' + c));
      const double y = lines[c].mean(x);
      EXPECT_NEAR(number(table.rows[i], fmt::format("decision_value_{}_vs_rest", name)), y, 1e-14);
      EXPECT_NEAR(number(table.rows[i], "probability_" + name), logistic(y) / plain_sum, 1e-14);
      EXPECT_NEAR(number(table.rows[i], "moderated_" + name), moderated(y, lines[c].variance(x)) / moderated_sum,
                  1e-14);
    }
  }
}

TEST(PredictRelevance, NamesOfClassesAreQuoted) {
  const Command command;
  io::save_model(test::lines_model(command.folder(), "x,c\n1,\"a, b\"\n2,c\n", data::Task::classification, {line}),
                 command.folder().file("m"));
  const CommandResult result = command.run({"predict", "m", "-"}, "x\n0\n");
  EXPECT_TRUE(result.out.starts_with("row,label,decision_value,\"probability_a, b\",probability_c,\"moderated_a, b\","))
      << result.out;
}

/// Log loss and Brier score of the columns that predict writes.
struct Score {
  double log_loss = 0;
  double brier = 0;
};
Score score_of(const Table& table, const std::string& prefix, const std::vector<std::string>& classes,
               const std::vector<std::string>& truth) {
  Score score;
  const auto n = static_cast<double>(truth.size());
  for (std::size_t i = 0; i < truth.size(); ++i) {
    score.log_loss -= std::log(number(table.rows[i], prefix + truth[i])) / n;
    for (const std::string& name : classes) {
      const double wrong = number(table.rows[i], prefix + name) - (name == truth[i] ? 1 : 0);
      score.brier += wrong * wrong / n / (classes.size() == 2 ? 2 : 1);
    }
  }
  return score;
}

void expect_scores(const Command& command, const std::string& rows, const std::vector<std::string>& classes,
                   const std::vector<std::string>& truth) {
  const CommandResult evaluated = command.run({"evaluate", "m", "-", "--json", "e.json"}, rows);
  ASSERT_EQ(evaluated.code, 0) << evaluated.err;
  const json document = json::parse(test::read_text(command.folder().file("e.json")));
  const Table table(command.run({"predict", "m", "-"}, rows).out);
  const Score plain = score_of(table, "probability_", classes, truth);
  const Score careful = score_of(table, "moderated_", classes, truth);
  const json& probability = document["probability"];
  EXPECT_NEAR(probability["plain"]["log_loss"].get<double>(), plain.log_loss, 1e-12);
  EXPECT_NEAR(probability["plain"]["brier"].get<double>(), plain.brier, 1e-12);
  EXPECT_NEAR(probability["moderated"]["log_loss"].get<double>(), careful.log_loss, 1e-12);
  EXPECT_NEAR(probability["moderated"]["brier"].get<double>(), careful.brier, 1e-12);
  EXPECT_NE(plain.log_loss, careful.log_loss);
  EXPECT_EQ(document["n"], truth.size());
  for (const char* part : {"log loss", "Brier", "plain", "moderated"})
    EXPECT_NE(evaluated.out.find(part), std::string::npos) << evaluated.out;
}

TEST(EvaluateRelevance, ScoresProbabilitiesOfTwoClasses) {
  const Command command;
  save_two(command);
  expect_scores(command, rows_of_two, {"no", "yes"}, {"no", "yes", "yes", "yes"});
}

TEST(EvaluateRelevance, ScoresProbabilitiesOfMoreClasses) {
  const Command command;
  save_three(command);
  expect_scores(command, rows_of_three, {"a", "b", "c"}, {"a", "b", "c", "c"});
}

TEST(EvaluateRelevance, AnImpossibleClassHasAFiniteLoss) {
  const Command command;
  io::save_model(
      test::lines_model(command.folder(), "x,c\n1,no\n2,yes\n", data::Task::classification, {{0, 1, 0, 0, 0}}),
      command.folder().file("m"));
  const CommandResult result = command.run({"evaluate", "m", "-", "--json", "-", "--quiet"}, "x,c\n1000,no\n");
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_NEAR(json::parse(result.out)["probability"]["plain"]["log_loss"].get<double>(), 15 * std::log(10.0), 1e-9);
}

TEST(EvaluateRelevance, ModelsWithoutProbabilitiesHaveNoScores) {
  const Command command;
  command.folder().write("train.csv", test::clouds_csv(40, 2, 3));
  ASSERT_EQ(command.run({"train", "train.csv", "-o", "m"}).code, 0);
  const CommandResult result = command.run({"evaluate", "m", "train.csv", "--json", "e.json"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out.find("log loss"), std::string::npos);
  EXPECT_FALSE(json::parse(test::read_text(command.folder().file("e.json"))).contains("probability"));
  EXPECT_EQ(command.run({"predict", "m", "train.csv"}).out.find("probability"), std::string::npos);
}

}  // namespace predict_relevance_tests
}  // namespace credence
