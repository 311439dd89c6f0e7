#include <gtest/gtest.h>

#include <sstream>

#include "cli/helpers.hpp"
#include "support/command.hpp"

namespace credence {
namespace rvm_models_tests {

using nlohmann::json;
using test::clouds_csv;
using test::Command;
using test::CommandResult;
using test::line_count;
using test::number;
using test::Table;
using test::with;
using test::without;

class RvmModels : public testing::Test {
 protected:
  void SetUp() override {
    command_.folder().write("data.csv", clouds_csv(100, 2, 3));
    command_.folder().write("new.csv", clouds_csv(60, 2, 7));
    command_.folder().write("three.csv", clouds_csv(90, 3, 3));
  }
  CommandResult run(const std::vector<std::string>& words) {
    const CommandResult result = command_.run(words);
    EXPECT_EQ(result.code, 0) << result.err;
    return result;
  }
  std::string predictions(const std::string& data) { return run({"predict", "m", data, "--quiet"}).out; }
  Command command_;
};

TEST_F(RvmModels, TrainSaysWhatTheMachineIs) {
  const CommandResult result = run({"train", "data.csv", "--model", "rvm", "--sigma", "0.5", "-o", "m"});
  for (const char* part :
       {"rbf, sigma = 0.5 (gamma = 2)", "log evidence -", "log validity -", "relevance vector", "iteration"}) {
    EXPECT_NE(result.out.find(part), std::string::npos) << part << '\n' << result.out;
  }
  EXPECT_EQ(result.err, "");
  const std::string by_sigma = predictions("new.csv");
  EXPECT_EQ(line_count(by_sigma), 61U);
  run({"train", "data.csv", "--model", "rvm", "--gamma", "2", "-o", "m"});
  EXPECT_EQ(predictions("new.csv"), by_sigma);
}

TEST_F(RvmModels, TrainOfOneKernelIsTheSelectionsMachine) {
  run({"select", "data.csv", "--method", "kernel-validity", "--sigma", "0.5", "-o", "m", "--quiet"});
  const Table selected(predictions("new.csv"));
  run({"train", "data.csv", "--model", "rvm", "--sigma", "0.5", "-o", "m", "--quiet"});
  const Table trained(predictions("new.csv"));
  ASSERT_EQ(trained.names, selected.names);
  for (std::size_t i = 0; i < trained.rows.size(); ++i) {
    EXPECT_EQ(trained.rows[i].at("decision_value"), selected.rows[i].at("decision_value"));
    // The selection finds the covariance in a second search for the mode.
    EXPECT_NEAR(number(trained.rows[i], "moderated_class 0"), number(selected.rows[i], "moderated_class 0"), 1e-9);
  }
}

TEST_F(RvmModels, SvmsTakeSigmaToo) {
  const CommandResult result = run({"train", "data.csv", "--sigma", "0.5", "-o", "m"});
  EXPECT_NE(result.out.find("sigma = 0.5 (gamma = 2)"), std::string::npos) << result.out;
  const std::string by_sigma = predictions("new.csv");
  run({"train", "data.csv", "--gamma", "2", "-o", "m"});
  EXPECT_EQ(predictions("new.csv"), by_sigma);
}

TEST_F(RvmModels, ThreeClassesHaveALineEach) {
  const CommandResult result = run({"train", "three.csv", "--model", "rvm", "--sigma", "0.5", "-o", "m"});
  for (const char* part : {"class and rest", "\nclass 0", "\nclass 1", "\nclass 2", "log validity"})
    EXPECT_NE(result.out.find(part), std::string::npos) << part << '\n' << result.out;
  EXPECT_EQ(line_count(predictions("three.csv")), 91U);
}

TEST_F(RvmModels, FoldsGiveMarginsForPValues) {
  const CommandResult result =
      run({"train", "data.csv", "--model", "rvm", "--sigma", "0.5", "--folds", "4", "-o", "m"});
  EXPECT_NE(result.out.find("100 out-of-fold"), std::string::npos) << result.out;
  const Table table(predictions("new.csv"));
  for (const auto& row : table.rows) EXPECT_GE(number(row, "credibility"), 1.0 / 101);
}

TEST_F(RvmModels, OtherKernelsAreTrainedToo) {
  for (const char* kernel : {"linear", "polynomial", "sigmoid", "laplacian"}) {
    const CommandResult result = run({"train", "data.csv", "--model", "rvm", "--kernel", kernel, "-o", "m"});
    EXPECT_NE(result.out.find(kernel), std::string::npos) << result.out;
    const bool indexed = std::string(kernel) == "polynomial" || std::string(kernel) == "laplacian";
    EXPECT_EQ(result.out.find("log validity") != std::string::npos, indexed) << result.out;
    EXPECT_EQ(line_count(predictions("new.csv")), 61U);
  }
}

/// One row in ten is of the second class, in the midst of the others: probabilities, but never above a half.
TEST_F(RvmModels, OneClassForAllTrainingRowsIsWarnedAbout) {
  std::ostringstream text;
  core::RandomStream random(5);
  text << "x,label\n";
  for (int i = 0; i < 100; ++i) text << random.normal() * (i % 10 == 0 ? 0.3 : 1) << (i % 10 == 0 ? ",p\n" : ",g\n");
  command_.folder().write("rare.csv", text.str());
  const CommandResult result = run({"train", "rare.csv", "--model", "rvm", "--sigma", "0.2", "-o", "m"});
  EXPECT_NE(result.err.find("the class 'g'\n"), std::string::npos) << result.err << result.out;
  const Table table(predictions("rare.csv"));
  for (const auto& row : table.rows) EXPECT_EQ(row.at("label"), "g");
  const CommandResult chosen = run({"select", "rare.csv", "--method", "evidence", "--sigma", "0.2", "-o", "m"});
  EXPECT_NE(chosen.err.find("the class 'g'"), std::string::npos) << chosen.err;
}

TEST_F(RvmModels, OptionsOfTheSvmSolverAreRefused) {
  const CommandResult result = command_.run(
      {"train", "data.csv", "--model", "rvm", "--sigma", "1", "--tolerance", "0.1", "--max-steps", "7", "-o", "m"});
  EXPECT_EQ(result.code, 2);
  for (const char* option : {"--tolerance", "--max-steps"})
    EXPECT_NE(result.err.find(std::string(option) + ": relevance vector machines do not use it"), std::string::npos)
        << result.err;
}

TEST_F(RvmModels, TheStabilityDoesNotDependOnTheLiteralForm) {
  const std::vector<std::string> options{"train", "data.csv", "--model", "rvm", "--sigma", "1", "-o", "m"};
  const auto stability = [&](const CommandResult& result) {
    const std::size_t end = result.out.find(" for stability");
    return result.out.substr(result.out.rfind("plus ", end), end - result.out.rfind("plus ", end));
  };
  const CommandResult literal = run(with(options, {"--literal"}));
  EXPECT_EQ(stability(literal), stability(run(options))) << literal.out;
  EXPECT_NE(literal.out.find(" for constants"), std::string::npos) << literal.out;
}

TEST_F(RvmModels, ARegressionPrintsItsNoise) {
  std::ostringstream text;
  core::RandomStream random(2);
  text << "x,y\n";
  for (int i = 0; i < 80; ++i) text << i << ',' << (i % 20) * 0.1 + 0.2 * random.normal() << '\n';
  command_.folder().write("numbers.csv", text.str());
  const CommandResult result = run({"train", "numbers.csv", "--task", "regression", "--sigma", "0.05", "-o", "m"});
  EXPECT_NE(result.out.find("\nnoise "), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("1 feature, regression"), std::string::npos) << result.out;
  EXPECT_EQ(line_count(predictions("numbers.csv")), 81U);
  const CommandResult fixed = run({"train", "numbers.csv", "--task", "regression", "--model", "rvm", "--sigma", "0.05",
                                   "--noise", "0.25", "-o", "m"});
  EXPECT_NE(fixed.out.find("deviation 0.25\n"), std::string::npos) << fixed.out;
}

/// At this width no single column helps, and the sequential algorithm stays where it starts.
TEST_F(RvmModels, ANullModelIsWarnedAbout) {
  const CommandResult result =
      run({"train", "data.csv", "--model", "rvm", "--sigma", "100000", "--algorithm", "sequential", "-o", "m"});
  EXPECT_NE(result.err.find("no kernel says anything"), std::string::npos) << result.err;
  const Table table(predictions("new.csv"));
  for (const auto& row : table.rows) EXPECT_EQ(row.at("label"), table.rows.front().at("label"));
}

TEST_F(RvmModels, ConformalPredictorsStandOnTheirMargins) {
  const std::vector<std::string> fit{"conformal", "fit", "data.csv", "--measure", "margin",
                                     "--model",   "rvm", "-o",       "m"};
  for (const std::vector<std::string>& options : {std::vector<std::string>{"--mode", "inductive", "--sigma", "0.5"},
                                                  {"--mode", "cross", "--sigma", "0.5"},
                                                  {"--mode", "inductive", "--select"},
                                                  {"--mode", "inductive", "--select", "--sigma", "0.3,1"}}) {
    const CommandResult result = run(with(fit, options));
    EXPECT_NE(result.out.find("relevance vector machine"), std::string::npos) << result.out;
    EXPECT_NE(result.out.find("minmax"), std::string::npos) << result.out;
    const bool chosen = result.out.find("by kernel validity") != std::string::npos;
    EXPECT_EQ(chosen, options[2] == "--select") << result.out;
    const Table table(run({"predict", "m", "new.csv", "--quiet", "--confidence-level", "0.8"}).out);
    int missed = 0;
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
      const std::string truth = "class " + std::to_string(i % 2);
      missed += table.rows[i].at("set_0.8").find(truth) == std::string::npos ? 1 : 0;
    }
    EXPECT_LT(missed, 30) << result.out;
  }
}

TEST_F(RvmModels, CompareHasTheirRows) {
  const CommandResult result = run({"compare", "data.csv", "--methods",
                                    "cv,cv+rvm,nonconformity+rvm,holdout+rvm,kernel-validity,evidence,"
                                    "kernel-validity+svm",
                                    "--outer-folds", "3", "--folds", "3", "--C", "1,8", "--gamma", "0.1,1", "--sigma",
                                    "0.3,1", "--estimate", "none", "--json", "-"});
  EXPECT_EQ(result.err.find("no effect"), std::string::npos) << result.err;
  const json document = json::parse(result.out);
  ASSERT_EQ(document["methods"].size(), 7U);
  for (const json& method : document["methods"]) {
    const std::string name = method["name"];
    EXPECT_EQ(method["complete_folds"], 3) << name;
    EXPECT_LT(method["mean_error"], 0.4) << name;
    if (name == "nonconformity+rvm") continue;  // keeps all models
    const json& chosen = method["folds"][0]["chosen"];
    EXPECT_EQ(chosen["C"].is_number(), name == "cv" || name == "kernel-validity+svm") << name;
    EXPECT_EQ(chosen.contains("sigma"), name != "cv") << name;
    if (chosen.contains("sigma"))
      EXPECT_TRUE(std::abs(chosen["sigma"].get<double>() - 0.3) < 1e-9 || chosen["sigma"] == 1) << chosen;
    const bool evidence = name.starts_with("kernel-validity") || name == "evidence";
    EXPECT_EQ(chosen.contains("log_validity"), evidence) << name;
    EXPECT_EQ(method["mean_selected_score"].is_null(), evidence) << name;
  }
}

TEST_F(RvmModels, CompareRefusesWhatNoRowTakes) {
  const CommandResult result =
      command_.run({"compare", "data.csv", "--methods", "evidence,cv+rvm", "--outer-folds", "2", "--folds", "2",
                    "--sigma", "1", "--C", "1", "--gamma", "1", "--estimate", "none"});
  for (const char* option : {"--C", "--gamma"})
    EXPECT_NE(result.err.find(std::string(option) + ": none of these methods uses it"), std::string::npos)
        << result.err;
  const CommandResult svm =
      command_.run({"compare", "data.csv", "--methods", "cv", "--outer-folds", "2", "--folds", "2", "--C", "1",
                    "--gamma", "1", "--sigma", "1", "--starts", "2", "--estimate", "none"});
  for (const char* option : {"--sigma", "--starts"})
    EXPECT_NE(svm.err.find(std::string(option) + ": none of these methods uses it"), std::string::npos) << svm.err;
}

TEST_F(RvmModels, TheShippedDataAreLearntFromAFewCentres) {
  const std::string shipped = std::string(CREDENCE_SOURCE_DIR) + "/data/breast_cancer.csv";
  run({"train", shipped, "--model", "rvm", "--sigma", "1", "--centres", "100", "-o", "m"});
  const json document = json::parse(run({"evaluate", "m", shipped, "--json", "-", "--quiet"}).out);
  EXPECT_LT(document["error"], 0.05) << document;
}

}  // namespace rvm_models_tests
}  // namespace credence
