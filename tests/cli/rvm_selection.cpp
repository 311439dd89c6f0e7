#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "cli/helpers.hpp"
#include "support/command.hpp"

namespace credence {
namespace rvm_selection_tests {

using nlohmann::json;
using test::clouds_csv;
using test::Command;
using test::CommandResult;
using test::line_count;
using test::number;
using test::Table;
using test::with;
using test::without;

/// sin(x) / x from -7 to 7 with noise of standard deviation 0.1.
std::string sinc_csv(int rows, std::uint64_t seed) {
  core::RandomStream random(seed);
  std::ostringstream text;
  text.precision(17);
  text << "x,y\n";
  for (int i = 0; i < rows; ++i) {
    const double x = -7 + 14.0 * i / (rows - 1);
    text << x << ',' << (x == 0 ? 1 : std::sin(x) / x) + 0.1 * random.normal() << '\n';
  }
  return text.str();
}

class RvmSelection : public testing::Test {
 protected:
  void SetUp() override {
    command_.folder().write("data.csv", clouds_csv(90, 2, 3));
    command_.folder().write("three.csv", clouds_csv(90, 3, 3));
    command_.folder().write("sinc.csv", sinc_csv(101, 4));
  }
  CommandResult run(const std::vector<std::string>& words) {
    const CommandResult result = command_.run(words);
    EXPECT_EQ(result.code, 0) << result.err;
    return result;
  }
  json select(const std::string& file, const std::vector<std::string>& options) {
    return json::parse(run(with({"select", file, "--json", "-"}, options)).out);
  }
  Command command_;
};

/// The setting with the largest value of a field, among those that may win.
std::size_t largest(const json& grid, const char* field, bool guarded) {
  std::size_t best = grid.size();
  for (std::size_t i = 0; i < grid.size(); ++i) {
    if (guarded && grid[i]["evidence"]["below_null"]) continue;
    if (best == grid.size() || grid[i]["evidence"][field] > grid[best]["evidence"][field]) best = i;
  }
  return best;
}

TEST_F(RvmSelection, TheIndexChoosesTheLargestOfThePapersWidthsAboveTheNullModel) {
  const json document = select("data.csv", {"--method", "kernel-validity"});
  EXPECT_EQ(document["method"], "kernel-validity");
  EXPECT_EQ(document["learner"], "rvm");
  EXPECT_EQ(document["best"]["kernel"], "rbf");
  EXPECT_EQ(document["best"]["scale"], "minmax");
  EXPECT_EQ(document["task"], "classification");
  const std::vector<double> widths{10, 7, 5, 4, 3, 2, 1, 0.3, 0.1, 0.01};
  // Wider ones than the paper's may have been added before them.
  ASSERT_GE(document["grid"].size(), widths.size());
  const std::size_t added = document["grid"].size() - widths.size();
  for (std::size_t i = 0; i < widths.size(); ++i) {
    const json& setting = document["grid"][added + i];
    EXPECT_FALSE(setting.contains("added"));
    EXPECT_NEAR(setting["sigma"].get<double>(), widths[i], 1e-9);
    EXPECT_NEAR(setting["gamma"].get<double>(), 1 / (2 * widths[i] * widths[i]), 1e-9 * setting["gamma"].get<double>());
    const json& evidence = setting["evidence"];
    EXPECT_NEAR(evidence["log_validity"].get<double>(),
                evidence["log_evidence"].get<double>() + evidence["stability"].get<double>(), 1e-9);
    EXPECT_EQ(evidence["below_null"], evidence["log_evidence"].get<double>() <=
                                          document["kernel_validity"]["null_evidence"].get<double>() + 0.5);
    EXPECT_LE(evidence["relevant"], evidence["kernels"]);
    for (const char* field : {"effective", "largest_weight", "capped", "saddles", "iterations"})
      EXPECT_TRUE(evidence[field].is_number()) << field;
    for (const char* field : {"null_model", "reused"}) EXPECT_TRUE(evidence[field].is_boolean()) << field;
    EXPECT_TRUE(evidence["noise_sd"].is_null());
  }
  EXPECT_EQ(document["best"]["gamma"], document["grid"][largest(document["grid"], "log_validity", true)]["gamma"]);
  EXPECT_EQ(document["kernel_validity"]["criterion"], "kernel validity");
  EXPECT_EQ(document["kernel_validity"]["candidates"], 90);
  EXPECT_TRUE(document["kernel_validity"]["guarded"]);
}

TEST_F(RvmSelection, TheTableHasEveryWidthAscendingAndMarksTheChosenOne) {
  const CommandResult result = run({"select", "data.csv", "--method", "kernel-validity", "--sigma", "3,0.3,1"});
  std::istringstream lines(result.out);
  std::vector<double> widths;
  int marked = 0;
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line.find("effective:") != std::string::npos) inside = false;
    if (inside) {
      widths.push_back(std::stod(line.substr(2)));
      marked += line.front() == '*' ? 1 : 0;
    }
    if (line.find("  log validity  ") != std::string::npos) inside = true;
  }
  EXPECT_EQ(widths, (std::vector<double>{0.3, 1, 3})) << result.out;
  EXPECT_EQ(marked, 1) << result.out;
  EXPECT_NE(test::flat(result.out).find("not an estimate of the error"), std::string::npos) << result.out;
  const std::size_t baseline = result.out.find("baseline");
  EXPECT_EQ(result.out.find(" %"), result.out.find(" %", baseline)) << "no share but that of the commonest class";
  EXPECT_EQ(result.out.find(" %", result.out.find('\n', baseline)), std::string::npos) << result.out;
}

TEST_F(RvmSelection, EvidenceAloneChoosesTheLargestEvidence) {
  const json document = select("data.csv", {"--method", "evidence"});
  EXPECT_TRUE(document["kernel_validity"]["guarded"]);
  EXPECT_EQ(document["kernel_validity"]["criterion"], "evidence");
  EXPECT_EQ(document["best"]["gamma"], document["grid"][largest(document["grid"], "log_evidence", false)]["gamma"]);
}

TEST_F(RvmSelection, KernelsWithoutAnIndexHaveTheirEvidence) {
  const json document = select("data.csv", {"--method", "evidence", "--kernel", "linear"});
  ASSERT_EQ(document["grid"].size(), 1U);
  EXPECT_TRUE(document["grid"][0]["evidence"]["log_validity"].is_null());
  EXPECT_TRUE(document["best"]["gamma"].is_null());
  const CommandResult result = run({"select", "data.csv", "--method", "evidence", "--kernel", "linear"});
  EXPECT_NE(result.out.find("chosen           linear, "), std::string::npos) << result.out;
}

TEST_F(RvmSelection, SigmaIsAnotherSpellingOfGamma) {
  const std::vector<std::string> method{"--method", "kernel-validity"};
  EXPECT_EQ(select("data.csv", with(method, {"--sigma", "0.5,1"}))["grid"],
            select("data.csv", with(method, {"--gamma", "0.5,2"}))["grid"]);
  const json svm = select("data.csv", {"--sigma", "0.5,1", "--C", "1", "--folds", "3", "--scale", "standard"});
  json plain = select("data.csv", {"--gamma", "0.5,2", "--C", "1", "--folds", "3", "--scale", "standard"});
  ASSERT_EQ(svm["grid"].size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(svm["grid"][i]["error"], plain["grid"][i]["error"]);
    EXPECT_EQ(svm["grid"][i]["sigma"], i == 0 ? 1 : 0.5);
    EXPECT_FALSE(plain["grid"][i].contains("sigma"));
  }
  const CommandResult result = run({"select", "data.csv", "--sigma", "0.5,1", "--C", "1,2", "--folds", "3"});
  EXPECT_NE(result.out.find(", sigma = "), std::string::npos) << result.out;
}

TEST_F(RvmSelection, TheLiteralIndexLacksTheConstantOfEveryColumn) {
  const std::vector<std::string> options{"--method", "kernel-validity", "--sigma", "1"};
  const json settled = select("data.csv", options)["grid"][0]["evidence"];
  const json literal = select("data.csv", with(options, {"--literal"}))["grid"][0]["evidence"];
  const double columns = (settled["log_validity"].get<double>() - literal["log_validity"].get<double>()) /
                         (0.5 * std::log(2 * std::acos(-1.0)));
  const double kernels = settled["kernels"].get<double>();
  EXPECT_TRUE(std::abs(columns - kernels) < 1e-6 || std::abs(columns - kernels - 1) < 1e-6) << columns;
}

TEST_F(RvmSelection, OptionsOfTheFitReachIt) {
  const std::vector<std::string> options{"--method", "kernel-validity", "--sigma", "0.3"};
  const json usual = select("data.csv", options);
  const json few = select("data.csv", with(options, {"--centres", "7"}));
  EXPECT_EQ(few["kernel_validity"]["candidates"], 7);
  EXPECT_LE(few["grid"][0]["evidence"]["kernels"], 7);
  const json sequential = select("data.csv", with(options, {"--algorithm", "sequential"}));
  EXPECT_NE(sequential["grid"][0]["evidence"]["log_evidence"], usual["grid"][0]["evidence"]["log_evidence"]);
  EXPECT_EQ(sequential["options"]["algorithm"], "sequential");
  const json starts = select("data.csv", with(options, {"--starts", "3"}));
  EXPECT_GE(starts["grid"][0]["evidence"]["log_evidence"], usual["grid"][0]["evidence"]["log_evidence"]);
  const json uncapped = select("data.csv", with(options, {"--no-cap"}));
  EXPECT_EQ(uncapped["grid"][0]["evidence"]["capped"], 0);
  EXPECT_FALSE(uncapped["kernel_validity"]["cap"]);
  const json wide = select("data.csv", with(options, {"--null-margin", "1000000"}));
  EXPECT_TRUE(wide["kernel_validity"]["all_below_null"]);
  EXPECT_EQ(wide["kernel_validity"]["null_margin"], 1e6);
}

TEST_F(RvmSelection, TheChosenMachineIsSavedAndPredictsProbabilities) {
  run({"select", "data.csv", "--method", "kernel-validity", "-o", "m", "--quiet"});
  const Table table(run({"predict", "m", "data.csv", "--quiet"}).out);
  ASSERT_EQ(table.rows.size(), 90U);
  int wrong = 0;
  for (std::size_t i = 0; i < table.rows.size(); ++i)
    wrong += table.rows[i].at("label") != "class " + std::to_string(i % 2);
  EXPECT_LT(wrong, 20);
}

TEST_F(RvmSelection, OneMachineForEachOfThreeClasses) {
  const json document = select("three.csv", {"--method", "kernel-validity", "--sigma", "0.3,1", "-o", "m"});
  EXPECT_EQ(document["classes"].size(), 3U);
  EXPECT_EQ(line_count(run({"predict", "m", "three.csv", "--quiet"}).out), 91U);
}

TEST_F(RvmSelection, AnSvmWithTheChosenKernelHasItsCostByCrossValidation) {
  const std::vector<std::string> options{"--method", "kernel-validity", "--model", "svm", "--sigma", "0.3,1",
                                         "--C",      "0.5,8",           "--folds", "3"};
  const json document = select("data.csv", with(options, {"-o", "m"}));
  EXPECT_EQ(document["learner"], "svm");
  EXPECT_TRUE(document["best"]["C"] == 0.5 || document["best"]["C"] == 8) << document["best"];
  const json alone = select("data.csv", {"--method", "kernel-validity", "--sigma", "0.3,1"});
  EXPECT_EQ(document["best"]["sigma"], alone["best"]["sigma"]);
  EXPECT_EQ(document["options"]["folds"], 3);
  EXPECT_EQ(run(with({"select", "data.csv"}, options)).out.find("SMO"), std::string::npos);
  EXPECT_EQ(line_count(run({"predict", "m", "data.csv", "--quiet"}).out), 91U);
}

TEST_F(RvmSelection, CrossValidationCountsErrorsAndKeepsMargins) {
  const std::vector<std::string> options{"--model", "rvm", "--sigma", "0.3,1,3", "--folds", "4"};
  const json document = select("data.csv", with(options, {"-o", "m"}));
  EXPECT_EQ(document["score"], "CV error");
  EXPECT_EQ(document["calibration"]["rows"], 90);
  double least = 1;
  for (const json& setting : document["grid"]) {
    least = std::min(least, setting["error"].get<double>());
    EXPECT_TRUE(setting["C"].is_null());
    EXPECT_FALSE(setting.contains("evidence"));
    EXPECT_GT(setting["n_sv"], 0);
  }
  EXPECT_EQ(document["best"]["error"], least);
  const CommandResult result = run(with({"select", "data.csv"}, options));
  for (const char* part : {"CV error", "honest estimate", "relevance vector machines", "kernels"})
    EXPECT_NE(result.out.find(part), std::string::npos) << part << '\n' << result.out;
  EXPECT_EQ(result.out.find("support"), std::string::npos) << result.out;
  const Table table(run({"predict", "m", "data.csv", "--quiet"}).out);
  for (const auto& row : table.rows) EXPECT_GT(number(row, "credibility"), 0);
}

TEST_F(RvmSelection, EveryOtherMethodThatHoldsRowsOutTakesThem) {
  for (const char* method : {"bootstrap", "holdout", "holdout-vote", "max-margin", "nonconformity"}) {
    std::vector<std::string> options{"--method", method, "--model", "rvm", "--sigma", "0.3,1"};
    if (method == std::string("bootstrap")) options.insert(options.end(), {"--resamples", "3"});
    const json document = select("data.csv", with(options, {"-o", "m"}));
    EXPECT_EQ(document["learner"], "rvm") << method;
    EXPECT_EQ(document["grid"].size(), 2U) << method;
    EXPECT_EQ(line_count(run({"predict", "m", "data.csv", "--quiet"}).out), 91U) << method;
  }
}

TEST_F(RvmSelection, OptionsOfOtherModelsAreRefused) {
  const CommandResult result =
      command_.run({"select", "data.csv", "--model", "rvm", "--method", "kernel-validity", "--sigma", "1", "--C", "1",
                    "--folds", "3", "--validation", "10", "--resamples", "5"});
  for (const char* option : {"--C", "--validation", "--resamples"})
    EXPECT_NE(result.err.find(std::string(option) + ": kernel-validity with rvm models does not use it"),
              std::string::npos)
        << option << result.err;
  EXPECT_EQ(result.err.find("--folds:"), std::string::npos) << "they leave rows out for margins: " << result.err;
  const CommandResult svm = command_.run({"select", "data.csv", "--C", "1", "--gamma", "1", "--folds", "3", "--starts",
                                          "2", "--literal", "--no-cap", "--no-guard", "--centres", "5"});
  for (const char* option : {"--starts", "--literal", "--no-cap", "--no-guard", "--centres"})
    EXPECT_NE(svm.err.find(std::string(option) + ": cv with svm models does not use it"), std::string::npos)
        << option << svm.err;
}

TEST_F(RvmSelection, EveryOptionThatIsNotLookedAtIsRefused) {
  const auto refused = [&](const std::vector<std::string>& options, const std::vector<std::string>& expected) {
    const CommandResult result = command_.run(with({"select", "data.csv", "--sigma", "1"}, options));
    EXPECT_EQ(result.code, 2);
    for (const std::string& option : expected)
      EXPECT_NE(result.err.find(option + ": "), std::string::npos) << option << result.err;
    EXPECT_NE(result.err.find("does not use it"), std::string::npos) << result.err;
  };
  refused({"--method", "kernel-validity", "--loss", "soft", "--margin", "geometric", "--tolerance", "0.1",
           "--max-steps", "9"},
          {"--loss", "--margin", "--tolerance", "--max-steps"});
  refused({"--model", "rvm", "--folds", "2", "--no-guard", "--literal", "--no-cap", "--C", "1"},
          {"--no-guard", "--literal", "--no-cap", "--C"});
  refused({"--method", "evidence", "--no-guard", "--literal", "--no-cap"}, {"--no-guard", "--literal", "--no-cap"});
  const CommandResult scope =
      command_.run({"select", "data.csv", "--method", "kernel-validity", "--sigma", "1", "--scale-scope", "all"});
  EXPECT_EQ(scope.code, 2);
  EXPECT_NE(scope.err.find("scale_scope"), std::string::npos) << scope.err;
  EXPECT_EQ(run({"select", "data.csv", "--sigma", "1", "--C", "1", "--folds", "2", "--tolerance", "0.01"}).err, "");
}

/// K = (gamma x.z)^3: gamma only rescales the columns, and so the weights.
TEST_F(RvmSelection, APolynomialWithoutCoef0HasOneGamma) {
  const std::vector<std::string> options{"--method", "kernel-validity", "--kernel", "polynomial"};
  EXPECT_EQ(select("data.csv", options)["grid"].size(), 1U);
  EXPECT_GT(select("data.csv", with(options, {"--coef0", "1"}))["grid"].size(), 1U);
  const CommandResult result = run(with({"select", "data.csv", "--gamma", "0.5,1,2"}, options));
  EXPECT_EQ(result.out.find("border"), std::string::npos) << result.out;
  const json three = select("data.csv", with(options, {"--gamma", "0.5,1,2"}));
  ASSERT_EQ(three["grid"].size(), 3U);
  EXPECT_NEAR(three["grid"][0]["evidence"]["log_validity"].get<double>(),
              three["grid"][2]["evidence"]["log_validity"].get<double>(), 1e-3);
}

TEST_F(RvmSelection, ThereIsNoBootstrapCorrectionWhereNoRowIsHeldOut) {
  for (const char* method : {"kernel-validity", "evidence"}) {
    const json document = select("data.csv", {"--method", method, "--sigma", "1"});
    EXPECT_TRUE(document["honest"].is_null()) << method;
  }
  EXPECT_EQ(select("data.csv", {"--model", "rvm", "--sigma", "1", "--folds", "2"})["options"]["estimate"], "bbc");
}

TEST_F(RvmSelection, TheLegendSpeaksOfSomeOfSeveralMachines) {
  const std::vector<std::string> options{"--method", "kernel-validity", "--sigma",
                                         "100000",   "--algorithm",     "sequential"};
  const CommandResult three = run(with({"select", "three.csv"}, options));
  EXPECT_NE(three.out.find(" (of some RVM)\n"), std::string::npos) << three.out;
  const CommandResult two = run(with({"select", "data.csv"}, options));
  EXPECT_NE(two.out.find("or a constant\n"), std::string::npos) << two.out;
  EXPECT_EQ(two.out.find("-0.00"), std::string::npos) << two.out;
}

/// Noise-free rows and a kernel that sees but one of them: the noise goes to its floor.
TEST_F(RvmSelection, AMachineThatRepeatsItsTargetsIsFlaggedAndNotMadeNarrower) {
  std::ostringstream text;
  text << "x,y\n";
  for (int i = 0; i < 30; ++i) text << i << ',' << (i * 7) % 11 << '\n';
  command_.folder().write("exact.csv", text.str());
  const std::vector<std::string> options{"--task", "regression", "--method", "evidence", "--sigma", "0.005,0.01"};
  const json document = select("exact.csv", options);
  EXPECT_TRUE(document["grid"][0]["evidence"]["memorised"]) << document["grid"];
  EXPECT_TRUE(document["memorised"]);
  const CommandResult result = run(with({"select", "exact.csv"}, options));
  EXPECT_NE(result.out.find("\nmemorised: "), std::string::npos) << result.out;
  EXPECT_EQ(result.out.find("smaller --sigma"), std::string::npos) << result.out;
  const CommandResult trained = run({"train", "exact.csv", "--task", "regression", "--sigma", "0.005", "-o", "m"});
  EXPECT_NE(trained.err.find("repeats its training"), std::string::npos) << trained.err;
  EXPECT_FALSE(select("sinc.csv", {"--task", "regression", "--method", "evidence", "--sigma", "0.2"})["memorised"]);
}

TEST_F(RvmSelection, ARegressionIsChosenByTheIndex) {
  const std::vector<std::string> options{"--task",          "regression", "--method",
                                         "kernel-validity", "--sigma",    "0.02,0.05,0.1,0.2"};
  const json document = select("sinc.csv", with(options, {"-o", "m"}));
  EXPECT_EQ(document["task"], "regression");
  const json& grid = document["grid"];
  const std::size_t best = largest(grid, "log_validity", true);
  EXPECT_EQ(document["best"]["gamma"], grid[best]["gamma"]);
  EXPECT_NEAR(grid[best]["evidence"]["noise_sd"].get<double>(), 0.1, 0.03);
  const CommandResult result = run(with({"select", "sinc.csv"}, options));
  EXPECT_NE(result.out.find("noise sd"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("regression"), std::string::npos) << result.out;
  EXPECT_EQ(result.out.find(" %"), std::string::npos) << result.out;
  EXPECT_EQ(line_count(run({"predict", "m", "sinc.csv", "--quiet"}).out), 102U);
}

TEST_F(RvmSelection, ARegressionsErrorIsTheRootOfAMeanSquare) {
  const std::vector<std::string> options{"--task", "regression", "--sigma", "0.05,0.1,0.2", "--folds", "4"};
  const json document = select("sinc.csv", options);
  EXPECT_EQ(document["learner"], "rvm");
  EXPECT_EQ(document["score"], "CV mean squared error");
  const double error = document["best"]["error"].get<double>();
  EXPECT_NEAR(std::sqrt(error), 0.11, 0.03);
  const CommandResult result = run(with({"select", "sinc.csv"}, options));
  std::ostringstream shown;
  shown << "best score       " << std::sqrt(error) << " root mean squared CV error";
  EXPECT_NE(result.out.find(shown.str()), std::string::npos) << shown.str() << '\n' << result.out;
  std::istringstream lines(result.out);
  for (std::string line; std::getline(lines, line);)
    if (line.find("interval") == std::string::npos) EXPECT_EQ(line.find(" %"), std::string::npos) << line;
}

TEST_F(RvmSelection, FixedNoiseStaysFixed) {
  const json document = select(
      "sinc.csv", {"--task", "regression", "--method", "kernel-validity", "--sigma", "0.1,0.2", "--noise", "0.2"});
  for (const json& setting : document["grid"]) EXPECT_NEAR(setting["evidence"]["noise_sd"].get<double>(), 0.2, 1e-12);
}

TEST_F(RvmSelection, JsonDoesNotDependOnTheNumberOfThreads) {
  const std::vector<std::string> options{"--method", "kernel-validity", "--sigma", "0.1,1,3"};
  EXPECT_EQ(without(select("data.csv", with(options, {"--threads", "1"})), {"seconds", "threads"}),
            without(select("data.csv", with(options, {"--threads", "2"})), {"seconds", "threads"}));
}

TEST_F(RvmSelection, TimeLimitGivesAMarkedPartialResult) {
  command_.folder().write("large.csv", clouds_csv(1500, 2, 5));
  const CommandResult result = command_.run({"select", "large.csv", "--method", "kernel-validity", "--time-limit",
                                             "0.3", "-o", "m.credence", "--json", "r.json"});
  EXPECT_EQ(result.code, 5) << result.err;
  EXPECT_TRUE(result.out.starts_with("TIME LIMIT: partial result, ")) << result.out;
  EXPECT_NE(result.out.find("not computed"), std::string::npos) << result.out;
  EXPECT_EQ(json::parse(test::read_text(command_.folder().file("r.json")))["status"], "time limit");
  EXPECT_EQ(test::read_text(command_.folder().file("m.credence")), "");
}

}  // namespace rvm_selection_tests
}  // namespace credence
