#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "cli/helpers.hpp"
#include "support/command.hpp"

namespace credence {
namespace in_sample_tests {

using nlohmann::json;
using test::clouds_csv;
using test::Command;
using test::CommandResult;
using test::number;
using test::Table;
using test::with;
using test::without;

const std::vector<std::string> linear{"--kernel", "linear", "--trials", "12"};
const std::vector<std::string> quick = with(linear, {"--rho", "0.001,0.1,1"});

/// A method, with or without a hint.
struct Way {
  const char* name;
  std::vector<std::string> options;
  bool hint;
};
const std::vector<Way> ways{
    {"rademacher", {"--method", "rademacher"}, false},
    {"rademacher_hint", {"--method", "rademacher", "--hint", "0.3"}, true},
    {"discrepancy", {"--method", "maximal-discrepancy"}, false},
    {"discrepancy_hint", {"--method", "maximal-discrepancy", "--hint", "0.3"}, true},
};

class InSample : public testing::TestWithParam<Way> {
 protected:
  void SetUp() override {
    command_.folder().write("train.csv", clouds_csv(60, 2, 1));
    command_.folder().write("test.csv", clouds_csv(90, 2, 2));
  }
  CommandResult select(const std::vector<std::string>& more, const std::vector<std::string>& usual = quick) const {
    return command_.run(with(with(with({"select", "train.csv"}, usual), GetParam().options), more));
  }
  json document(const std::vector<std::string>& more = {}) const {
    const CommandResult result = select(with({"--json", "-", "--quiet"}, more));
    EXPECT_EQ(result.code, 0) << result.err;
    return json::parse(result.out);
  }
  Command command_;
};

void expect_sides(const json& setting, std::size_t trials) {
  ASSERT_EQ(setting["trials"].size(), trials);
  ASSERT_EQ(setting["trials_upper"].size(), trials);
  double sum = 0;
  double sum_upper = 0;
  for (std::size_t t = 0; t < trials; ++t) {
    const double value = setting["trials"][t];
    const double upper = setting["trials_upper"][t];
    EXPECT_LE(value, upper + 1e-12);
    EXPECT_GE(value, 0);
    EXPECT_LE(upper, 1 + 1e-12);
    sum += value;
    sum_upper += upper;
  }
  const auto count = static_cast<double>(trials);
  EXPECT_NEAR(setting["complexity"].get<double>(), sum / count, 1e-12);
  EXPECT_NEAR(setting["complexity_upper"].get<double>(), sum_upper / count, 1e-12);
  const double rest = setting["training_loss"].get<double>() + setting["deviation"].get<double>();
  EXPECT_NEAR(setting["bound"].get<double>(), rest + sum / count, 1e-12);
  EXPECT_NEAR(setting["bound_upper"].get<double>(), rest + sum_upper / count, 1e-12);
  EXPECT_EQ(setting["vacuous"], setting["bound"].get<double>() >= 1);
}

TEST_P(InSample, JsonHasEveryRhoEveryTrialAndBothSides) {
  const json found = document({"--all-rhos"});
  EXPECT_TRUE(found["estimation"].is_null());
  EXPECT_TRUE(found["honest"].is_null()) << "a bound is no estimate";
  EXPECT_EQ(found["grid"].size(), 3U);
  const json& bound = found["in_sample"];
  EXPECT_EQ(bound["trials"], 12);
  EXPECT_EQ(bound["n"].get<int>() + bound["hint_rows"].get<int>(), 60);
  EXPECT_EQ(bound["hint_rows"].get<int>() > 0, GetParam().hint);
  ASSERT_EQ(bound["svms"].size(), 1U);
  const json& machine = bound["svms"][0];
  EXPECT_EQ(machine["positive"], "class 1");
  ASSERT_EQ(machine["settings"].size(), 3U);
  double least = 1e9;
  for (const json& setting : machine["settings"]) {
    ASSERT_EQ(setting["complete"], true);
    expect_sides(setting, 12);
    EXPECT_NEAR(setting["deviation"].get<double>(), 3 * std::sqrt(std::log(2 / 0.05) / (2 * bound["n"].get<double>())),
                1e-12);
    least = std::min(least, setting["bound"].get<double>());
  }
  EXPECT_EQ(machine["settings"][machine["chosen"].get<std::size_t>()]["bound"], least);
  EXPECT_EQ(bound["bound"], least);
  EXPECT_EQ(bound["error_bound"], 2 * least);
  EXPECT_EQ(found["best"]["rho"], machine["settings"][machine["chosen"].get<std::size_t>()]["rho"]);
  EXPECT_TRUE(found["best"]["C"].is_null());
  EXPECT_EQ(found["options"]["trials"], 12);
}

/// The name says whose floor: that of the label vectors drawn, which the complexity at rho = 0 attains, as then only
/// constant classifiers are left. That of the expectation is printed by `credence bound` and is another number.
TEST_P(InSample, TheFloorIsThatOfTheLabelVectorsDrawn) {
  const std::vector<std::string> constant{"--trials", "12", "--rho", "0", "--gamma", "0.1"};
  const json found = json::parse(select({"--json", "-", "--quiet"}, constant).out)["in_sample"];
  EXPECT_FALSE(found.contains("floor"));
  if (GetParam().hint) return;  // f0 with its bias is no constant
  EXPECT_NEAR(found["floor_of_label_vectors"].get<double>(),
              found["svms"][0]["settings"][0]["complexity"].get<double>(), 1e-12);
}

TEST_P(InSample, SettingsLeftOutAreNull) {
  // A kernel that tells every row from all others fits any labels at the second rho.
  const std::vector<std::string> narrow{"--gamma", "1000", "--trials", "12", "--rho", "0.001,1e6,1e7"};
  const json found = json::parse(select({"--json", "-", "--quiet"}, narrow).out);
  const json& last = found["in_sample"]["svms"][0]["settings"].back();
  EXPECT_EQ(last["complete"], false);
  for (const char* field : {"training_loss", "complexity", "bound", "bound_upper", "trials", "trials_upper"})
    EXPECT_TRUE(last[field].is_null()) << field;
}

TEST_P(InSample, TheUnionDividesDelta) {
  const json found = document({"--union", "--delta", "0.1"})["in_sample"];
  EXPECT_EQ(found["delta"], 0.1);
  EXPECT_NEAR(found["delta_each"].get<double>(), 0.1 / 3, 1e-15);
}

TEST_P(InSample, TheTableShowsBothSidesAndNoEstimate) {
  const CommandResult result = select({});
  ASSERT_EQ(result.code, 0) << result.err;
  for (const char* part : {"estimate", "upper", "training loss", "+ complexity", "standard error", "+ deviation",
                           "= soft loss at most", "error rate at most", "vacuous", "may be too small"}) {
    EXPECT_NE(test::flat(result.out).find(part), std::string::npos) << part << " in\n" << result.out;
  }
  EXPECT_EQ(result.out.find("optimistic"), std::string::npos) << result.out;
  const std::string said = test::flat(result.out);
  EXPECT_EQ(said.find("12 for the hint") != std::string::npos || said.find("18 for the hint") != std::string::npos,
            GetParam().hint)
      << result.out;
  std::istringstream lines(result.out);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 132U) << line;
}

/// A bound is called proved where the theorem's conditions hold, all of them, and nowhere else.
TEST_P(InSample, ProvedOnlyWhereEveryConditionOfTheTheoremHolds) {
  const bool rademacher = std::string(GetParam().name).starts_with("rademacher");
  const std::vector<std::string> term =
      rademacher ? std::vector<std::string>{"--term", "trials"} : std::vector<std::string>{};
  const auto found = [&](const std::vector<std::string>& more) { return document(more)["in_sample"]; };
  const json usual = found({});
  EXPECT_EQ(usual["proved"], false);
  EXPECT_EQ(usual["gaps"].size(), 2U + (rademacher ? 1U : 0U)) << usual["gaps"];
  EXPECT_EQ(usual["gaps"].dump().find("--scale none") == std::string::npos, GetParam().hint) << usual["gaps"];
  const json all = found(with({"--union", "--scale", "none"}, term));
  EXPECT_EQ(all["proved"], !GetParam().hint) << all["gaps"];
  EXPECT_EQ(all["gaps"].empty(), !GetParam().hint) << all["gaps"];
  EXPECT_EQ(found(with({"--scale", "none"}, term))["proved"], false) << "the smallest of three";
  EXPECT_GT(all["error_bound_upper"], usual["error_bound_upper"]) << "what is proved is larger";
  const CommandResult shown = select(with({"--union", "--scale", "none"}, term));
  EXPECT_EQ(shown.out.find("are proved for independent rows") != std::string::npos, !GetParam().hint) << shown.out;
  EXPECT_EQ(shown.out.find("not proved in this run") == std::string::npos, !GetParam().hint) << shown.out;
}

TEST_P(InSample, EqualSeedsGiveEqualDocumentsAndModels) {
  const json one = document({"--threads", "1", "-o", "one"});
  const json two = document({"--threads", "2", "-o", "two"});
  EXPECT_EQ(without(one, {"seconds", "threads"}), without(two, {"seconds", "threads"}));
  const std::string bytes = test::read_text(command_.folder().file("one"));
  EXPECT_FALSE(bytes.empty());
  EXPECT_TRUE(bytes == test::read_text(command_.folder().file("two"))) << "the models differ";
}

TEST_P(InSample, SavePredictEvaluate) {
  const CommandResult selected = select({"-o", "m"});
  ASSERT_EQ(selected.code, 0) << selected.err;
  EXPECT_EQ(selected.out.find("around a hint of") != std::string::npos, GetParam().hint) << selected.out;
  const CommandResult predicted = command_.run({"predict", "m", "test.csv", "--quiet"});
  ASSERT_EQ(predicted.code, 0) << predicted.err;
  const Table table(predicted.out);
  EXPECT_EQ(table.names, (std::vector<std::string>{"row", "label", "decision_value", "familiarity"}));
  for (const auto& row : table.rows)
    EXPECT_EQ(row.at("label"), number(row, "decision_value") > 0 ? "class 1" : "class 0");
  const json evaluation = json::parse(command_.run({"evaluate", "m", "test.csv", "--json", "-"}).out);
  EXPECT_LT(evaluation["error"], 0.3);
}

INSTANTIATE_TEST_SUITE_P(Every, InSample, testing::ValuesIn(ways),
                         [](const testing::TestParamInfo<Way>& way) { return way.param.name; });

/// One machine for each class against the rest, each with its own rho; the bound is the sum of theirs.
TEST(InSampleClasses, EachHasItsMachine) {
  Command command;
  command.folder().write("data.csv", clouds_csv(90, 3, 1));
  const std::vector<std::string> words = with({"select", "data.csv", "--method", "rademacher"}, quick);
  const CommandResult selected = command.run(with(words, {"-o", "m", "--json", "r.json"}));
  ASSERT_EQ(selected.code, 0) << selected.err;
  const json found = json::parse(test::read_text(command.folder().file("r.json")))["in_sample"];
  ASSERT_EQ(found["svms"].size(), 3U);
  double sum = 0;
  for (const json& machine : found["svms"]) {
    const json& setting = machine["settings"][machine["chosen"].get<std::size_t>()];
    expect_sides(setting, 12);
    sum += setting["bound"].get<double>();
  }
  EXPECT_NEAR(found["bound"].get<double>(), sum, 1e-12);
  EXPECT_EQ(found["error_bound"], found["bound"]);
  EXPECT_NEAR(found["delta_each"].get<double>(), 0.05 / 3, 1e-15);
  for (const char* name : {"\nclass 0 ", "\nclass 1 ", "\nclass 2 "})
    EXPECT_NE(selected.out.find(name), std::string::npos) << selected.out;

  const Table table(command.run({"predict", "m", "data.csv", "--quiet"}).out);
  EXPECT_EQ(table.names, (std::vector<std::string>{"row", "label", "decision_value_class 0_vs_rest",
                                                   "decision_value_class 1_vs_rest", "decision_value_class 2_vs_rest",
                                                   "familiarity"}));
  for (const auto& row : table.rows) {
    for (const char* name : {"class 0", "class 1", "class 2"}) {
      EXPECT_GE(number(row, "decision_value_" + row.at("label") + "_vs_rest"),
                number(row, "decision_value_" + std::string(name) + "_vs_rest"));
    }
  }
}

/// Few rows: all label vectors, exact minima, one column.
TEST(InSampleExact, FewRowsAreEnumerated) {
  Command command;
  command.folder().write("data.csv", clouds_csv(8, 2, 1));
  const std::vector<std::string> words{"select", "data.csv", "--method", "rademacher", "--kernel",   "linear",
                                       "--rho",  "0.1,1",    "--trials", "200",        "--enumerate"};
  const CommandResult result = command.run(words);
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.out.find("Minima are exact"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("all 128 label vectors"), std::string::npos) << result.out;
  EXPECT_EQ(result.out.find("upper"), std::string::npos) << result.out;
  const json found = json::parse(command.run(with(words, {"--json", "-", "--quiet"})).out)["in_sample"];
  EXPECT_EQ(found["enumerated"], true);
  EXPECT_EQ(found["exact"], true);
  for (const json& setting : found["svms"][0]["settings"]) {
    if (!setting["complete"]) continue;
    EXPECT_NEAR(setting["complexity"].get<double>(), setting["complexity_upper"].get<double>(), 1e-9);
  }
}

/// f0 from a column: the model needs it for new rows too.
TEST(InSampleHint, OfAColumnIsNeededAtPredict) {
  Command command;
  std::string text = clouds_csv(60, 2, 1);
  std::istringstream lines(text);
  std::string with_hint;
  bool first = true;
  for (std::string line; std::getline(lines, line); first = false)
    with_hint += (first ? "f0" : line.substr(0, line.find(','))) + "," + line + "\n";
  command.folder().write("train.csv", with_hint);
  command.folder().write("without.csv", text);
  const CommandResult selected =
      command.run(with({"select", "train.csv", "--method", "rademacher", "--hint-column", "f0", "-o", "m"}, quick));
  ASSERT_EQ(selected.code, 0) << selected.err;
  for (const char* part : {"around the given hint", "column 'f0'"})
    EXPECT_NE(test::flat(selected.out).find(part), std::string::npos) << part << selected.out;
  EXPECT_EQ(command.run({"predict", "m", "train.csv"}).code, 0);
  const CommandResult missing = command.run({"predict", "m", "without.csv"});
  EXPECT_NE(missing.code, 0);
  EXPECT_NE(missing.err.find("f0"), std::string::npos) << missing.err;
  EXPECT_EQ(std::count(missing.err.begin(), missing.err.end(), '\n'), 1) << missing.err;
}

TEST(InSampleOptions, WithoutEffectAreRefused) {
  Command command;
  command.folder().write("data.csv", clouds_csv(40, 2, 1));
  const CommandResult in_sample = command.run(with({"select", "data.csv", "--method", "maximal-discrepancy", "--C", "1",
                                                    "--nu", "0.2", "--term", "trials", "--final", "random"},
                                                   quick));
  EXPECT_EQ(in_sample.code, 2) << "two options for one axis are refused, whatever the method";
  const CommandResult noted = command.run(with({"select", "data.csv", "--method", "maximal-discrepancy", "--nu", "0.2",
                                                "--term", "trials", "--final", "random", "--loss", "soft", "--nested"},
                                               quick));
  EXPECT_EQ(noted.code, 2) << noted.err;
  for (const char* option : {"--nu", "--term", "--final", "--loss", "--nested"}) {
    EXPECT_NE(noted.err.find(option + std::string(": maximal-discrepancy with svm models does not use it")),
              std::string::npos)
        << option << noted.err;
  }
  for (const char* option : {"--rho", "--trials"}) EXPECT_EQ(noted.err.find(option), std::string::npos) << noted.err;
  const CommandResult cv = command.run({"select", "data.csv", "--C", "1", "--gamma", "0.1", "--rho", "1", "--hint",
                                        "0.3", "--trials", "5", "--all-rhos", "--peel", "--no-bias", "--union"});
  EXPECT_EQ(cv.code, 2) << cv.err;
  for (const char* option : {"--rho", "--hint", "--trials", "--all-rhos", "--peel", "--no-bias", "--union"})
    EXPECT_NE(cv.err.find(option + std::string(": cv with svm models does not use it")), std::string::npos) << option;
}

TEST(InSampleOptions, RhoTakesRanges) {
  Command command;
  command.folder().write("data.csv", clouds_csv(40, 2, 1));
  const std::vector<std::string> words =
      with({"select", "data.csv", "--method", "rademacher", "--json", "-", "--quiet", "--all-rhos"}, linear);
  const auto settings = [&](const std::vector<std::string>& more) {
    return json::parse(command.run(with(words, more)).out)["in_sample"]["svms"][0]["settings"];
  };
  EXPECT_EQ(settings({"--rho", "10^-6:10^-2:x10"}).size(), 5U);
  const json powers = settings({"--rho", "2^-4:2^2:x4"});
  ASSERT_EQ(powers.size(), 4U);
  EXPECT_EQ(powers[3]["rho"], 4);
}

/// Options that change what is computed reach the library.
TEST(InSampleOptions, ReachTheMethod) {
  Command command;
  command.folder().write("data.csv", clouds_csv(40, 2, 1));
  const auto found = [&](const std::vector<std::string>& more) {
    const CommandResult result = command.run(
        with(with({"select", "data.csv", "--method", "rademacher", "--json", "-", "--quiet"}, quick), more));
    EXPECT_EQ(result.code, 0) << result.err;
    return json::parse(result.out);
  };
  const json usual = found({});
  const auto deviation = [](const json& document) {
    return document["in_sample"]["svms"][0]["settings"][0]["deviation"].get<double>();
  };
  const auto complexity = [](const json& document) {
    return document["in_sample"]["svms"][0]["settings"][0]["complexity"].get<double>();
  };
  EXPECT_GT(deviation(found({"--term", "trials"})), deviation(usual));
  EXPECT_LT(deviation(found({"--delta", "0.2"})), deviation(usual));
  EXPECT_LT(complexity(found({"--no-bias"})), complexity(usual)) << "no floor of the bias";
  EXPECT_EQ(found({"--peel"})["options"]["peel"], true);
}

TEST(InSampleLimits, TimeLimitGivesAMarkedPartialResult) {
  Command command;
  command.folder().write("large.csv", clouds_csv(1500, 2, 2));
  const CommandResult result = command.run(
      {"select", "large.csv", "--method", "rademacher", "--time-limit", "0.3", "--all-rhos", "-o", "m", "--json", "-"});
  EXPECT_EQ(result.code, 5) << result.err;
  EXPECT_NE(result.err.find("partial result"), std::string::npos) << result.err;
  EXPECT_EQ(json::parse(result.out)["status"], "time limit");
  EXPECT_EQ(test::read_text(command.folder().file("m")), "");
}

}  // namespace in_sample_tests
}  // namespace credence
