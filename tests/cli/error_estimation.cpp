#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "cli/helpers.hpp"
#include "credence/bounds/binomial.hpp"
#include "credence/bounds/mean.hpp"
#include "support/command.hpp"

namespace credence {
namespace error_estimation_tests {

using nlohmann::json;
using test::clouds_csv;
using test::Command;
using test::CommandResult;
using test::number;
using test::Table;
using test::with;

const std::vector<std::string> quick{"--kernel", "linear", "--C", "0.1,10"};

/// A method and what it is expected to say of its judgements.
struct Way {
  const char* name;
  std::vector<std::string> options;
  std::size_t judgements;
  bool independent;
};
const std::vector<Way> ways{
    {"kfold_nested", {"--method", "kfold-nested", "--folds", "5"}, 5, true},
    {"loo", {"--method", "loo"}, 60, false},
    {"bootstrap", {"--method", "bootstrap", "--resamples", "8"}, 8, false},
    {"bootstrap_nested", {"--method", "bootstrap", "--resamples", "8", "--nested"}, 8, true},
};

class ErrorEstimation : public testing::TestWithParam<Way> {
 protected:
  void SetUp() override {
    command_.folder().write("train.csv", clouds_csv(60, 2, 1));
    command_.folder().write("test.csv", clouds_csv(90, 2, 2));
  }
  CommandResult select(const std::vector<std::string>& more) const {
    return command_.run(with(with(with({"select", "train.csv"}, quick), GetParam().options), more));
  }
  json document(const std::vector<std::string>& more = {}) const {
    const CommandResult result = select(with({"--json", "-", "--quiet"}, more));
    EXPECT_EQ(result.code, 0) << result.err;
    return json::parse(result.out);
  }
  Command command_;
};

double bound_of(const json& estimation, const std::string& name, const std::string& loss) {
  for (const json& bound : estimation["bounds"])
    if (bound["name"] == name && bound["loss"] == loss) return bound["bound"];
  ADD_FAILURE() << name << " of the " << loss << " loss is missing";
  return -1;
}

/// Equations 23 and 24: the mean of each judgement's limit.
TEST_P(ErrorEstimation, BoundsFollowFromTheJudgements) {
  const json found = document({"--delta", "0.1"});
  const json& estimation = found["estimation"];
  EXPECT_TRUE(found["in_sample"].is_null());
  EXPECT_EQ(estimation["independent"], GetParam().independent);
  EXPECT_EQ(estimation["final"], "retrained");
  EXPECT_EQ(estimation["delta"], 0.1);
  ASSERT_EQ(estimation["judgements"].size(), GetParam().judgements);
  double hard = 0;
  double clopper_pearson = 0;
  double hoeffding = 0;
  for (const json& judgement : estimation["judgements"]) {
    const double rows = judgement["rows"];
    const double errors = judgement["errors"];
    hard += errors / rows;
    clopper_pearson += bounds::binomial_upper_limit(errors, rows, 0.1);
    hoeffding += bounds::hoeffding_upper_limit(judgement["soft"], rows, 0.1);
  }
  const auto count = static_cast<double>(GetParam().judgements);
  EXPECT_NEAR(estimation["hard"].get<double>(), hard / count, 1e-12);
  EXPECT_NEAR(bound_of(estimation, "Clopper-Pearson", "hard"), clopper_pearson / count, 1e-9);
  EXPECT_NEAR(bound_of(estimation, "Hoeffding", "soft"), hoeffding / count, 1e-9);
  for (const char* name : {"Hoeffding", "empirical Bernstein"}) bound_of(estimation, name, "hard");
  bound_of(estimation, "empirical Chernoff", "hard");
  bound_of(estimation, "empirical Bernstein", "soft");
  for (const json& bound : estimation["bounds"]) EXPECT_EQ(bound["vacuous"], bound["bound"].get<double>() >= 1);
}

TEST_P(ErrorEstimation, TheUnionDividesDelta) {
  const json found = document({"--union"})["estimation"];
  EXPECT_NEAR(found["delta_each"].get<double>(), 0.05 / static_cast<double>(GetParam().judgements), 1e-15);
  EXPECT_EQ(found["union"], true);
  const CommandResult result = select({"--union"});
  EXPECT_NE(result.out.find("all at once ("), std::string::npos) << result.out;
  EXPECT_EQ(result.out.find("(--union avoids it)"), std::string::npos) << result.out;
}

/// What the rows that chose say is never called an estimate.
TEST_P(ErrorEstimation, TheTableSaysWhatTheNumbersAreAbout) {
  const CommandResult result = select({});
  ASSERT_EQ(result.code, 0) << result.err;
  const bool independent = GetParam().independent;
  EXPECT_EQ(result.out.find("\nestimate           ") != std::string::npos, independent) << result.out;
  EXPECT_EQ(result.out.find("\nmean (optimistic)") != std::string::npos, !independent) << result.out;
  for (const char* part : {"\nHoeffding", "\nClopper-Pearson", "\nempirical Bernstein", "\nempirical Chernoff",
                           "each at this confidence (--union avoids it)"}) {
    EXPECT_NE(result.out.find(part), std::string::npos) << part << " in\n" << result.out;
  }
  const json bounds = document()["estimation"]["bounds"];
  const bool vacuous =
      std::any_of(bounds.begin(), bounds.end(), [](const json& bound) { return bound["vacuous"] == true; });
  EXPECT_EQ(result.out.find("% (vacuous)") != std::string::npos, vacuous) << result.out;
  std::istringstream lines(result.out);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 132U) << line;
}

TEST_P(ErrorEstimation, RandomClassifiersAreKeptAndDrawn) {
  const CommandResult selected = select({"--final", "random", "-o", "m"});
  ASSERT_EQ(selected.code, 0) << selected.err;
  EXPECT_EQ(selected.out.find("--final random"), std::string::npos) << selected.out;
  EXPECT_NE(selected.out.find(std::to_string(GetParam().judgements) + " classifiers, one drawn for each row"),
            std::string::npos)
      << selected.out;
  const CommandResult predicted = command_.run({"predict", "m", "test.csv"});
  ASSERT_EQ(predicted.code, 0) << predicted.err;
  EXPECT_NE(predicted.err.find("drawn with seed 0"), std::string::npos) << predicted.err;
  const Table table(predicted.out);
  EXPECT_EQ(table.names, (std::vector<std::string>{"row", "label", "chosen", "familiarity"}));
  std::set<double> drawn;
  for (const auto& row : table.rows) drawn.insert(number(row, "chosen"));
  EXPECT_GE(drawn.size(), 4U);
  EXPECT_GE(*drawn.begin(), 1);
  EXPECT_LE(*drawn.rbegin(), static_cast<double>(GetParam().judgements));
  EXPECT_EQ(command_.run({"predict", "m", "test.csv"}).out, predicted.out) << "the seed decides";
  const json evaluation = json::parse(command_.run({"evaluate", "m", "test.csv", "--json", "-"}).out);
  EXPECT_LT(evaluation["error"], 0.3);
}

INSTANTIATE_TEST_SUITE_P(Every, ErrorEstimation, testing::ValuesIn(ways),
                         [](const testing::TestParamInfo<Way>& way) { return way.param.name; });

TEST(SoftLoss, IsWhatIsChosenBy) {
  Command command;
  command.folder().write("data.csv", clouds_csv(60, 2, 1));
  for (const char* method : {"cv", "kfold-nested", "loo", "bootstrap"}) {
    const CommandResult result = command.run(
        with({"select", "data.csv", "--method", method, "--loss", "soft", "--json", "-", "--quiet"}, quick));
    ASSERT_EQ(result.code, 0) << result.err;
    const json found = json::parse(result.out);
    EXPECT_NE(found["score"].get<std::string>().find("soft loss"), std::string::npos) << found["score"];
    EXPECT_EQ(found["options"]["loss"], "soft");
  }
}

}  // namespace error_estimation_tests
}  // namespace credence
