#include <gtest/gtest.h>

#include <cstddef>
#include <string>

#include "cli/helpers.hpp"
#include "credence/core/random.hpp"
#include "support/command.hpp"

namespace credence {
namespace given_up_tests {

using nlohmann::json;
using test::Command;
using test::CommandResult;

/// Rows of two overlapping classes, three labels of ten wrong, so that machines with a large C memorise them.
std::string noisy_csv(std::size_t rows) {
  core::RandomStream random(1, 707);
  std::string text = "x,y,z,class\n";
  for (std::size_t i = 0; i < rows; ++i) {
    double sum = 0;
    for (int j = 0; j < 3; ++j) {
      const double value = random.normal();
      sum += value;
      text += std::to_string(value) + ',';
    }
    text += (sum > 0) == (random.uniform() < 0.7) ? "a\n" : "b\n";
  }
  return text;
}

TEST(GivenUp, ReportAndJsonNameTheSettings) {
  const Command command;
  command.folder().write("noisy.csv", noisy_csv(1500));
  const std::string data = command.folder().file("noisy.csv");
  const CommandResult run = command.run({"select", data, "--folds", "3", "--gamma", "0.125,0.5,2", "--estimate", "none",
                                         "--give-up", "1", "--json", "-"});
  ASSERT_EQ(run.code, 0) << run.err;
  const json found = json::parse(run.out);
  EXPECT_EQ(found["status"], "complete");
  EXPECT_EQ(found["options"]["give_up"], 1);
  std::size_t count = 0;
  for (const json& setting : found["grid"]) {
    if (!setting.contains("given_up")) continue;
    ++count;
    EXPECT_EQ(setting["given_up"], "step budget");
    EXPECT_TRUE(setting["error"].is_null());
    EXPECT_TRUE(setting["steps"].is_null());
  }
  ASSERT_GT(count, 1U);
  const std::string sentence = std::to_string(count) + " of " + std::to_string(found["grid"].size()) + " settings (";
  EXPECT_NE(found["warnings"].dump().find(sentence), std::string::npos) << found["warnings"];
  EXPECT_NE(run.err.find(sentence), std::string::npos) << run.err;
}

TEST(GivenUp, IsNoOptionOfMethodsThatTrainEachModelOnce) {
  const Command command;
  command.folder().write("noisy.csv", noisy_csv(60));
  const std::string data = command.folder().file("noisy.csv");
  for (const char* method : {"holdout", "holdout-vote", "nonconformity", "max-margin"}) {
    const CommandResult run = command.run({"select", data, "--method", method, "--give-up", "5"});
    EXPECT_EQ(run.code, 2) << method;
    EXPECT_EQ(run.err, "credence: --give-up: " + std::string(method) +
                           " with svm models does not use it; cv, kfold-nested, loo, bootstrap, kernel-validity, "
                           "evidence and regions do\n");
    const CommandResult help = command.run({"select", "--method", method, "--help"});
    EXPECT_EQ(help.out.find("--give-up"), std::string::npos) << method;
  }
  const CommandResult both = command.run({"compare", data, "--methods", "cv,holdout", "--give-up", "5", "--outer-folds",
                                          "2", "--folds", "2", "--C", "1", "--gamma", "1", "--json", "-"});
  ASSERT_EQ(both.code, 0) << both.err;
  const json methods = json::parse(both.out)["methods"];
  EXPECT_EQ(methods[0]["options"]["give_up"], 5);
  EXPECT_FALSE(methods[1]["options"].contains("give_up"));
}

TEST(GivenUp, IsAnOptionOfSvmsWithAKernelThatEvidenceChose) {
  const Command command;
  command.folder().write("noisy.csv", noisy_csv(60));
  const CommandResult run =
      command.run({"select", command.folder().file("noisy.csv"), "--method", "evidence", "--model", "svm", "--sigma",
                   "2", "--C", "1,2", "--give-up", "0", "--json", "-"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(json::parse(run.out)["options"]["give_up"], 0);
}

TEST(GivenUp, APlanNamesItForMethodsThatLookAtIt) {
  const Command command;
  command.folder().write("noisy.csv", noisy_csv(60));
  for (const char* number : {"5", "null"}) {
    command.folder().write("plan.json",
                           std::string(R"({"method": "holdout", "C": [1], "gamma": [1], "give_up": )") + number + "}");
    const CommandResult run =
        command.run({"select", command.folder().file("noisy.csv"), "--plan", command.folder().file("plan.json")});
    EXPECT_NE(run.code, 0);
    EXPECT_NE(run.err.find("give_up: holdout "), std::string::npos) << run.err;
  }
}

TEST(GivenUp, ANegativeNumberIsRefused) {
  const Command command;
  command.folder().write("noisy.csv", noisy_csv(40));
  const CommandResult run = command.run({"select", command.folder().file("noisy.csv"), "--give-up", "-1"});
  EXPECT_NE(run.code, 0);
  EXPECT_NE(run.err.find("give-up"), std::string::npos) << run.err;
}

}  // namespace given_up_tests
}  // namespace credence
