#include <gtest/gtest.h>

#include <filesystem>

#include "cli/helpers.hpp"
#include "support/command.hpp"

namespace credence {
namespace regions_tests {

namespace fs = std::filesystem;
using nlohmann::json;
using test::clouds_csv;
using test::Command;
using test::CommandResult;
using test::Table;
using test::with;
using test::without;

class RegionsOfTheSpace : public testing::Test {
 protected:
  void SetUp() override {
    command_.folder().write("data.csv", clouds_csv(300, 2, 3));
    command_.folder().write("three.csv", clouds_csv(300, 3, 3));
  }
  CommandResult run(const std::vector<std::string>& words) {
    const CommandResult result = command_.run(words);
    EXPECT_EQ(result.code, 0) << result.err;
    return result;
  }
  json select(const std::vector<std::string>& words) { return json::parse(run(with(words, {"--json", "-"})).out); }
  std::string refused(const std::vector<std::string>& words) {
    const CommandResult result = command_.run(words);
    EXPECT_NE(result.code, 0);
    return result.err;
  }
  Command command_;
  const std::vector<std::string> small_{"--C", "1,16", "--gamma", "0.05,0.4", "--estimate-samples", "20"};
};

TEST_F(RegionsOfTheSpace, SelectSavesAModelThatPredictsWithConfidence) {
  const std::string report = run(with({"select", "data.csv", "--region-size", "100", "-o", "m"}, small_)).out;
  EXPECT_NE(report.find("(optimistic)  "), std::string::npos) << report;
  const Table rows(run({"predict", "m", "data.csv"}).out);
  ASSERT_EQ(rows.rows.size(), 300U);
  EXPECT_TRUE(rows.rows.front().contains("confidence"));
  EXPECT_TRUE(rows.rows.front().contains("decision_value"));
}

TEST_F(RegionsOfTheSpace, TheReportHasTheCurveOfThePartitions) {
  const json found =
      select(with({"select", "data.csv", "--region-size", "60", "--partitions", "3", "--scale", "standard"}, small_));
  EXPECT_EQ(found["regions"]["partitions"], 3);
  ASSERT_EQ(found["regions"]["curve"].size(), 3U);
  EXPECT_EQ(found["regions"]["curve"][2], found["best"]["error"]);
  EXPECT_EQ(found["regions"]["list"].size(), found["regions"]["count"]);
  EXPECT_EQ(found["regions"]["list"].front()["partition"], 1);
  EXPECT_EQ(found["regions"]["list"].back()["partition"], 3);
  EXPECT_EQ(found["honest"]["method"], "hold-out");
  const std::string report = run(with({"select", "data.csv", "--region-size", "60", "--partitions", "2"}, small_)).out;
  EXPECT_NE(report.find("\npartitions  "), std::string::npos) << report;
}

TEST_F(RegionsOfTheSpace, JsonHasEveryRegionAndRepeatsTheRun) {
  const json first = select(with({"select", "three.csv", "--region-size", "100", "--partitions", "1"}, small_));
  ASSERT_GE(first["regions"]["count"], 3);
  EXPECT_EQ(first["regions"]["list"].size(), first["regions"]["count"]);
  EXPECT_EQ(first["regions"]["size"], 100);
  std::size_t rows = 0;
  double errors = 0;
  for (const json& region : first["regions"]["list"]) {
    rows += region["rows"].get<std::size_t>();
    errors += region["error"].get<double>() * region["rows"].get<double>();
    EXPECT_EQ(region["class_counts"].size(), 3U);
  }
  EXPECT_EQ(rows, 300U);
  EXPECT_NEAR(first["best"]["error"].get<double>(), errors / 300, 1e-12);
  EXPECT_EQ(first["resamples"], 5);
  command_.folder().write("plan.json", first.dump());
  const json second = select({"select", "three.csv", "--plan", "plan.json", "--threads", "3"});
  EXPECT_EQ(without(first, {"seconds", "threads"}), without(second, {"seconds", "threads"}));
}

TEST_F(RegionsOfTheSpace, TheSizeMeansTheMethodRegions) {
  const std::vector<std::string> size{"--region-size", "1000", "--scale", "standard"};
  const json found = select(with(with({"select", "data.csv"}, small_), size));
  EXPECT_EQ(found["method"], "regions");
  EXPECT_EQ(found["options"]["region_size"], 1000);
  EXPECT_EQ(found["regions"]["count"], 1);
  const json named = select(with(with({"select", "data.csv", "--method", "regions"}, small_), size));
  EXPECT_EQ(without(found, {"seconds", "threads"}), without(named, {"seconds", "threads"}));
}

TEST_F(RegionsOfTheSpace, TrainTakesOneChoiceForAllRegions) {
  run({"train", "data.csv", "--region-size", "100", "--C", "4", "--gamma", "0.1", "--folds", "4", "-o", "m"});
  const Table rows(run({"predict", "m", "data.csv"}).out);
  EXPECT_TRUE(rows.rows.front().contains("confidence"));
  run({"train", "data.csv", "--region-size", "100", "--C", "4", "--gamma", "0.1", "-o", "plain"});
  EXPECT_FALSE(Table(run({"predict", "plain", "data.csv"}).out).rows.front().contains("confidence"));
}

TEST_F(RegionsOfTheSpace, TrainingThatDidNotConvergeIsSavedWithTheLargestViolation) {
  const auto expect_saved = [&](const std::vector<std::string>& words) {
    const CommandResult result = command_.run(words);
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_NE(result.err.find("did not converge"), std::string::npos) << result.err;
    EXPECT_TRUE(fs::exists(command_.folder().file("saved")));
    fs::remove(command_.folder().file("saved"));
  };
  expect_saved({"train", "data.csv", "--region-size", "100", "--C", "8", "--max-steps", "1", "-o", "saved"});
  expect_saved(with(
      {"select", "data.csv", "--region-size", "100", "--max-steps", "1", "-o", "saved", "--json", "r.json"}, small_));
  const json found = json::parse(test::read_text(command_.folder().file("r.json")));
  EXPECT_NE(found["warnings"].dump().find("did not converge"), std::string::npos) << found["warnings"];
}

/// A class with one row is told apart in no region: its row is judged by the machine that did not converge.
TEST_F(RegionsOfTheSpace, OfOneRowOfAClassAndTrainingThatDidNotConvergeComeAModelAndAComparison) {
  command_.folder().write("rare.csv", clouds_csv(120, 2, 3) + "0,0,0,rare\n");
  const std::vector<std::string> short_runs{"--region-size", "60", "--max-steps", "1"};
  const CommandResult trained =
      command_.run(with({"train", "rare.csv", "--C", "8", "--folds", "3", "-o", "rare.credence"}, short_runs));
  EXPECT_EQ(trained.code, 0) << trained.err;
  EXPECT_TRUE(fs::exists(command_.folder().file("rare.credence")));
  const CommandResult compared = command_.run(with(
      with({"compare", "data.csv", "--methods", "cv", "--outer-folds", "2", "--json", "r.json"}, short_runs), small_));
  EXPECT_EQ(compared.code, 0) << compared.err;
  const json found = json::parse(test::read_text(command_.folder().file("r.json")));
  EXPECT_EQ(found["methods"][0]["complete_folds"], 2);
  EXPECT_NE(found["methods"][0]["warnings"].dump().find("before the tolerance"), std::string::npos);
}

TEST_F(RegionsOfTheSpace, AStopBeforeTheRowsArePartedLeavesAPartialResult) {
  command_.folder().write("many.csv", clouds_csv(20000, 2, 3));
  const CommandResult result = command_.run({"select", "many.csv", "--region-size", "1000", "--quiet", "--time-limit",
                                             "0.001", "--json", "r.json", "-o", "none"});
  EXPECT_EQ(result.code, 5) << result.err;
  const json found = json::parse(test::read_text(command_.folder().file("r.json")));
  EXPECT_EQ(found["status"], "time limit");
  EXPECT_TRUE(found["best"].is_null());
  EXPECT_FALSE(fs::exists(command_.folder().file("none")));
}

TEST_F(RegionsOfTheSpace, ConformalFitHoldsRowsOutBeforeTheyAreParted) {
  run({"conformal", "fit", "data.csv", "--measure", "margin", "--mode", "inductive", "--select", "--region-size", "80",
       "--C", "1,16", "--gamma", "0.1", "-o", "m"});
  EXPECT_TRUE(Table(run({"predict", "m", "data.csv"}).out).rows.front().contains("confidence"));
  EXPECT_NE(refused({"conformal", "fit", "data.csv", "--measure", "margin", "--mode", "inductive", "--region-size",
                     "80", "-o", "n"})
                .find("--region-size: "),
            std::string::npos);
}

TEST_F(RegionsOfTheSpace, WhatRegionsCannotDoIsRefusedInOneSentence) {
  run(with({"select", "data.csv", "--region-size", "100", "-o", "m"}, small_));
  EXPECT_NE(refused({"convert", "m", "m.libsvm"}).find("a single SVM"), std::string::npos);
  EXPECT_NE(refused({"select", "data.csv", "--method", "bootstrap", "--region-size", "100"}).find("regions does"),
            std::string::npos);
  EXPECT_NE(refused({"select", "data.csv", "--model", "rvm", "--region-size", "100"}).find("--model: "),
            std::string::npos);
  EXPECT_NE(refused({"select", "data.csv", "--region-size", "7"}).find("at least 20"), std::string::npos);
}

}  // namespace regions_tests
}  // namespace credence
