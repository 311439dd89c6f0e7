#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "cli/helpers.hpp"
#include "credence/io/model_file.hpp"
#include "support/command.hpp"

namespace credence {
namespace errors_tests {

using test::Command;
using test::CommandResult;
using test::with;

/// Two clouds; enough rows for ten folds.
std::string small_csv(int rows = 60) {
  std::string text = "a,b,colour,label\n";
  for (int i = 0; i < rows; ++i) {
    text += std::to_string(i % 7) + "." + std::to_string(i % 3) + "," + std::to_string((i * i) % 11 + 5 * (i % 2)) +
            "," + (i % 3 == 0 ? "red" : "blue") + "," + (i % 2 == 0 ? "yes" : "no") + "\n";
  }
  return text;
}

const std::vector<std::string> quick{"--C", "1,4", "--gamma", "0.1,0.5", "--folds", "3"};

void expect_one_line_error(const CommandResult& result, int code, const std::string& part) {
  EXPECT_EQ(result.code, code) << result.err;
  EXPECT_EQ(result.out, "");
  EXPECT_TRUE(result.err.starts_with("credence: ")) << result.err;
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  EXPECT_NE(result.err.find(part), std::string::npos) << "expected '" << part << "' in: " << result.err;
}

class BadData : public testing::Test {
 protected:
  CommandResult select(const std::string& content, const std::vector<std::string>& options = {}) {
    command_.folder().write("data.csv", content);
    return command_.run(with(with({"select", "data.csv"}, quick), options));
  }
  Command command_;
};

/// What is not in the table of bad files.
TEST_F(BadData, NamesItsPlaceOrTheOptionThatHelps) {
  expect_one_line_error(select("a,label\n1,x\nnan,y\n2,x\n3,y\n"), 3, "data.csv:3");
  expect_one_line_error(select(small_csv(), {"--weights", "importance"}), 2, "importance");
  expect_one_line_error(select(small_csv(), {"--memory", "100", "--rule", "best"}), 6, "(--memory)");
}

class BadOptions : public testing::TestWithParam<std::pair<std::vector<std::string>, std::string>> {};

/// DATA does not exist, so that exit code 2 shows that options are looked at first.
TEST_P(BadOptions, AreFoundBeforeTheDataAreRead) {
  Command command;
  expect_one_line_error(command.run(with({"select", "nowhere.csv"}, GetParam().first)), 2, GetParam().second);
}

using Case = std::pair<std::vector<std::string>, std::string>;
INSTANTIATE_TEST_SUITE_P(
    Select, BadOptions,
    testing::Values(
        Case{{"--C", "0"}, "C"}, Case{{"--C", "-1"}, "C"}, Case{{"--C", "cheap"}, "--C"},
        Case{{"--gamma", "wide"}, "--gamma"}, Case{{"--folds", "ten"}, "--folds"},
        Case{{"--kernel", "cubic"}, "--kernel"}, Case{{"--scale", "log"}, "--scale"},
        Case{{"--scale-scope", "none"}, "--scale-scope"}, Case{{"--missing", "ignore"}, "--missing"},
        Case{{"--delimiter", "ab"}, "--delimiter"}, Case{{"--header", "maybe"}, "--header"},
        Case{{"--format", "arff"}, "--format"}, Case{{"--tolerance", "0"}, "--tolerance"},
        Case{{"--tolerance", "nan"}, "--tolerance"}, Case{{"--memory", "lots"}, "--memory"},
        Case{{"--memory", "-4G"}, "--memory"}, Case{{"--threads", "-1"}, "--threads"},
        Case{{"--time-limit", "0"}, "--time-limit"}, Case{{"--class-weight", "x"}, "--class-weight"},
        Case{{"--class-weight", "x:0"}, "--class-weight"}, Case{{"--kernel", "polynomial", "--degree", "0"}, "degree"},
        Case{{"--nu", "0.2", "--C", "1"}, "--nu"}, Case{{"--nu", "1.5"}, "nu"}, Case{{"--nu", "0"}, "nu"},
        Case{{"--nu", "few"}, "--nu"}, Case{{"--k", "3"}, "knn models do"}, Case{{"--model", "tree"}, "--model"},
        Case{{"--model", "knn"}, "not by cv"}, Case{{"--model", "knn", "--method", "holdout", "--k", "1.5"}, "--k"},
        Case{{"--model", "knn", "--method", "holdout", "--gamma", "1"}, "--gamma"}, Case{{"--tie", "first"}, "--tie"},
        Case{{"--p-value", "exact"}, "--p-value"}, Case{{"--delta", "1"}, "--delta"},
        Case{{"--delta", "nan"}, "--delta"},
        Case{{"--method", "holdout", "--validation", "0"}, "--validation: 0 is not at least 1"},
        Case{{"--method", "holdout", "--validation", "-3"}, "--validation"}, Case{{"--margin", "wide"}, "--margin"},
        Case{{"--method", "bootstrap", "--resamples", "1"}, "samples"}, Case{{"--bootstrap", "633"}, "--bootstrap"},
        Case{{"--refit", "none"}, "--refit"}, Case{{"--rho", "-1"}, "rho"}, Case{{"--rho", "1,0.1"}, "rho"},
        Case{{"--rho", "small"}, "--rho"}, Case{{"--hint", "0"}, "--hint"}, Case{{"--hint", "1"}, "--hint"},
        Case{{"--hint", "nan"}, "--hint"}, Case{{"--trials", "0"}, "--trials"}, Case{{"--trials", "-3"}, "--trials"},
        Case{{"--trials", "few"}, "--trials"},
        Case{{"--method", "rademacher", "--trials", "1000000"}, "--trials: 1000000 is not from 2 to 100000"},
        Case{{"--term", "both"}, "--term"},
        Case{{"--method", "rademacher", "--peel", "--enumerate"}, "exclude each other"},
        Case{{"--loss", "hinge"}, "--loss"}, Case{{"--final", "both"}, "--final"},
        Case{{"--method", "kfold-nested", "--folds", "2"}, "folds"},
        Case{{"--method", "bootstrap", "--bootstrap", "632", "--nested"}, "nested"},
        Case{{"--method", "rademacher", "--model", "knn"}, "rademacher"},
        Case{{"--method", "holdout", "--model", "knn", "--rho", "1"}, "--rho"},
        Case{{"--method", "rademacher", "--class-weight", "balanced"}, "--class-weight: rademacher"},
        Case{{"-o", "-"}, "standard output"}, Case{{"extra.csv"}, "extra.csv"}));

TEST(Options, AllMistakesAreNamedAtOnce) {
  Command command;
  const CommandResult result = command.run({"select", "nowhere.csv", "--C", "cheap", "--gamma", "0", "--tie", "first",
                                            "--scale", "log", "--folds", "1", "--loss", "hinge"});
  for (const char* part : {"--C", "gamma", "--tie", "--scale", "folds", "hinge"})
    expect_one_line_error(result, 2, part);
}

/// Names of scikit-learn, MAPIE and LIBSVM's scripts, and what the command of each calls them.
TEST(Options, NamesOfOtherProgramsLeadToOurs) {
  const Command command;
  const std::vector<std::array<std::string, 3>> names{{"select", "--cv=5", "--folds"},
                                                      {"select", "--scoring=f1", "--score"},
                                                      {"select", "--n_jobs=2", "--threads"},
                                                      {"select", "--random-state=1", "--seed"},
                                                      {"select", "--metric=f1", "--score"},
                                                      {"compare", "--n-splits=3", "--folds"},
                                                      {"predict", "--alpha=0.1", "--confidence-level"},
                                                      {"evaluate", "--coverage=0.9", "--confidence-level"},
                                                      {"conformal", "--level=0.9", "--confidence-level"}};
  for (const auto& [part, given, own] : names) {
    std::vector<std::string> arguments{part, "a", given};
    if (part == "conformal") arguments = {part, "fit", "a", "-o", "m", given};
    if (part == "predict" || part == "evaluate") arguments.emplace_back("b");
    const CommandResult result = command.run(arguments);
    EXPECT_EQ(result.code, 2);
    EXPECT_NE(result.err.find(own), std::string::npos) << result.err;
  }
}

TEST(Options, OutputsAreCheckedBeforeTheRun) {
  Command command;
  expect_one_line_error(command.run({"select", "nowhere.csv", "-o", "no/such/folder/m"}), 4, "no/such/folder/m");
  expect_one_line_error(command.run({"select", "nowhere.csv", "--json", "."}), 4, "directory");
  expect_one_line_error(command.run({"train", "nowhere.csv", "-o", "no/such/folder/m"}), 4, "no/such/folder/m");
  expect_one_line_error(command.run({"predict", "m", "nowhere.csv", "-o", "no/such/folder/p"}), 4, "no/such/folder/p");
}

TEST(Options, WrongUseIsExplained) {
  Command command;
  expect_one_line_error(command.run({"train", "data.csv", "--nu", "0.1,0.2", "-o", "m"}), 2, "one value");
  expect_one_line_error(command.run({"train", "data.csv", "--nu", "0.5", "--C", "1", "-o", "m"}), 2, "--nu");
  expect_one_line_error(command.run({"train", "data.csv", "-o", "-"}), 2, "standard output");
  expect_one_line_error(command.run({"predict", "m", "data.csv", "--confidence-level", "0.9,0.9"}), 2, "twice");
  expect_one_line_error(command.run({"evaluate", "m", "data.csv", "--confidence-level", "often"}), 2,
                        "--confidence-level");
  command.folder().write("data.csv", small_csv());
  expect_one_line_error(command.run({"convert", "data.csv", "data.xyz"}), 2, ".svmlight");
  const CommandResult nothing = command.run({});
  EXPECT_EQ(nothing.code, 2);
  EXPECT_NE(nothing.err.find("credence select"), std::string::npos);
}

class BadModel : public testing::Test {
 protected:
  void SetUp() override {
    command_.folder().write("data.csv", small_csv());
    const CommandResult result = command_.run({"train", "data.csv", "-o", "m.credence", "--gamma", "0.2"});
    ASSERT_EQ(result.code, 0) << result.err;
  }
  Command command_;
};

TEST_F(BadModel, TruncatedAlteredMissing) {
  const std::string whole = test::read_text(command_.folder().file("m.credence"));
  command_.folder().write("short", std::string_view(whole).substr(0, whole.size() / 2));
  expect_one_line_error(command_.run({"predict", "short", "data.csv"}), 4, "truncated");
  std::string altered = whole;
  altered[altered.size() / 2] = static_cast<char>(altered[altered.size() / 2] ^ 1);
  command_.folder().write("altered", altered);
  expect_one_line_error(command_.run({"evaluate", "altered", "data.csv"}), 4, "altered");
  expect_one_line_error(command_.run({"predict", "data.csv", "data.csv"}), 4, "not a Credence model");
  expect_one_line_error(command_.run({"predict", "nowhere", "data.csv"}), 4, "nowhere");
}

TEST_F(BadModel, UnknownCategoryNamesItsColumn) {
  command_.folder().write("new.csv", "a,b,colour\n1,2,green\n");
  const CommandResult result = command_.run({"predict", "m.credence", "new.csv"});
  expect_one_line_error(result, 3, "colour");
  expect_one_line_error(result, 3, "green");
}

TEST_F(BadModel, LevelsNeedPValues) {
  expect_one_line_error(command_.run({"evaluate", "m.credence", "data.csv", "--confidence-level", "0.9"}), 2,
                        "p-values");
}

TEST_F(BadModel, NoNuForUnequalClasses) {
  command_.folder().write("few.csv", "a,label\n1,x\n2,x\n3,x\n4,x\n5,x\n6,x\n7,x\n8,y\n");
  expect_one_line_error(command_.run({"train", "few.csv", "--nu", "0.9", "-o", "few"}), 3, "nu");
}

TEST_F(BadModel, OutputsNeverReplaceInputs) {
  const std::string before = "a,b,label\n1,2,x\n2,1,y\n3,4,x\n4,3,y\n";
  const std::string data = command_.folder().write("keep.csv", before);
  for (const std::vector<std::string>& words : {std::vector<std::string>{"train", "keep.csv", "-o", "keep.csv"},
                                                {"select", "keep.csv", "-o", "./keep.csv"},
                                                {"select", "keep.csv", "--json", "one", "-o", "one"},
                                                {"predict", "m.credence", "keep.csv", "-o", "keep.csv"},
                                                {"convert", "keep.csv", "keep.csv"}}) {
    expect_one_line_error(command_.run(words), 2, "name of its own");
  }
  EXPECT_EQ(test::read_text(data), before);
}

TEST_F(BadModel, OverflowingKernelIsRefused) {
  command_.folder().write("two.csv", "a,b,label\n1,2,x\n20,30,y\n3,4,x\n50,60,y\n");
  expect_one_line_error(command_.run({"train", "two.csv", "--kernel", "polynomial", "--degree", "1000", "--gamma",
                                      "1000", "--scale", "none", "-o", "nan.credence"}),
                        3, "too large");
  EXPECT_EQ(test::read_text(command_.folder().file("nan.credence")), "");
}

TEST_F(BadModel, TrainingThatDidNotConvergeIsSavedWithItsViolation) {
  std::string text = "a,b,label\n";
  for (int i = 0; i < 200; ++i)
    text += std::to_string(i * 37 % 101) + "," + std::to_string(i * 53 % 97) + "," + std::to_string(i % 2) + "\n";
  command_.folder().write("hard.csv", text);
  const CommandResult result =
      command_.run({"train", "hard.csv", "--C", "1000", "--gamma", "1", "--max-steps", "3", "-o", "hard.credence"});
  const std::string violation = "of the KKT conditions, in place of ";
  EXPECT_EQ(result.code, 0);
  EXPECT_NE(result.err.find(violation), std::string::npos) << result.err;
  const model::TrainingRecord record = io::load_model(command_.folder().file("hard.credence"))->record;
  ASSERT_TRUE(record.violation);
  EXPECT_GT(*record.violation, record.tolerance);
  const CommandResult selected = command_.run({"select", "hard.csv", "--C", "1000", "--gamma", "1", "--max-steps", "3",
                                               "-o", "chosen.credence", "--estimate", "none"});
  EXPECT_EQ(selected.code, 0);
  EXPECT_NE(selected.err.find(violation), std::string::npos) << selected.err;
  EXPECT_EQ(command_.run({"predict", "chosen.credence", "hard.csv", "-o", "p.csv"}).code, 0);
}

}  // namespace errors_tests
}  // namespace credence
