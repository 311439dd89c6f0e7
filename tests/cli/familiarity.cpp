#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "helpers.hpp"
#include "report/page/page.hpp"
#include "support/command.hpp"

/// Which rows are unlike those of the training: a column of `predict`, a line and a list of `evaluate`.
namespace credence::test {
namespace familiarity_tests {

using nlohmann::json;

const std::string strange_rows = "x,y,z,label\n1000,0,0,class 0\n0,-1000,0,class 1\n40,40,-40,class 1\n";

class FamiliarityOfTheCommand : public testing::Test {
 protected:
  void SetUp() override {
    command_.folder().write("train.csv", clouds_csv(150, 2, 3));
    command_.folder().write("new.csv", clouds_csv(80, 2, 4));
    command_.folder().write("strange.csv", strange_rows);
  }
  CommandResult run(const std::vector<std::string>& arguments, int code = 0) const {
    CommandResult result = command_.run(arguments);
    EXPECT_EQ(result.code, code) << result.err;
    return result;
  }
  void train(const std::vector<std::string>& arguments) const {
    run(with(arguments, {"train.csv", "-o", "m", "--quiet"}));
  }
  Command command_;
};

TEST_F(FamiliarityOfTheCommand, EveryModelGivesTheColumn) {
  const std::vector<std::vector<std::string>> models{
      {"train"},
      {"train", "--folds", "5"},
      {"train", "--model", "rvm"},
      {"train", "--region-size", "60"},
      {"select", "--C", "1,8", "--gamma", "0.1"},
      {"select", "--C", "1,8", "--gamma", "0.1", "--rule", "average"},
      {"select", "--C", "1,8", "--gamma", "0.1", "--method", "kfold-nested", "--final", "random", "--estimate", "none"},
      {"select", "--C", "1,8", "--gamma", "0.1", "--method", "nonconformity"},
      {"select", "--method", "nonconformity", "--model", "knn"},
      {"select", "--C", "1,8", "--gamma", "0.1", "--method", "max-margin"},
      {"conformal", "fit"},
      {"conformal", "fit", "--mode", "inductive", "--measure", "margin"},
      {"conformal", "fit", "--mode", "cross", "--measure", "margin"}};
  for (const std::vector<std::string>& model : models) {
    train(model);
    const Table strange(run({"predict", "m", "strange.csv", "--quiet"}).out);
    for (const auto& row : strange.rows) EXPECT_EQ(number(row, "familiarity"), 1.0 / 151) << model.back();
    const CommandResult plain = run({"predict", "m", "new.csv", "--quiet"});
    double sum = 0;
    for (const auto& row : Table(plain.out).rows) sum += number(row, "familiarity");
    EXPECT_NEAR(sum / 80, 0.5, 0.15) << model.back();
    EXPECT_EQ(run({"predict", "m", "new.csv", "--quiet", "--block", "7"}).out, plain.out) << "blocks";
    EXPECT_EQ(run({"predict", "m", "new.csv", "--quiet", "--threads", "3"}).out, plain.out) << "threads";
  }
}

TEST_F(FamiliarityOfTheCommand, ARegressionHasTheColumnTheLineAndTheList) {
  command_.folder().write("train.csv",
                          "x,y\n1,2\n2,3.9\n3,6.1\n4,8\n5,10.2\n6,11.9\n7,14\n8,16.1\n9,18\n10,20.2\n"
                          "11,22\n12,24.1\n13,26\n14,28\n15,30.1\n16,32\n17,34\n18,36\n19,38\n20,40\n");
  command_.folder().write("new.csv", "x,y\n4.5,9\n5000,10\n");
  run({"train", "train.csv", "--task", "regression", "-o", "m", "--quiet"});
  const Table table(run({"predict", "m", "new.csv", "--quiet"}).out);
  EXPECT_EQ(table.names, (std::vector<std::string>{"row", "mean", "sd", "familiarity"}));
  EXPECT_GT(number(table.rows[0], "familiarity"), 0.5);
  EXPECT_EQ(number(table.rows[1], "familiarity"), 1.0 / 21);
  const CommandResult result = run({"evaluate", "m", "new.csv", "--json", "e.json"});
  EXPECT_NE(result.out.find("\nfamiliarity  1 of 2 look unlike the training rows"), std::string::npos) << result.out;
  const json found = json::parse(read_text(command_.folder().file("e.json")))["familiarity"];
  EXPECT_EQ(found["known_rows"], 20);
  EXPECT_EQ(found["levels"][0]["n"], 0);
  EXPECT_EQ(found["levels"][1]["share"], 0.5);
  EXPECT_EQ(found["listed_at"], 0.05);
  ASSERT_EQ(found["unlike"].size(), 1U);
  EXPECT_EQ(found["unlike"][0]["row"], 2);
}

TEST_F(FamiliarityOfTheCommand, EvaluateCountsListsAndWarns) {
  train({"train", "--folds", "5"});
  const std::string three = strange_rows.substr(strange_rows.find('\n') + 1);
  command_.folder().write("mixed.csv", clouds_csv(40, 2, 5) + three + three + three);
  const CommandResult mixed = run({"evaluate", "m", "mixed.csv", "--json", "e.json"});
  const json found = json::parse(read_text(command_.folder().file("e.json")));
  std::size_t unlike = 0;
  for (const auto& row : Table(run({"predict", "m", "mixed.csv", "--quiet"}).out).rows)
    unlike += number(row, "familiarity") <= 0.01 ? 1U : 0U;
  EXPECT_GE(unlike, 9U);
  EXPECT_EQ(found["familiarity"]["levels"][0]["n"], unlike);
  EXPECT_EQ(found["familiarity"]["unlike"].size(), unlike);
  EXPECT_EQ(found["familiarity"]["unlike"][0]["row"], 41) << "of equal p-values the first row";
  const std::string sentence = " of these 49 rows are unlike the training rows (familiarity of at most 0.01, ";
  EXPECT_NE(mixed.err.find(sentence), std::string::npos) << mixed.err;
  EXPECT_NE(found["warnings"].dump().find(sentence), std::string::npos);
  EXPECT_NE(run({"predict", "m", "mixed.csv"}).err.find(sentence), std::string::npos);
  EXPECT_EQ(run({"evaluate", "m", "new.csv"}).err.find("unlike"), std::string::npos);
  // A job at night runs with --quiet, and is to see this and nothing else.
  for (const std::vector<std::string>& quiet :
       {std::vector<std::string>{"predict", "m", "mixed.csv", "--quiet", "-o", "p.csv"},
        {"evaluate", "m", "mixed.csv", "--quiet"}}) {
    const CommandResult result = run(quiet);
    EXPECT_EQ(result.out, "");
    EXPECT_NE(result.err.find(sentence), std::string::npos) << quiet.front();
    EXPECT_EQ(result.err.find("credence: note"), std::string::npos) << result.err;
  }
  EXPECT_EQ(run({"predict", "m", "new.csv", "--quiet", "-o", "p.csv"}).err, "");
}

TEST_F(FamiliarityOfTheCommand, ColumnsOutsideTheirRangeAreNamed) {
  train({"train"});
  const CommandResult result = run({"evaluate", "m", "strange.csv", "--json", "e.json"});
  const json outside = json::parse(read_text(command_.folder().file("e.json")))["familiarity"]["outside"];
  std::vector<double> values;
  for (const auto& row : Table(read_text(command_.folder().file("train.csv"))).rows) values.push_back(number(row, "x"));
  ASSERT_EQ(outside.size(), 3U) << outside.dump();
  EXPECT_EQ(outside[0], (json{{"column", "x"}, {"rows", 2}, {"side", "above"}, {"end", std::ranges::max(values)}}));
  EXPECT_EQ(outside[2]["side"], "below");
  const std::string sentence = "column 'x': 2 of 3 rows above the training's largest, ";
  EXPECT_NE(result.out.find("             " + sentence), std::string::npos) << result.out;
  EXPECT_NE(result.err.find("; " + sentence), std::string::npos) << result.err;
  for (const char* block : {"1", "10000"})
    EXPECT_NE(run({"predict", "m", "strange.csv", "--block", block}).err.find("; " + sentence), std::string::npos);
}

TEST_F(FamiliarityOfTheCommand, ThePageListsTheRowsIfThereAreAny) {
  if (!report::pages_are_built_in()) GTEST_SKIP() << "report pages are not built in";
  train({"train"});
  const std::string title = "Rows unlike anything in training";
  run({"evaluate", "m", "strange.csv", "--report", "p.html", "--quiet"});
  EXPECT_NE(read_text(command_.folder().file("p.html")).find(title), std::string::npos);
  command_.folder().write("usual.csv", "x,y,z,label\n0,0,0,class 0\n1,-2,0,class 1\n");
  run({"evaluate", "m", "usual.csv", "--report", "p.html", "--quiet"});
  EXPECT_EQ(read_text(command_.folder().file("p.html")).find(title), std::string::npos);
}

TEST_F(FamiliarityOfTheCommand, ModelsWithoutKnownRowsHaveNoColumn) {
  run({"conformal", "fit", "train.csv", "--metric", "cosine", "-o", "m", "--quiet"});
  EXPECT_EQ(run({"predict", "m", "new.csv", "--quiet"}).out.find("familiarity"), std::string::npos);
  EXPECT_EQ(run({"evaluate", "m", "new.csv"}).out.find("familiarity"), std::string::npos);
}

}  // namespace familiarity_tests
}  // namespace credence::test
