#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "helpers.hpp"
#include "support/command.hpp"

/// Predictions are made block by block: their bytes do not depend on the blocks, and a table that breaks off has no
/// file.
namespace credence::test {
namespace predict_blocks_tests {

const std::vector<std::string> small_grid{"--C", "1,8", "--gamma", "0.1,1", "--estimate", "none", "--quiet"};

struct Kind {
  const char* name;
  std::vector<std::string> making;
  std::vector<std::string> predicting;
};

class PredictInBlocks : public testing::TestWithParam<Kind> {};

TEST_P(PredictInBlocks, GivesTheSameBytes) {
  const Command credence;
  credence.folder().write("training.csv", clouds_csv(120, 3, 1));
  credence.folder().write("rows.csv", clouds_csv(1103, 3, 2));
  const CommandResult made = credence.run(with(GetParam().making, {"training.csv", "-o", "m.credence"}));
  ASSERT_EQ(made.code, 0) << made.err;
  const auto predict = [&](const std::string& block) {
    return credence.run(with(with({"predict", "m.credence", "rows.csv", "--block", block}, GetParam().predicting), {}));
  };
  const CommandResult whole = predict("1000000");
  ASSERT_EQ(whole.code, 0) << whole.err;
  EXPECT_EQ(line_count(whole.out), 1104U);
  for (const char* block : {"1", "7", "1000"}) {
    const CommandResult found = predict(block);
    EXPECT_TRUE(found.out == whole.out) << block;
    EXPECT_EQ(found.err, whole.err) << block;
  }
  const CommandResult piped = credence.run(with({"predict", "m.credence", "-", "--block", "50"}, GetParam().predicting),
                                           clouds_csv(1103, 3, 2));
  EXPECT_TRUE(piped.out == whole.out) << piped.err;
}

INSTANTIATE_TEST_SUITE_P(
    Models, PredictInBlocks,
    testing::Values(
        Kind{"svm", with({"select"}, small_grid), {}},
        Kind{"smoothed", with({"select"}, small_grid), {"--smoothed", "--seed", "3"}},
        Kind{"probabilities", with({"select"}, small_grid), {"--probability"}},
        Kind{"one_machine", {"train", "--quiet"}, {}}, Kind{"rvm", {"train", "--model", "rvm", "--quiet"}, {}},
        Kind{"neighbours", {"select", "--model", "knn", "--method", "holdout", "--quiet"}, {}},
        Kind{"nonconformity", with({"select", "--method", "nonconformity"}, small_grid), {}},
        Kind{"random_ties", with({"select", "--method", "nonconformity", "--tie", "random"}, small_grid), {}},
        Kind{"random_classifier", with({"select", "--method", "kfold-nested", "--final", "random"}, small_grid), {}},
        Kind{"conformal", {"conformal", "fit", "--quiet"}, {}}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(PredictInBlocksOfAFile, AnErrorInALateRowLeavesNoFile) {
  const Command credence;
  credence.folder().write("training.csv", clouds_csv(60, 2, 1));
  ASSERT_EQ(credence.run({"train", "training.csv", "-o", "m.credence", "--quiet"}).code, 0);
  credence.folder().write("rows.csv", clouds_csv(500, 2, 2) + "1,red,3,class 0\n");
  const CommandResult found = credence.run({"predict", "m.credence", "rows.csv", "-o", "out.csv", "--block", "100"});
  EXPECT_EQ(found.code, 3);
  EXPECT_NE(found.err.find("502"), std::string::npos) << found.err;
  for (const auto& entry : std::filesystem::directory_iterator(credence.folder().path())) {
    EXPECT_NE(entry.path().filename(), "out.csv");
    EXPECT_EQ(entry.path().filename().string().find(".credence-"), std::string::npos) << entry.path();
  }
}

TEST(PredictInBlocksOfAFile, WhatWasPrintedBeforeAnErrorIsSaid) {
  const Command credence;
  credence.folder().write("training.csv", clouds_csv(60, 2, 1));
  ASSERT_EQ(credence.run({"train", "training.csv", "-o", "m.credence", "--quiet"}).code, 0);
  // The rows are parsed some megabytes at a time, and problems found so far are told at once.
  credence.folder().write("rows.csv", clouds_csv(100000, 2, 2) + "1,red,3,class 0\n");
  const CommandResult printed = credence.run({"predict", "m.credence", "rows.csv", "--block", "100"});
  EXPECT_EQ(printed.code, 3);
  EXPECT_NE(printed.err.find("100002"), std::string::npos) << printed.err;
  EXPECT_NE(printed.err.find("the output ends after"), std::string::npos) << printed.err;
  EXPECT_GT(line_count(printed.out), 1000U);
  EXPECT_EQ(credence.run({"predict", "m.credence", "rows.csv", "--block", "0"}).code, 2);
}

}  // namespace predict_blocks_tests
}  // namespace credence::test
