#include <gtest/gtest.h>

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>

#include "report/page/page.hpp"
#include "support/command.hpp"

namespace credence {
namespace describe_command_tests {

using nlohmann::json;
using test::Command;
using test::CommandResult;

/// 120 rows: a number with a code for missing values, gaps, levels that name the class, one value, and two copies.
std::string made_table() {
  std::string text = "age,crp,code,same,sick\n";
  const auto row = [](int i) {
    const bool sick = i % 3 == 0;
    return fmt::format("{},{},{},7,{}\n", i % 30 == 0 ? "" : fmt::to_string(20 + i % 37 + 0.01 * i),
                       i % 10 == 1 ? "-99" : fmt::to_string(1 + i % 7), sick ? i % 2 == 0 ? "D1" : "D2" : "D3",
                       sick ? "yes" : "no");
  };
  for (int i = 0; i < 118; ++i) text += row(i);
  return text + row(1) + row(2);
}

TEST(DescribeCommand, SaysWhatTheTableHolds) {
  const Command command;
  const CommandResult result = command.run({"describe", "-", "--json", "-", "--quiet"}, made_table());
  ASSERT_EQ(result.code, 0) << result.err;
  const json found = json::parse(result.out);
  EXPECT_EQ(found["kind"], "description");
  EXPECT_EQ(found["n"], 120);
  EXPECT_EQ(found["classes"], (json{"no", "yes"}));
  EXPECT_EQ(found["class_counts"], (json{80, 40}));
  EXPECT_EQ(found["copies"], 2);
  EXPECT_EQ(found["label"], "'sick' (the last column)");
  const json& columns = found["columns"];
  ASSERT_EQ(columns.size(), 4U);
  EXPECT_EQ(columns[0]["kind"], "number");
  EXPECT_EQ(columns[0]["missing"], 4);
  EXPECT_EQ(columns[1]["least"], -99);
  EXPECT_EQ(columns[1]["largest"], 7);
  EXPECT_EQ(columns[2]["kind"], "levels");
  EXPECT_EQ(columns[2]["levels"][0], (json{{"name", "D3"}, {"rows", 80}}));
  EXPECT_EQ(columns[2]["least"], nullptr);
  EXPECT_EQ(columns[3]["kind"], "constant");
}

TEST(DescribeCommand, SelectPrintsTheSameNotes) {
  const Command command;
  const std::string file = command.folder().write("table.csv", made_table());
  const CommandResult look = command.run({"describe", file, "--json", "-"});
  const CommandResult choice = command.run({"select", file, "--missing", "impute", "--C", "1", "--gamma", "0.1"});
  ASSERT_EQ(choice.code, 0) << choice.err;
  const json found = json::parse(look.out);
  ASSERT_EQ(found["notes"].size(), 2U);
  ASSERT_EQ(found["warnings"].size(), 1U);
  const std::string sentinel = "credence: note: " + found["notes"][0].get<std::string>();
  EXPECT_NE(sentinel.find("if it means missing: --na crp=-99"), std::string::npos);
  const std::string leak = "credence: warning: " + found["warnings"][0].get<std::string>() + " (--drop)";
  EXPECT_NE(leak.find("column 'code' alone tells the class"), std::string::npos);
  for (const std::string& sentence : {sentinel, leak})
    EXPECT_NE(choice.err.find(sentence), std::string::npos) << sentence;
  EXPECT_NE(look.err.find(leak), std::string::npos) << look.err;
  for (const char* part : {"missing     4 values in 1 column", "copies      2 rows equal to an earlier one",
                           "code    levels          0          3  'D3' (80), 'D1' (20), 'D2' (20)"})
    EXPECT_NE(look.err.find(part), std::string::npos) << look.err;
}

/// A rare label gives no cause for a warning; on the page of `select` the note stands in the first list.
TEST(DescribeCommand, ALeakOfARareLabelIsNoted) {
  std::string text = "age,code,sick\n";
  for (int i = 0; i < 200; ++i) text += fmt::format("{},{},{}\n", i % 61 + 0.5, i % 20 == 0 ? 21 : 0, i % 20 == 0);
  const Command command;
  const std::string file = command.folder().write("rare.csv", text);
  const json found = json::parse(command.run({"describe", file, "--json", "-"}).out);
  EXPECT_TRUE(found["warnings"].empty());
  ASSERT_FALSE(found["notes"].empty());
  const std::string leak = found["notes"].back();
  EXPECT_TRUE(leak.starts_with("too good to be true? column 'code' alone errs on 0 %")) << leak;
  const json chosen = json::parse(command.run({"select", file, "--C", "1", "--gamma", "0.1", "--json", "-"}).out);
  EXPECT_NE(chosen["notes"].dump().find(leak), std::string::npos) << chosen["notes"].dump();
  const json& first = chosen["report"]["sections"][0];
  EXPECT_LT(first.dump().find(leak), first.dump().find("\"tried\"")) << first.dump();
}

TEST(DescribeCommand, PageDrawsTheFirstSixtyColumns) {
  std::string text = "label";
  for (int j = 0; j < 70; ++j) text += fmt::format(",g{}", j);
  for (int i = 0; i < 20; ++i) {
    text += i % 2 == 0 ? "\nx" : "\ny";
    for (int j = 0; j < 70; ++j) text += fmt::format(",{}", (i * (j + 3)) % 17);
  }
  const Command command;
  const std::string page = command.folder().file("page.html");
  const CommandResult result = command.run({"describe", "-", "--report", page}, text + "\n");
  if (!report::pages_are_built_in()) GTEST_SKIP();
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.out.find("The first 60 of 70 columns"), std::string::npos) << result.out;
  EXPECT_EQ(result.out.find("g60"), std::string::npos);
  const std::string html = test::read_text(page);
  EXPECT_NE(html.find("How are the values spread?"), std::string::npos);
  EXPECT_NE(html.find("The first 60 columns are drawn"), std::string::npos);
  EXPECT_NE(html.find("<td>g69</td>"), std::string::npos);
}

TEST(DescribeCommand, RegressionsAndTablesOfFiguresAreDescribedToo) {
  const Command command;
  std::string text = "a,price\n";
  for (int i = 0; i < 40; ++i) text += fmt::format("{},{}\n", i % 5, 0.5 * i);
  const CommandResult result = command.run({"describe", "-", "--task", "regression", "--json", "-", "--quiet"}, text);
  ASSERT_EQ(result.code, 0) << result.err;
  const json found = json::parse(result.out);
  EXPECT_EQ(found["target"]["median"], 9.75);
  EXPECT_EQ(found["warnings"], json::array());
  const CommandResult sparse = command.run({"describe", "-", "--json", "-", "--quiet"}, "1 1:2 9:-1\n2 9:4\n1 2:1\n");
  ASSERT_EQ(sparse.code, 0) << sparse.err;
  EXPECT_EQ(json::parse(sparse.out)["columns"][8]["median"], 0);
  EXPECT_EQ(json::parse(sparse.out)["columns"][8]["least"], -1);
}

}  // namespace describe_command_tests
}  // namespace credence
