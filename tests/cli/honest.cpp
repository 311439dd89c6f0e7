#include <gtest/gtest.h>

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "credence/core/random.hpp"
#include "credence/selection/honest_choice.hpp"
#include "report/page/page.hpp"
#include "support/command.hpp"
#include "support/context.hpp"

namespace credence {
namespace honest_command_tests {

using nlohmann::json;
using test::Command;
using test::CommandResult;

/// Losses of three candidates, a group of each row, and empty cells.
struct Table {
  selection::LossTable losses{40, 3};
  std::vector<int> groups;
  std::string text = "forest,site,boosted,k-NN\n";
};

Table table() {
  Table made;
  core::RandomStream random(4, 5);
  for (std::size_t i = 0; i < made.losses.rows; ++i) {
    made.groups.push_back(static_cast<int>(i / 3));
    std::vector<std::string> settings;
    for (std::size_t c = 0; c < 3; ++c) {
      const bool gap = random.below(12) == 0;
      float& loss = made.losses.row(i)[c];
      loss = gap ? std::numeric_limits<float>::quiet_NaN() : static_cast<float>(random.below(3) == 0 ? 1 : 0);
      settings.push_back(gap ? "" : fmt::format("{}", loss));
    }
    made.text += fmt::format("{},s{:02},{},{}\n", settings[0], made.groups.back(), settings[1], settings[2]);
  }
  return made;
}

json run_json(const Command& command, std::vector<std::string> arguments, const std::string& input = "") {
  arguments.insert(arguments.end(), {"--json", "-", "--quiet"});
  const CommandResult result = command.run(arguments, input);
  EXPECT_EQ(result.code, 0) << result.err;
  return json::parse(result.out);
}

void expect_refused(const std::vector<std::string>& arguments, int code, const std::string& sentence,
                    const std::string& input = "") {
  const Command command;
  const CommandResult result = command.run(arguments, input);
  EXPECT_EQ(result.code, code);
  EXPECT_EQ(result.out, "");
  EXPECT_NE(result.err.find(sentence), std::string::npos) << result.err;
}

TEST(HonestCommand, SaysWhatTheLibrarySays) {
  const Table made = table();
  const Command command;
  const json document = run_json(command, {"honest", "-", "--groups", "site", "--seed", "3"}, made.text);
  test::Surroundings one;
  const selection::HonestChoice found = selection::honest_choice(made.losses, {"forest", "boosted", "k-NN"},
                                                                 made.groups, "loss", {.seed = 3}, one.context);
  EXPECT_EQ(document.at("kind"), "honest error");
  EXPECT_EQ(document.at("n"), found.rows);
  EXPECT_EQ(document.at("groups"), 14);
  EXPECT_EQ(document.at("chosen"), found.candidates[found.chosen].name);
  EXPECT_EQ(document.at("selected"), found.candidates[found.chosen].loss);
  EXPECT_EQ(document.at("honest").at("error"), found.estimate.error);
  EXPECT_EQ(document.at("honest").at("lower"), *found.estimate.lower);
  EXPECT_EQ(document.at("honest").at("interval"), "Korn-Graubard");
  for (std::size_t c = 0; c < 3; ++c) {
    const json& one_of = document.at("candidates").at(c);
    EXPECT_EQ(one_of.at("rows"), found.candidates[c].rows);
    EXPECT_EQ(one_of.at("standard_error"), found.candidates[c].standard_error);
    EXPECT_EQ(one_of.at("p_value").is_null(), c == found.chosen);
  }
}

TEST(HonestCommand, PageHasChartsAndTheCorrectedEstimate) {
  const Command command;
  const std::string page = command.folder().file("page.html");
  const CommandResult result =
      command.run({"honest", "-", "--drop", "site", "--quiet", "--report", page}, table().text);
  if (!report::pages_are_built_in()) GTEST_SKIP();
  ASSERT_EQ(result.code, 0) << result.err;
  const std::string text = test::read_text(page);
  for (const char* part : {"What to expect of the choice", "How good is each candidate?", "How sure the choice is"})
    EXPECT_NE(text.find(part), std::string::npos) << part;
}

TEST(HonestCommand, NonsenseIsRefused) {
  expect_refused({"honest", "-"}, 3, "'site' holds texts instead of losses: a file of losses has a line for each",
                 table().text);
  expect_refused({"honest", "-"}, 3,
                 "this does not look like losses: the text \".\" stands among 2 numbers; a file of losses has a line "
                 "for each row judged, and a column of losses for each candidate (credence select takes",
                 "a,b\n0.1,1\n.,0\n0.3,2\n");
  expect_refused({"honest", "-"}, 3, "'y' is the name of a label, but a file of losses has", "a,y\n0.1,1\n0.3,0\n");
  expect_refused({"honest", "-", "--confidence", "1"}, 2, "--confidence: 1 is not between 0 and 1", table().text);
  expect_refused({"honest", "-", "--groups", "none"}, 2, "none", table().text);
  expect_refused({"honest", "-"}, 3, "no candidate has a loss on any row", "a,b\n,\n,\n");
  expect_refused({"honest", "missing.csv"}, 4, "missing.csv");
}

/// Columns with units of their own are features; a constant factor between losses is what a bad candidate has.
TEST(HonestCommand, WarnsOfATableOfFeatures) {
  std::string features = "weight,share\n";
  std::string losses = "good,bad\n";
  for (int i = 0; i < 40; ++i) {
    features += fmt::format("{},{}\n", 60 + i, 0.01 * i);
    losses += fmt::format("{},{}\n", i % 10, 50 + i % 7);
  }
  const Command command;
  const CommandResult warned = command.run({"honest", "-"}, features);
  EXPECT_EQ(warned.code, 0) << warned.err;
  EXPECT_NE(warned.err.find("as in features, not in losses"), std::string::npos) << warned.err;
  EXPECT_EQ(command.run({"honest", "-"}, losses).err.find("as in features"), std::string::npos);
}

/// Predictions of two programs on the same rows.
TEST(ComparePredictions, CountsTheErrorsOfEachFile) {
  const Command command;
  const std::string a =
      command.folder().write("forest.csv", "row,sick,label\n1,no,no\n2,yes,yes\n3,no,yes\n4,yes,yes\n");
  const std::string b = command.folder().write("trees.csv", "row,sick,label\n1,no,yes\n2,yes,no\n3,no,no\n4,yes,\n");
  const json document = run_json(command, {"compare", "--predictions", a + "," + b, "--label", "sick"});
  EXPECT_EQ(document.at("chosen"), "forest");
  EXPECT_EQ(document.at("score"), "error");
  EXPECT_EQ(document.at("candidates").at(0).at("loss"), 0.25);
  EXPECT_EQ(document.at("candidates").at(1).at("rows"), 3);
  EXPECT_NEAR(document.at("candidates").at(1).at("loss").get<double>(), 2.0 / 3, 1e-15);
}

TEST(ComparePredictions, TakesWhatPredictWrites) {
  const Command command;
  const CommandResult made =
      command.shell("cp " CREDENCE_SOURCE_DIR
                    "/data/breast_cancer.csv data.csv && "
                    "$CREDENCE train data.csv --C 1 --gamma 0.1 -o a.credence --quiet && "
                    "$CREDENCE train data.csv --C 1 --gamma 10 -o b.credence --quiet && "
                    "$CREDENCE predict a.credence data.csv --id diagnosis --quiet -o a.csv && "
                    "$CREDENCE predict b.credence data.csv --id diagnosis --quiet -o b.csv && "
                    "$CREDENCE compare --predictions a.csv,b.csv --label diagnosis --quiet --json -");
  ASSERT_EQ(made.code, 0) << made.err;
  const json document = json::parse(made.out);
  EXPECT_EQ(document.at("n"), 569);
  EXPECT_EQ(document.at("candidates").at(0).at("name"), "a");
}

TEST(ComparePredictions, SquaredErrorsOfRegressions) {
  const Command command;
  const std::string a = command.folder().write("a.csv", "y,mean\n1,1.5\n2,2\n3,1\n");
  const std::string b = command.folder().write("b.csv", "y,mean\n1,1\n2,2\n3,3\n");
  const json document = run_json(command, {"compare", "--predictions", a + "," + b, "--label", "y"});
  EXPECT_EQ(document.at("score"), "squared error");
  EXPECT_NEAR(document.at("candidates").at(0).at("loss").get<double>(), 4.25 / 3, 1e-7);
  EXPECT_EQ(document.at("chosen"), "b");
}

TEST(ComparePredictions, NonsenseIsRefused) {
  const Command command;
  const std::string a = command.folder().write("a.csv", "sick,label\nno,no\nyes,yes\nno,yes\n");
  const std::string fewer = command.folder().write("b.csv", "sick,label\nno,no\nyes,yes\n");
  const std::string other = command.folder().write("c.csv", "sick,label\nno,no\nyes,yes\nyes,yes\n");
  const std::string none = command.folder().write("d.csv", "sick,age\nno,1\nyes,2\nyes,3\n");
  const std::string numbers = command.folder().write("e.csv", "sick,mean\nno,1\nyes,2\nno,3\n");
  expect_refused({"compare", "--predictions", a + "," + fewer, "--label", "sick"}, 3, "have 3 and 2 rows");
  expect_refused({"compare", "--predictions", a + "," + other, "--label", "sick"}, 3, "they differ in data row 3");
  expect_refused({"compare", "--predictions", a + "," + none, "--label", "sick"}, 3, "none of the columns");
  expect_refused({"compare", "--predictions", a + "," + numbers, "--label", "sick"}, 3, "classes and numbers");
  expect_refused({"compare", "--predictions", a, "--label", "well"}, 3, "there is no column 'well'");
  expect_refused({"compare", "--predictions", a}, 3, "name the column of the true class or number (--label)");
  expect_refused({"compare", "--predictions", numbers, "--label", "sick"}, 3, "is no number");
  expect_refused({"compare", a, "--predictions", a, "--label", "sick"}, 2, "so there is no DATA to read");
  expect_refused({"compare", "--predictions", a, "--label", "sick", "--C", "1"}, 2, "no method is run");
  expect_refused({"compare"}, 2, "DATA is required");
}

}  // namespace honest_command_tests
}  // namespace credence
