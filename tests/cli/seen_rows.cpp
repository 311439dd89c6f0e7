#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "helpers.hpp"
#include "support/command.hpp"

/// Figures on rows that trained the model are too good; `evaluate` says so, with --quiet too.
namespace credence::test {
namespace seen_rows_tests {

bool warned(const Command& credence, const char* rows) {
  const CommandResult result = credence.run({"evaluate", "m.credence", rows, "--quiet", "--json", "-"});
  EXPECT_EQ(result.code, 0) << result.err;
  const bool warned = result.err.find("too good for new rows") != std::string::npos;
  EXPECT_EQ(nlohmann::json::parse(result.out)["trained_on"], warned) << result.err;
  return warned;
}

TEST(SeenRows, AreKnownToEveryKindOfModel) {
  const Command credence;
  credence.folder().write("train.csv", clouds_csv(150, 2, 1));
  credence.folder().write("test.csv", clouds_csv(150, 2, 2));
  std::string both = clouds_csv(150, 2, 2);
  const std::string first = clouds_csv(150, 2, 1);
  both += first.substr(first.find('\n') + 1);
  credence.folder().write("both.csv", both);
  const std::vector<std::string> grid = {"--C", "1,8", "--gamma", "0.1,1"};
  const std::vector<std::vector<std::string>> ways = {
      {"train", "--C", "1"},
      {"train", "--C", "1", "--scale", "none"},
      {"train", "--model", "rvm", "--sigma", "0.1"},
      {"train", "--C", "1", "--region-size", "50"},
      with({"select"}, grid),
      with({"select", "--estimate", "holdout"}, grid),
      with({"select", "--region-size", "50"}, grid),
      with({"select", "--method", "holdout-vote"}, grid),
      with({"select", "--method", "max-margin"}, grid),
      with({"select", "--method", "nonconformity"}, grid),
      with({"select", "--method", "kfold-nested", "--final", "random"}, grid),
      {"select", "--method", "rademacher", "--kernel", "linear", "--trials", "3"},
      {"select", "--model", "knn", "--method", "holdout-vote", "--k", "1,3"},
      {"select", "--method", "kernel-validity", "--sigma", "0.5,1"},
      {"conformal", "fit"},
      {"conformal", "fit", "--measure", "margin"},
      {"conformal", "fit", "--measure", "margin", "--mode", "inductive"},
      {"conformal", "fit", "--measure", "margin", "--mode", "cross"}};
  for (const std::vector<std::string>& way : ways) {
    SCOPED_TRACE(testing::PrintToString(way));
    const CommandResult made = credence.run(with(way, {"train.csv", "-o", "m.credence", "--quiet"}));
    ASSERT_EQ(made.code, 0) << made.err;
    EXPECT_TRUE(warned(credence, "train.csv"));
    EXPECT_TRUE(warned(credence, "both.csv"));
    EXPECT_FALSE(warned(credence, "test.csv"));
  }
}

/// Three columns of two values: every file of some length holds every row.
TEST(SeenRows, AreNotKnownWhereEachRowOccursOften) {
  const Command credence;
  const auto tables = [](int rows, std::uint64_t seed) {
    core::RandomStream random(seed);
    std::string text = "a,b,c,d,label\n";
    for (int i = 0; i < rows; ++i) {
      int ones = 0;
      for (int j = 0; j < 4; ++j) {
        const auto value = static_cast<int>(random.below(2));
        ones += value;
        text += std::to_string(value) + ",";
      }
      text += ones + static_cast<int>(random.below(3)) > 2 ? "yes\n" : "no\n";
    }
    return text;
  };
  credence.folder().write("train.csv", tables(200, 1));
  credence.folder().write("test.csv", tables(300, 2));
  ASSERT_EQ(credence.run({"train", "train.csv", "--C", "1", "-o", "m.credence", "--quiet"}).code, 0);
  EXPECT_FALSE(warned(credence, "test.csv"));
}

}  // namespace seen_rows_tests
}  // namespace credence::test
