#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "credence/core/random.hpp"
#include "credence/selection/honest_estimate.hpp"
#include "helpers.hpp"
#include "support/command.hpp"

namespace credence {
namespace compare_tests {

using nlohmann::json;
using test::Command;
using test::CommandResult;

const std::string breast_cancer = std::string(CREDENCE_SOURCE_DIR) + "/data/breast_cancer.csv";

std::vector<std::string> compare(const std::vector<std::string>& more) {
  std::vector<std::string> words{"compare", breast_cancer, "--C", "1,16", "--gamma", "0.01,0.05", "--folds", "3"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

json compared(const Command& command, const std::vector<std::string>& more) {
  std::vector<std::string> words = compare(more);
  words.insert(words.end(), {"--json", "-"});
  const CommandResult result = command.run(words);
  EXPECT_EQ(result.code, 0) << result.err;
  return json::parse(result.out);
}

json without_times(json document) {
  for (const char* field : {"seconds", "threads", "command", "report"}) document.erase(field);
  for (json& method : document["methods"]) {
    for (const char* field : {"seconds", "relative_seconds"}) method.erase(field);
    for (json& fold : method["folds"]) fold.erase("seconds");
  }
  return document;
}

bool fold_has(const json& method, const char* parameter) {
  return !method["folds"][0]["chosen"].value(parameter, json(nullptr)).is_null();
}

TEST(Compare, EqualMethodsAreNamedTogether) {
  Command command;
  command.folder().write("two.csv", test::clouds_csv(60, 2, 1));
  const CommandResult result = command.run({"compare", "two.csv", "--methods", "cv,loo", "--C", "1", "--gamma", "1",
                                            "--scale", "none", "--outer-folds", "3"});
  EXPECT_NE(result.out.find("cv and loo were wrong least often"), std::string::npos) << result.out << result.err;
}

TEST(Compare, JsonHasEveryFoldAndItsSums) {
  Command command;
  const json document = compared(command, {"--methods", "cv,nonconformity,max-margin", "--outer-folds", "4"});
  EXPECT_EQ(document["status"], "complete");
  EXPECT_EQ(document["n"], 569);
  EXPECT_EQ(document["outer_folds"], 4);
  EXPECT_EQ(document["estimate"], "bbc");
  EXPECT_EQ(document["version"], "0.1.0");
  EXPECT_EQ(document["source"], breast_cancer);
  ASSERT_EQ(document["methods"].size(), 3U);
  std::vector<std::vector<double>> errors;
  double fastest = 1e9;
  for (const json& method : document["methods"]) {
    ASSERT_EQ(method["folds"].size(), 4U);
    double mean = 0;
    int rows = 0;
    errors.emplace_back();
    for (const json& fold : method["folds"]) {
      EXPECT_EQ(fold["complete"], true);
      EXPECT_DOUBLE_EQ(fold["error"].get<double>(), fold["errors"].get<double>() / fold["rows"].get<double>());
      EXPECT_TRUE(fold["honest"].is_number());
      EXPECT_LT(fold["error"], 0.15) << "an easy data set";
      errors.back().push_back(fold["error"]);
      mean += fold["error"].get<double>() / 4;
      rows += fold["rows"].get<int>();
    }
    EXPECT_EQ(rows, 569);
    EXPECT_NEAR(method["mean_error"].get<double>(), mean, 1e-14);
    EXPECT_GE(method["relative_seconds"], 1.0);
    fastest = std::min(fastest, method["relative_seconds"].get<double>());
  }
  EXPECT_EQ(fastest, 1);
  EXPECT_TRUE(document["methods"][0]["folds"][0]["chosen"]["C"].is_number());
  EXPECT_TRUE(document["methods"][0]["mean_selected_score"].is_number());
  EXPECT_TRUE(document["methods"][1]["mean_selected_score"].is_null()) << "nonconformity chooses no setting";

  ASSERT_EQ(document["tests"].size(), 3U);
  const json& test = document["tests"][2];
  EXPECT_EQ(test["first"], "nonconformity");
  EXPECT_EQ(test["second"], "max-margin");
  const auto expected = selection::corrected_resampled_t_test(errors[1], errors[2], 1.0 / 3);
  EXPECT_NEAR(test["p_value"].get<double>(), expected.p_value, 1e-12);
  EXPECT_NEAR(test["mean_difference"].get<double>(), expected.mean_difference, 1e-14);
}

/// Fewer rows than columns; methods that hold rows out and methods that do not.
TEST(Compare, SevenMethodsOnSmallWideData) {
  Command command;
  core::RandomStream random(5);
  std::string text = "label";
  for (int j = 0; j < 120; ++j) text += fmt::format(",g{}", j);
  for (int i = 0; i < 50; ++i) {
    text += fmt::format("\n{}", i % 2 == 0 ? "healthy" : "ill");
    for (int j = 0; j < 120; ++j) text += fmt::format(",{:.5f}", random.normal() + (j < 20 ? 1.5 * (i % 2) : 0.0));
  }
  command.folder().write("genes.csv", text + "\n");
  const std::vector<std::string> words{
      "compare",
      "genes.csv",
      "--label",
      "label",
      "--kernel",
      "linear",
      "--C",
      "1e-4:1:x10",
      "--outer-folds",
      "5",
      "--trials",
      "10",
      "--methods",
      "kfold-nested,loo,bootstrap,rademacher,rademacher+hint,maximal-discrepancy,maximal-discrepancy+hint"};
  std::vector<std::string> with_json = words;
  with_json.insert(with_json.end(), {"--json", "r.json"});
  const CommandResult result = command.run(with_json);
  ASSERT_EQ(result.code, 0) << result.err;
  const json methods = json::parse(test::read_text(command.folder().file("r.json")))["methods"];
  ASSERT_EQ(methods.size(), 7U);
  for (const json& method : methods) {
    const std::string name = method["name"];
    const bool in_sample = name.starts_with("rademacher") || name.starts_with("maximal");
    EXPECT_EQ(method["complete_folds"], 5) << name;
    EXPECT_EQ(method["mean_selected_score"].is_null(), in_sample) << name << ": a bound is no estimate";
    EXPECT_EQ(method["mean_honest"].is_null(), in_sample) << name;
    EXPECT_EQ(method["mean_bound"].is_number(), in_sample || name == "kfold-nested") << name;
    double sum = 0;
    for (const json& fold : method["folds"]) sum += fold["bound"].is_null() ? 0 : fold["bound"].get<double>();
    if (method["mean_bound"].is_number()) EXPECT_NEAR(method["mean_bound"].get<double>(), sum / 5, 1e-12);
    EXPECT_EQ(fold_has(method, "rho"), in_sample) << name;
  }
  EXPECT_LT(methods[0]["mean_error"], 0.2) << "an easy data set";
  EXPECT_GE(methods[3]["mean_bound"], 1);
  EXPECT_NE(methods[3]["folds"], methods[4]["folds"]) << "the hint has an effect";
  EXPECT_NE(result.out.find("  bound  "), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("vacuous"), std::string::npos) << result.out;

  std::vector<std::string> other_hint = words;
  other_hint.insert(other_hint.end(), {"--hint", "0.5", "--json", "s.json"});
  ASSERT_EQ(command.run(other_hint).code, 0);
  const json changed = json::parse(test::read_text(command.folder().file("s.json")))["methods"];
  EXPECT_EQ(changed[3]["mean_bound"], methods[3]["mean_bound"]) << "plain methods have no hint";
  EXPECT_NE(changed[4]["mean_bound"], methods[4]["mean_bound"]);
}

TEST(Compare, RefusesOptionsThatNoMethodLooksAt) {
  Command command;
  const std::vector<std::string> few{"--methods", "cv,holdout", "--outer-folds", "2", "--estimate", "none"};
  std::vector<std::string> more = few;
  more.insert(more.end(), {"--hint", "0.4", "--refit", "all", "--trials", "9"});
  const CommandResult result = command.run(compare(more));
  const std::string& err = result.err;
  EXPECT_EQ(result.code, 2);
  for (const char* option : {"--hint", "--trials"})
    EXPECT_NE(err.find(option + std::string(": none of these methods uses it; rademacher and maximal-discrepancy")),
              std::string::npos)
        << err;
  EXPECT_EQ(err.find("--refit"), std::string::npos) << err;
}

TEST(Compare, DoesNotDependOnThreadsOrTheRun) {
  Command command;
  const json one = compared(command, {"--methods", "cv,holdout", "--outer-folds", "3", "--threads", "1"});
  const json two = compared(command, {"--methods", "cv,holdout", "--outer-folds", "3", "--threads", "2"});
  EXPECT_EQ(without_times(one), without_times(two));
  const json seeded = compared(command, {"--methods", "cv,holdout", "--outer-folds", "3", "--seed", "1"});
  EXPECT_NE(without_times(seeded)["methods"], without_times(one)["methods"]);
}

TEST(Compare, TheTableSaysWhichDifferencesAreBeyondNoise) {
  Command command;
  const CommandResult alike = command.run(compare({"--methods", "cv,holdout", "--outer-folds", "3"}));
  ASSERT_EQ(alike.code, 0) << alike.err;
  for (const char* part : {"569 rows", "stratified", "selected", "honest", "(optimistic)", "Nadeau and Bengio",
                           "No difference is beyond noise at 5 %."}) {
    EXPECT_NE(alike.out.find(part), std::string::npos) << part << " in\n" << alike.out;
  }
  EXPECT_EQ(alike.out.find("not adjusted"), std::string::npos) << "there is one pair only";
  EXPECT_EQ(alike.err, "");
}

/// Labels of which the features know nothing, four of five rows of one class: cross-validation finds that out, the
/// largest margins belong to models that learnt every row by heart.
TEST(Compare, FindsADifferenceThatIsThere) {
  Command command;
  core::RandomStream random(1);
  std::string text = "x,y,label\n";
  for (int i = 0; i < 300; ++i)
    text += fmt::format("{},{},{}\n", random.normal(), random.normal(), random.uniform() < 0.2 ? "rare" : "usual");
  command.folder().write("noise.csv", text);
  const CommandResult result = command.run({"compare", "noise.csv", "--methods", "cv,max-margin,holdout", "--C",
                                            "0.01,100000", "--gamma", "0.5,5", "--json", "r.json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const json document = json::parse(test::read_text(command.folder().file("r.json")));
  EXPECT_LT(document["tests"][0]["p_value"], 0.05);
  EXPECT_LT(document["tests"][0]["mean_difference"], -0.05);
  EXPECT_NE(result.out.find("cv errs less than max-margin"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("not adjusted"), std::string::npos) << result.out;
}

TEST(Compare, RepeatsDrawTheOuterFoldsAnew) {
  Command command;
  const std::vector<std::string> words{"--methods", "cv,holdout", "--outer-folds", "3", "--estimate", "none"};
  std::vector<std::string> twice = words;
  twice.insert(twice.end(), {"--repeats", "2"});
  const json once = compared(command, words);
  const json both = compared(command, twice);
  EXPECT_EQ(once["options"]["repeats"], 1);
  EXPECT_EQ(both["options"]["repeats"], 2);
  EXPECT_EQ(both["outer_folds"], 3);
  const json folds = without_times(both)["methods"][0]["folds"];
  ASSERT_EQ(folds.size(), 6U);
  EXPECT_TRUE(std::equal(folds.begin(), folds.begin() + 3, without_times(once)["methods"][0]["folds"].begin()));
  EXPECT_NE(command.run(compare(twice)).out.find("drawn 2 times"), std::string::npos);
}

TEST(Compare, WithoutAnEstimateThereIsNone) {
  Command command;
  const json document =
      compared(command, {"--methods", "cv", "--estimate", "none", "--outer-folds", "2", "--scale", "none"});
  EXPECT_TRUE(document["methods"][0]["mean_honest"].is_null());
  EXPECT_TRUE(document["tests"].empty());
}

TEST(Compare, TimeLimitGivesAMarkedPartialTable) {
  Command command;
  const CommandResult result = command.run(
      {"compare", breast_cancer, "--methods", "cv,loo", "--time-limit", "0.3", "--estimate", "nested", "--json", "-"});
  EXPECT_EQ(result.code, 5) << result.err;
  EXPECT_TRUE(result.err.starts_with("TIME LIMIT: partial result, ")) << result.err;
  EXPECT_NE(result.err.find("of 20 runs"), std::string::npos) << result.err;
  const json document = json::parse(result.out);
  EXPECT_EQ(document["status"], "time limit");
  EXPECT_EQ(document["methods"][1]["folds"].back()["complete"], false);
  EXPECT_TRUE(document["methods"][1]["folds"].back()["error"].is_null());
}

TEST(Compare, InterruptGivesAMarkedPartialTable) {
  Command command;
  const pid_t child = command.start({"compare", breast_cancer, "--methods", "cv,loo", "--estimate", "nested"});
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  ASSERT_EQ(::kill(child, SIGINT), 0);
  const CommandResult result = command.finish(child);
  EXPECT_EQ(result.code, 130) << result.err;
  EXPECT_TRUE(result.out.starts_with("INTERRUPTED: partial result, ")) << result.out;
}

TEST(Compare, RefusesInOneSentence) {
  Command command;
  const auto refuse = [&](const std::vector<std::string>& more, const char* part) {
    const CommandResult result = command.run(compare(more));
    EXPECT_EQ(result.code, 2);
    EXPECT_TRUE(result.err.starts_with("credence: ")) << result.err;
    EXPECT_NE(result.err.find(part), std::string::npos) << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1);
  };
  refuse({"--methods", "cv,guess"}, "guess");
  refuse({"--methods", "cv,cv"}, "named twice");
  refuse({"--methods", "rademacher+hint,rademacher+hint"}, "named twice");
  refuse({"--methods", "cv+hint"}, "take a hint");
  refuse({"--methods", "rademacher+hint", "--hint", "2"}, "--hint");
  refuse({"--outer-folds", "1"}, "--outer-folds");
  refuse({"--repeats", "0"}, "--repeats: 0 is not at least 1");
  refuse({"--estimate", "wild"}, "--estimate");
  refuse({"--k", "1.5"}, "--k");
}

}  // namespace compare_tests
}  // namespace credence
