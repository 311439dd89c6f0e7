#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cli/helpers.hpp"
#include "support/command.hpp"

namespace credence {
namespace scores_tests {

using nlohmann::json;
using test::clouds_csv;
using test::Command;
using test::CommandResult;
using test::with;

const std::vector<std::string> quick{"train.csv", "--C", "0.1,1,10", "--gamma", "0.05,0.5"};

class ScoreWords : public testing::Test {
 protected:
  void SetUp() override { command_.folder().write("train.csv", clouds_csv(90, 2, 1)); }
  CommandResult run(const std::string& name, const std::vector<std::string>& more) const {
    return command_.run(with(with({name}, quick), more));
  }
  json document(const std::string& name, const std::vector<std::string>& more) const {
    const CommandResult result = run(name, with({"--json", "-", "--quiet"}, more));
    EXPECT_EQ(result.code, 0) << result.err;
    return json::parse(result.out);
  }
  Command command_;
};

TEST_F(ScoreWords, ReportsSayTheScoreAndDocumentsWhatIsSmall) {
  const std::vector<std::string> options{"--score", "balanced_accuracy", "--folds", "5", "--rule", "best"};
  const json found = document("select", options);
  EXPECT_EQ(found["score"], "CV 1 - balanced accuracy");
  EXPECT_EQ(found["honest"]["score"], "1 - balanced accuracy");
  EXPECT_EQ(found["honest"]["interval"], "percentile");
  ASSERT_EQ(found["best"]["split_scores"].size(), 5U);
  double mean = 0;
  for (const json& score : found["best"]["split_scores"]) mean += score.get<double>() / 5;
  EXPECT_NEAR(found["best"]["error"].get<double>(), 1 - mean, 0.01);
  const std::string text = run("select", options).out;
  const std::string shown = fmt::format("{:.4f}", 1 - found["best"]["error"].get<double>());
  EXPECT_NE(text.find("\nbest score       " + shown), std::string::npos) << text;
  EXPECT_NE(
      text.find(fmt::format("{:.4f} (balanced accuracy), 95 % interval {:.4f} to {:.4f}",
                            1 - found["honest"]["error"].get<double>(), 1 - found["honest"]["upper"].get<double>(),
                            1 - found["honest"]["lower"].get<double>())),
      std::string::npos)
      << text;
}

TEST_F(ScoreWords, LogLossIsShownAsItIs) {
  for (const char* model : {"svm", "rvm"}) {
    std::vector<std::string> options{"select", "train.csv", "--gamma",  "0.5,1",  "--model",
                                     model,    "--score",   "log_loss", "--json", "-"};
    const CommandResult result = command_.run(with(options, {"--quiet"}));
    ASSERT_EQ(result.code, 0) << result.err;
    const json found = json::parse(result.out);
    EXPECT_EQ(found["score"], "CV log loss");
    EXPECT_GT(found["best"]["error"], 0);
    EXPECT_LT(found["best"]["error"], 0.7);
  }
}

/// Costs above 1: the report has them, and what they come to is no share.
TEST_F(ScoreWords, MeanCostIsShownAsItIsWithTheCosts) {
  const std::vector<std::string> options{"--score", "cost", "--cost", "class 0:class 1=50,class 1:class 0=2",
                                         "--rule",  "best"};
  const json found = document("select", options);
  EXPECT_EQ(found["score"], "CV mean cost");
  EXPECT_EQ(found["score_kind"], "cost");
  EXPECT_EQ(found["options"]["cost"], "class 0:class 1=50,class 1:class 0=2");
  EXPECT_EQ(found["honest"]["score"], "mean cost");
  EXPECT_EQ(found["honest"]["score_kind"], "cost");
  EXPECT_EQ(found["honest"]["interval"], "percentile");
  EXPECT_GT(found["honest"]["upper"], 1);
  const std::string text = run("select", options).out;
  EXPECT_NE(text.find(found["options"]["cost"].get<std::string>()), std::string::npos) << text;
  const std::string shown = fmt::format("{:.6g}", found["best"]["error"].get<double>());
  EXPECT_NE(text.find("\nbest score       " + shown), std::string::npos) << text;
  EXPECT_NE(text.find(fmt::format("{:.6g} (mean cost), 95 % interval {:.6g} to {:.6g}",
                                  found["honest"]["error"].get<double>(), found["honest"]["lower"].get<double>(),
                                  found["honest"]["upper"].get<double>())),
            std::string::npos)
      << text;
  command_.folder().write("plan.json", found.dump());
  const CommandResult again = command_.run({"select", "train.csv", "--plan", "plan.json", "--quiet", "--json", "-"});
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(json::parse(again.out)["best"]["error"], found["best"]["error"]);
  EXPECT_EQ(json::parse(again.out)["honest"]["error"], found["honest"]["error"]);
}

TEST_F(ScoreWords, MethodsAreComparedByTheCostsThatTheyShare) {
  const std::vector<std::string> options{"--methods",          "cv,holdout", "--score", "cost",          "--cost",
                                         "class 0:class 1=50", "--folds",    "3",       "--outer-folds", "3"};
  const json found = document("compare", options);
  EXPECT_EQ(found["score"], "mean cost");
  EXPECT_EQ(found["score_kind"], "cost");
  for (const json& method : found["methods"]) EXPECT_EQ(method["options"]["cost"], "class 0:class 1=50");
  EXPECT_NE(run("compare", options).out.find("class 0:class 1=50"), std::string::npos);
}

TEST_F(ScoreWords, ReportSaysTheRule) {
  EXPECT_NE(run("select", {"--rule", "one_se"}).out.find("most regularised"), std::string::npos);
  EXPECT_EQ(run("select", {}).out.find("most regularised"), std::string::npos);
}

/// Members as the documents count them, in every form of the result.
TEST_F(ScoreWords, ReportSaysTheAverage) {
  const CommandResult text = run("select", {"--rule", "average"});
  const json found = document("select", {"--rule", "average"});
  const json& members = found["average"]["members"];
  ASSERT_GT(members.size(), 1U);
  const std::string said = "the average of the " + std::to_string(members.size()) + " best of " +
                           std::to_string(found["grid"].size()) + " settings";
  EXPECT_NE(text.out.find(said), std::string::npos) << text.out;
  const json& best = found["best"];
  for (std::size_t k = 0; k < found["grid"].size(); ++k) {
    const bool near =
        found["grid"][k]["error"].get<double>() <= best["error"].get<double>() + best["error_se"].get<double>();
    EXPECT_EQ(std::ranges::count(members, json(k)), near ? 1 : 0);
  }
  EXPECT_TRUE(document("select", {"--rule", "best"})["average"].is_null());
}

TEST_F(ScoreWords, AveragesAreComparedAsAMethodOfTheirOwn) {
  const json found = document("compare", {"--methods", "cv,cv+average,cv+best", "--folds", "3"});
  EXPECT_EQ(found["methods"][1]["name"], "cv+average");
  EXPECT_EQ(found["methods"][1]["options"]["rule"], "average");
  EXPECT_EQ(found["methods"][0]["options"]["rule"], "average");
  EXPECT_EQ(found["methods"][2]["options"]["rule"], "best");
  const CommandResult refused = command_.run({"compare", "train.csv", "--methods", "rademacher+average"});
  EXPECT_NE(refused.err.find("take a rule"), std::string::npos) << refused.err;
}

TEST_F(ScoreWords, MethodsAreComparedByTheScoreThatTheyShare) {
  const json found = document("compare", {"--methods", "cv,holdout", "--score", "roc_auc", "--folds", "3"});
  EXPECT_EQ(found["score"], "1 - AUC");
  for (const json& method : found["methods"]) {
    double mean = 0;
    for (const json& fold : method["folds"]) mean += fold["loss"].get<double>() / found["outer_folds"].get<double>();
    EXPECT_NEAR(method["mean_error"].get<double>(), mean, 1e-12);
  }
  const CommandResult mixed = run("compare", {"--methods", "cv,bootstrap", "--score", "f1"});
  EXPECT_EQ(mixed.code, 2);
  for (const char* part : {"cv", "F1", "bootstrap", "accuracy"})
    EXPECT_NE(mixed.err.find(part), std::string::npos) << part << mixed.err;
}

TEST_F(ScoreWords, RefusalsAreOneSentence) {
  command_.folder().write("three.csv", clouds_csv(60, 3, 1));
  const CommandResult three = command_.run({"select", "three.csv", "--C", "1", "--gamma", "1", "--score", "roc_auc"});
  EXPECT_EQ(three.code, 2);
  EXPECT_TRUE(three.err.starts_with("credence: three.csv: ")) << three.err;
  EXPECT_NE(run("select", {"--method", "bootstrap", "--score", "f1"}).code, 0);
  const auto refused = [&](const std::vector<std::string>& options, const std::string& part) {
    const CommandResult result = run("select", options);
    EXPECT_EQ(result.code, 2);
    EXPECT_NE(result.err.find(part), std::string::npos) << result.err;
    EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
  };
  refused({"--score", "f1", "--loss", "soft"}, "the F1");
  refused({"--score", "cost"}, "the score cost needs the costs of labels");
}

}  // namespace scores_tests
}  // namespace credence
