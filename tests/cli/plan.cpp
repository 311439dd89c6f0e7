#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/helpers.hpp"
#include "report/plan.hpp"
#include "support/command.hpp"

namespace credence {
namespace plan_tests {

using nlohmann::json;
using test::clouds_csv;
using test::Command;
using test::CommandResult;
using test::line_count;
using test::with;
using test::without;

const std::vector<std::string> small_grid{"--C", "0.5,8", "--gamma", "0.01,scale"};

struct Run {
  const char* name;
  std::vector<std::string> options;
};

const std::vector<Run> runs{
    {"cv", with(small_grid, {"--folds", "4", "--seed", "7", "--kernel", "laplacian"})},
    {"bootstrap", with(small_grid, {"--method", "bootstrap", "--resamples", "6", "--nested", "--union"})},
    {"loo", with(small_grid, {"--method", "loo", "--loss", "soft", "--estimate", "none", "--scale", "minmax"})},
    {"nonconformity", with(small_grid, {"--method", "nonconformity", "--tie", "vote", "--validation", "12"})},
    {"knn", {"--method", "holdout", "--model", "knn", "--k", "5,1", "--refit", "training"}},
    {"nu", {"--nu", "0.2,0.4", "--gamma", "0.1", "--class-weight", "class 0:2.5", "--tolerance", "0.01"}},
    {"rademacher",
     {"--method", "rademacher", "--hint", "0.3", "--kernel", "linear", "--rho", "0.1,1", "--trials", "5", "--no-bias"}},
    {"kernel_validity", {"--method", "kernel-validity", "--sigma", "1,3", "--no-cap", "--null-margin", "0.25"}},
    {"evidence_svm", {"--method", "evidence", "--model", "svm", "--sigma", "1,3", "--C", "1,10", "--folds", "3"}},
    {"reading", with(small_grid, {"--method", "max-margin", "--label", "4", "--header", "yes"})},
};

class Plan : public testing::TestWithParam<Run> {};

json block_and_results(const CommandResult& result) {
  EXPECT_EQ(result.code, 0) << result.err;
  return without(json::parse(result.out), {"seconds", "threads", "options"});
}

TEST_P(Plan, RepeatsTheRunToTheLastBit) {
  const Command command;
  const std::string data = command.folder().write("rows.csv", clouds_csv(60, 2, 3));
  const CommandResult first = command.run(with({"select", data, "--json", "-", "--quiet"}, GetParam().options));
  const std::string plan = command.folder().write("result.json", first.out);
  const CommandResult again = command.run({"select", data, "--plan", plan, "--json", "-", "--quiet"});
  EXPECT_EQ(block_and_results(first), block_and_results(again));
  EXPECT_EQ(json::parse(first.out)["options"], json::parse(again.out)["options"]);
  // The block alone is a plan too.
  const std::string block = command.folder().write("block.json", json::parse(first.out)["options"].dump());
  EXPECT_EQ(block_and_results(first),
            block_and_results(command.run({"select", data, "--plan", block, "--json", "-", "--quiet"})));
}

INSTANTIATE_TEST_SUITE_P(Runs, Plan, testing::ValuesIn(runs), [](const auto& run) { return run.param.name; });

class PlanFile : public testing::Test {
 protected:
  CommandResult select(const std::string& text, const std::vector<std::string>& more = {}) const {
    const std::string plan = command_.folder().write("plan.json", text);
    return command_.run(with({"select", data_, "--plan", plan, "--json", "-", "--quiet"}, more));
  }
  void refuses(const std::string& text, int code, const std::string& sentence) const {
    const CommandResult result = select(text);
    EXPECT_EQ(result.code, code) << text;
    EXPECT_NE(result.err.find(sentence), std::string::npos) << result.err;
    EXPECT_EQ(line_count(result.err), 1U) << result.err;
    EXPECT_TRUE(result.out.empty());
  }

  Command command_;
  std::string data_ = command_.folder().write("rows.csv", clouds_csv(60, 2, 3));
};

TEST_F(PlanFile, FlagsBesideItWin) {
  const std::string plan = R"({"method": "cv", "folds": 4, "C": [1, 2], "gamma": [0.5], "seed": 9})";
  const CommandResult result = select(plan, {"--folds", "3", "--C", "4"});
  ASSERT_EQ(result.code, 0) << result.err;
  const json options = json::parse(result.out)["options"];
  EXPECT_EQ(options["folds"], 3);
  EXPECT_EQ(options["C"], json({4.0}));
  EXPECT_EQ(options["gamma"], json({0.5}));
  EXPECT_EQ(options["seed"], 9);
}

TEST_F(PlanFile, IsRefusedByName) {
  refuses(R"({"method": "cv", "fold": 4})", 2, "fold: there is no option 'fold'");
  refuses(R"({"method": "cv", "resamples": 4})", 2, "resamples: cv with svm models does not use it; bootstrap does");
  refuses(R"({"method": "cv", "folds": "four"})", 2, "folds: 'four' is not a whole number");
  refuses(R"({"method": "cv", "folds": 1})", 2, "folds: 1 is not at least 2");
  refuses(R"({"method": "cv", "C": 4})", 2, "C: '4' is not a list");
  refuses(R"({"method": "cv", "C": [4, "x"]})", 2, "C: 'x' is not a number");
  refuses(R"({"method": "cv", "loss": "sof"})", 2, "loss: 'sof' is not one of hard, soft");
  refuses(R"({"method": "kfold", "folds": 4})", 2, "unknown method 'kfold'");
  refuses(R"({"method": 3})", 2, "method: 3 is not a word");
  refuses(R"({"method": "cv", "seed": {"a": 1}})", 2, "seed: an object is no value");
  refuses("[1, 2]", 4, "this is no plan and no result");
  refuses("{\"method\": \"cv\"", 4, "the file was cut off");
}

TEST_F(PlanFile, MissingIsOneSentence) {
  const CommandResult result = command_.run({"select", data_, "--plan", "nowhere.json"});
  EXPECT_EQ(result.code, 4);
  EXPECT_EQ(line_count(result.err), 1U) << result.err;
}

struct Misfit {
  std::vector<std::string> command;
  std::string option;
  std::string sentence;
};

TEST(OptionsInVain, AreErrorsThatNameWhoLooksAtThem) {
  const Command command;
  const std::string data = command.folder().write("rows.csv", clouds_csv(60, 2, 3));
  const std::vector<Misfit> misfits{
      {{"select", data, "--resamples", "5"}, "--resamples", "bootstrap does"},
      {{"select", data, "--method", "loo", "--folds", "5"},
       "--folds",
       "cv, kfold-nested, kernel-validity, evidence and regions"},
      {{"select", data, "--k", "5"}, "--k", "knn models do"},
      {{"select", data, "--model", "rvm", "--C", "5"}, "--C", "svm models do"},
      {{"select", data, "--model", "rvm", "--tolerance", "0.1"}, "--tolerance", "svm models do"},
      {{"select", data, "--method", "rademacher", "--C", "5"}, "--C", "svm models do"},
      {{"select", data, "--rho", "5"}, "--rho", "rademacher and maximal-discrepancy do"},
      {{"compare", data, "--methods", "cv,loo", "--resamples", "5"}, "--resamples", "bootstrap would"},
      {{"train", data, "-o", "m", "--centres", "5"}, "--centres", "rvm models do"},
      {{"train", data, "-o", "m", "--model", "rvm", "--C", "5"}, "--C", "svm models do"}};
  for (const Misfit& misfit : misfits) {
    const CommandResult result = command.run(misfit.command);
    EXPECT_EQ(result.code, 2) << misfit.option;
    EXPECT_NE(result.err.find(misfit.option + ": "), std::string::npos) << result.err;
    EXPECT_NE(result.err.find(misfit.sentence), std::string::npos) << result.err;
    EXPECT_EQ(line_count(result.err), 1U) << result.err;
  }
}

TEST(SelectHelp, FitsOneScreenAndShowsWhatAMethodLooksAt) {
  const Command command;
  const std::string short_help = command.run({"select", "--help"}).out;
  EXPECT_LE(line_count(short_help), 45U) << short_help;
  for (const char* method : {"cv", "nonconformity", "rademacher", "evidence"})
    EXPECT_NE(short_help.find(std::string("\n  ") + method + " "), std::string::npos) << method;

  const std::string of_method = command.run({"select", "--method", "rademacher", "--help"}).out;
  for (const char* option : {"--trials", "--term", "--rho", "--no-bias", "--hint"})
    EXPECT_NE(of_method.find(option), std::string::npos) << option;
  for (const char* option : {"--resamples", "--C ", "--k ", "--tie"})
    EXPECT_EQ(of_method.find(option), std::string::npos) << option;

  const std::string all = command.run({"select", "--help-all"}).out;
  for (const char* option : {"--trials", "--resamples", "--C ", "--k ", "--tie", "--label", "--memory", "--plan"})
    EXPECT_NE(all.find(option), std::string::npos) << option;
}

}  // namespace plan_tests
}  // namespace credence
