#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "credence/bounds/binomial.hpp"
#include "helpers.hpp"
#include "relevance_models.hpp"
#include "support/command.hpp"

namespace credence {
namespace regression_models_tests {

using nlohmann::json;
using test::Command;
using test::CommandResult;
using test::Line;
using test::number;
using test::Table;
using test::with;

constexpr Line line{0.5, 2, 0.04, -0.01, 0.01};
constexpr double noise = 0.09;

/// A saved regression of x with mean 0.5 + 2 x.
class RegressionModel : public testing::Test {
 protected:
  void SetUp() override {
    io::save_model(test::lines_model(command_.folder(), "x,t\n1,2\n2,5\n", data::Task::regression, {line}, noise),
                   command_.folder().file("m"));
  }
  CommandResult run(const std::vector<std::string>& words, const std::string& input) const {
    return command_.run(words, input);
  }
  CommandResult predict(const std::string& rows, const std::vector<std::string>& more = {}) const {
    return run(with({"predict", "m", "-"}, more), rows);
  }
  CommandResult evaluate(const std::string& rows, const std::vector<std::string>& more = {}) const {
    return run(with({"evaluate", "m", "-"}, more), rows);
  }
  json report(const std::string& rows) const {
    const CommandResult result = evaluate(rows, {"--json", "-", "--quiet"});
    EXPECT_EQ(result.code, 0) << result.err;
    return json::parse(result.out);
  }
  Command command_;
};

TEST_F(RegressionModel, PredictsMeanAndStandardDeviation) {
  const CommandResult result = predict("x\n0\n-3\n1.25\n");
  ASSERT_EQ(result.code, 0) << result.err;
  const Table table(result.out);
  EXPECT_EQ(table.names, (std::vector<std::string>{"row", "mean", "sd"}));
  const std::vector<double> x{0, -3, 1.25};
  ASSERT_EQ(table.rows.size(), x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    EXPECT_EQ(number(table.rows[i], "row"), static_cast<double>(i + 1));
    EXPECT_NEAR(number(table.rows[i], "mean"), line.mean(x[i]), 1e-14);
    EXPECT_NEAR(number(table.rows[i], "sd"), std::sqrt(noise + line.variance(x[i])), 1e-14);
  }
  EXPECT_NE(result.err.find("no p-values"), std::string::npos) << result.err;
}

TEST_F(RegressionModel, PredictionDoesNotNeedOrUseTargets) {
  const std::string expected = predict("x\n0\n1\n").out;
  EXPECT_EQ(predict("t,x\n7,0\n,1\n").out, expected);
  EXPECT_EQ(predict("x,more\n0,a\n1,b\n").out, expected);
  const CommandResult text = predict("x,t\n0,1\n1,soon\n");
  EXPECT_EQ(text.code, 3);
  EXPECT_NE(text.err.find(":3, column 't'"), std::string::npos) << text.err;
  EXPECT_NE(text.err.find("the target \"soon\" is not a number"), std::string::npos) << text.err;
}

TEST_F(RegressionModel, HasNoPValues) {
  for (const std::vector<std::string>& more : {std::vector<std::string>{"--confidence-level", "0.9"},
                                               {"--smoothed"},
                                               {"--label-conditional"},
                                               {"--seed", "3"}}) {
    for (const CommandResult& refused : {predict("x\n0\n", more), evaluate("x,t\n0,1\n", more)}) {
      EXPECT_EQ(refused.code, 2);
      EXPECT_TRUE(refused.out.empty());
      EXPECT_NE(refused.err.find(more[0]), std::string::npos) << refused.err;
    }
  }
}

TEST_F(RegressionModel, EvaluatesByTheFormulas) {
  const std::vector<double> x{0, 1, 2, -1, 0.5};
  const std::vector<double> t{0.4, 3.5, 4.5, -2, 1.6};
  std::string csv = "x,t\n";
  double squares = 0;
  double absolute = 0;
  double density = 0;
  std::size_t covered = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    csv += std::to_string(x[i]) + "," + std::to_string(t[i]) + "\n";
    const double variance = noise + line.variance(x[i]);
    const double error = t[i] - line.mean(x[i]);
    squares += error * error;
    absolute += std::abs(error);
    density -= std::log(std::exp(-error * error / (2 * variance)) / std::sqrt(2 * std::acos(-1.0) * variance));
    if (error * error <= 1.96 * 1.96 * variance) ++covered;
  }
  ASSERT_GT(covered, 0U);
  ASSERT_LT(covered, x.size());
  const json document = report(csv);
  EXPECT_EQ(document["n"], 5);
  EXPECT_NEAR(document["rmse"].get<double>(), std::sqrt(squares / 5), 1e-12);
  EXPECT_NEAR(document["mean_absolute_error"].get<double>(), absolute / 5, 1e-12);
  EXPECT_NEAR(document["mean_negative_log_density"].get<double>(), density / 5, 1e-12);
  // mean t = 1.6; sum of squares 1.44 + 3.61 + 8.41 + 12.96 + 0
  EXPECT_NEAR(document["r_squared"].get<double>(), 1 - squares / 26.42, 1e-12);
  const json& coverage = document["coverage"];
  EXPECT_EQ(coverage["covered"], covered);
  EXPECT_EQ(coverage["share"].get<double>(), static_cast<double>(covered) / 5);
  EXPECT_EQ(coverage["nominal"], 0.95);
  EXPECT_EQ(coverage["half_width"], 1.96);
  const bounds::Interval interval = bounds::clopper_pearson(covered, 5, 0.05);
  EXPECT_EQ(coverage["interval"]["lower"].get<double>(), interval.lower);
  EXPECT_EQ(coverage["interval"]["upper"].get<double>(), interval.upper);
  EXPECT_EQ(coverage["interval"]["method"], "Clopper-Pearson");
  EXPECT_EQ(document["model"], "m");
  EXPECT_FALSE(document.contains("errors"));
}

TEST_F(RegressionModel, TableHasTheSameNumbers) {
  const CommandResult result = evaluate("x,t\n0,0.5\n1,2.5\n2,6.5\n");  // errors 0, 0, 2
  ASSERT_EQ(result.code, 0) << result.err;
  for (const char* part : {"rows        3\n", "root mean squared 1.1547, mean absolute 0.666667\n",
                           "2 of 3 = 66.67 % within 1.96 sd of the mean; exact 95 % interval 9.43 % to 99.16 %"}) {
    EXPECT_NE(result.out.find(part), std::string::npos) << part << '\n' << result.out;
  }
}

TEST_F(RegressionModel, EqualTargetsHaveNoRSquared) {
  EXPECT_TRUE(report("x,t\n0,1\n1,1\n")["r_squared"].is_null());
  EXPECT_NE(evaluate("x,t\n0,1\n").out.find("all targets are equal"), std::string::npos);
}

TEST_F(RegressionModel, EvaluationNeedsEveryTarget) {
  const CommandResult some = evaluate("x,t\n0,1\n1,\n2,3\n");
  EXPECT_EQ(some.code, 3);
  EXPECT_NE(some.err.find("data row 2 has no target"), std::string::npos) << some.err;
  EXPECT_TRUE(some.out.empty());
}

TEST_F(RegressionModel, IsNoLibsvmModel) {
  const CommandResult refused = run({"convert", "m", "out.model"}, "");
  EXPECT_EQ(refused.code, 2);
  EXPECT_NE(refused.err.find("a single SVM"), std::string::npos) << refused.err;
  EXPECT_EQ(test::line_count(refused.err), 1U);
  EXPECT_TRUE(test::read_text(command_.folder().file("out.model")).empty());
}

TEST_F(RegressionModel, ConvertsDataWithTargets) {
  command_.folder().write("rows.csv", "t,x\n0.25,1\n-1e3,0\n");
  for (const std::string out : {"out.csv", "out.svm"}) {
    ASSERT_EQ(run({"convert", "rows.csv", out, "--preprocess", "m"}, "").code, 0);
    const std::string preprocessed = test::read_text(command_.folder().file(out));
    EXPECT_EQ(preprocessed, out == "out.csv" ? "x,target\n1,0.25\n0,-1000\n" : "0.25 1:1\n-1000\n");
    const CommandResult plain = run({"convert", "rows.csv", out, "--task", "regression", "--label", "t"}, "");
    ASSERT_EQ(plain.code, 0) << plain.err;
    EXPECT_EQ(test::read_text(command_.folder().file(out)), preprocessed);
  }
}

TEST(RegressionTask, IsRefusedWhereClassesAreNeeded) {
  const Command command;
  command.folder().write("rows.csv", "x,t\n1,0.5\n2,1.5\n3,2.5\n");
  for (const std::vector<std::string>& words : {std::vector<std::string>{"conformal", "online", "rows.csv"},
                                                {"conformal", "fit", "rows.csv", "-o", "m"},
                                                {"compare", "rows.csv"}}) {
    const CommandResult refused = command.run(with(words, {"--task", "regression"}));
    EXPECT_EQ(refused.code, 2) << words[0] << ' ' << words[1];
    EXPECT_NE(refused.err.find("--task: "), std::string::npos) << refused.err;
    EXPECT_EQ(test::line_count(refused.err), 1U) << refused.err;
  }
}

TEST(RegressionTask, FractionsAreToldOfIt) {
  const Command command;
  std::string csv = "x,t\n";
  for (int i = 0; i < 30; ++i) csv += std::to_string(i) + "," + std::to_string(i) + ".5\n";
  command.folder().write("rows.csv", csv);
  const CommandResult refused = command.run({"select", "rows.csv"});
  EXPECT_EQ(refused.code, 3);
  EXPECT_NE(refused.err.find("--task regression"), std::string::npos) << refused.err;
}

}  // namespace regression_models_tests
}  // namespace credence
