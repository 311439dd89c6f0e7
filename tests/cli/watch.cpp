#include <gtest/gtest.h>

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "credence/core/random.hpp"
#include "support/command.hpp"

namespace credence {
namespace watch_command_tests {

using nlohmann::json;
using test::CommandResult;

/// Two clouds; ids, a label that is empty from a row on, and a shift.
std::string clouds(std::size_t n, std::uint64_t seed, double shift, std::size_t labelled, std::size_t first_id = 0) {
  core::RandomStream random(seed, 66);
  std::string text = "id,a,b,kind\n";
  for (std::size_t i = 0; i < n; ++i) {
    const bool one = random.below(2) == 0;
    text += fmt::format("r{},{:.6f},{:.6f},{}\n", first_id + i, random.normal() + (one ? 1.5 : -1.5) + shift,
                        random.normal(), i < labelled ? (one ? "one" : "two") : "");
  }
  return text;
}

class WatchCommand : public testing::Test {
 protected:
  WatchCommand() {
    command_.folder().write("train.csv", clouds(300, 1, 0, 300));
    const CommandResult made =
        command_.run({"train", "train.csv", "--label", "kind", "--drop", "id", "--folds", "5", "-o", "m", "--quiet"});
    EXPECT_EQ(made.code, 0) << made.err;
  }

  CommandResult watch(std::vector<std::string> more) const {
    more.insert(more.begin(), {"watch", "m"});
    return command_.run(more);
  }
  std::string state(const std::string& name) const { return test::read_text(command_.folder().file(name)); }

  test::Command command_;
};

TEST_F(WatchCommand, QuietRowsHaveOneLineAndCodeZeroAndShiftedRowsAnAlarm) {
  command_.folder().write("quiet.csv", clouds(500, 2, 0, 0));
  command_.folder().write("moved.csv", clouds(500, 3, 2, 0));
  const CommandResult quiet = watch({"quiet.csv", "--state", "s"});
  EXPECT_EQ(quiet.code, 0) << quiet.err;
  EXPECT_TRUE(quiet.out.starts_with("quiet: no change seen in 500 rows (evidence ")) << quiet.out;
  EXPECT_EQ(std::count(quiet.out.begin(), quiet.out.end(), '\n'), 1);
  const CommandResult moved = watch({"moved.csv", "--state", "s"});
  EXPECT_EQ(moved.code, 7) << moved.out;
  EXPECT_TRUE(moved.out.starts_with("ALARM: the rows are no longer like those of the training\n")) << moved.out;
  EXPECT_NE(moved.out.find("1000 seen; changed from about row "), std::string::npos) << moved.out;
  EXPECT_NE(moved.out.find("moved most  a"), std::string::npos) << moved.out;
  EXPECT_EQ(watch({"quiet.csv", "--state", "s"}).code, 7);  // an alarm stays
}

TEST_F(WatchCommand, FedWholeOrInPiecesTheStatesAreEqual) {
  const std::string all = clouds(400, 4, 0, 400);
  command_.folder().write("all.csv", all);
  const std::size_t cut = all.find("\nr150,") + 1;
  command_.folder().write("first.csv", all.substr(0, cut));
  command_.folder().write("second.csv", all.substr(0, all.find('\n') + 1) + all.substr(cut));
  const std::vector<std::string> more{"--label", "kind", "--id", "id"};
  const auto fed = [&](const std::string& file, const std::string& name) {
    const CommandResult result =
        watch({file, "--state", name, "--label", "kind", "--id", "id", "--threads", name == "w" ? "2" : "1"});
    EXPECT_EQ(result.code, 0) << result.err;
  };
  fed("all.csv", "w");
  fed("first.csv", "p");
  fed("second.csv", "p");
  EXPECT_EQ(state("w"), state("p"));
  fed("second.csv", "p");  // seen before
  EXPECT_EQ(state("w"), state("p"));
}

TEST_F(WatchCommand, LateLabelsAreTakenAndErrorsCounted) {
  command_.folder().write("early.csv", clouds(200, 5, 0, 50));
  command_.folder().write("late.csv", clouds(200, 5, 0, 200));
  const std::vector<std::string> words{"--state", "s", "--label", "kind", "--id", "id", "--quiet", "--json", "-"};
  const auto labelled = [&](const std::string& file) {
    std::vector<std::string> all{file};
    all.insert(all.end(), words.begin(), words.end());
    return json::parse(watch(all).out);
  };
  EXPECT_EQ(labelled("early.csv").at("errors").at(0).at("rows"), 50);
  const json late = labelled("late.csv");
  EXPECT_EQ(late.at("streams").at(0).at("rows"), 200);
  EXPECT_EQ(late.at("errors").at(0).at("rows"), 200);
  EXPECT_EQ(late.at("errors").at(1).at("class"), "one");
  EXPECT_LT(late.at("errors").at(0).at("lower"), late.at("errors").at(0).at("error"));
}

TEST_F(WatchCommand, WhatFailsLeavesTheStateAsItWas) {
  command_.folder().write("quiet.csv", clouds(100, 2, 0, 0));
  command_.folder().write("bad.csv", clouds(100, 3, 0, 0) + "r7,x,1,one\n");
  EXPECT_EQ(watch({"quiet.csv", "--state", "s"}).code, 0);
  const std::string before = state("s");
  EXPECT_EQ(watch({"bad.csv", "--state", "s"}).code, 3);
  EXPECT_EQ(state("s"), before);
}

TEST_F(WatchCommand, NonsenseIsRefused) {
  command_.folder().write("quiet.csv", clouds(100, 2, 0, 0));
  command_.folder().write("notes.txt", "rows");
  const auto refused = [&](std::vector<std::string> more, int code, const std::string& sentence) {
    const CommandResult result = watch(std::move(more));
    EXPECT_EQ(result.code, code);
    EXPECT_NE(result.err.find(sentence), std::string::npos) << result.err;
  };
  refused({"quiet.csv"}, 2, "--state FILE is required");
  refused({"quiet.csv", "--state", "s", "--alarm", "1"}, 2, "--alarm: 1 is not between 0 and 1");
  refused({"quiet.csv", "--state", "quiet.csv"}, 2, "quiet.csv");
  refused({"quiet.csv", "--state", "notes.txt"}, 4, "no state of a watch");
  refused({"quiet.csv", "--state", "s", "--id", "name"}, 2, "name");
  EXPECT_EQ(watch({"quiet.csv", "--state", "s", "--id", "id"}).code, 0);
  EXPECT_EQ(watch({"quiet.csv", "--state", "by-position", "--id", "1"}).code, 0);
  EXPECT_EQ(state("by-position"), state("s"));
  refused({"quiet.csv", "--state", "s"}, 2, "these have none");
  refused({"quiet.csv", "--state", "s", "--id", "id", "--alarm", "0.5"}, 2, "--alarm: the state was begun with 0.01");
  refused({"quiet.csv", "--state", "s", "--id", "id", "--label", "kind"}, 2, "begun without labels");
}

TEST_F(WatchCommand, PageDrawsTheEvidence) {
  command_.folder().write("moved.csv", clouds(300, 3, 6, 300));
  const CommandResult result =
      watch({"moved.csv", "--state", "s", "--label", "kind", "--report", command_.folder().file("p.html"), "--quiet"});
  if (result.err.find("not built in") != std::string::npos) GTEST_SKIP();
  EXPECT_EQ(result.code, 7) << result.err;
  const std::string page = test::read_text(command_.folder().file("p.html"));
  for (const char* part : {"The evidence, row after row", "Which columns moved most", "Errors so far"})
    EXPECT_NE(page.find(part), std::string::npos) << part;
}

TEST(ExchangeableCommand, SeesAnOrderAndNone) {
  const test::Command command;
  core::RandomStream random(1, 2);
  std::string text = "day,a,b\n";
  for (int i = 0; i < 600; ++i)
    text += fmt::format("2026-{:02}-{:02},{:.4f},{:.4f}\n", 1 + i / 60, 1 + i % 28, random.normal() + i / 150.0,
                        random.normal());
  const CommandResult seen = command.run({"exchangeable", "-", "--order", "day"}, text);
  EXPECT_EQ(seen.code, 7) << seen.err << seen.out;
  EXPECT_NE(seen.out.find("450 rows by day"), std::string::npos) << seen.out;
  EXPECT_EQ(command.run({"exchangeable", "-", "--order", "1"}, text).code, 7);  // the same column, by its position
  const CommandResult none = command.run({"exchangeable", "-", "--order", "b", "--drop", "day"}, text);
  EXPECT_EQ(none.code, 0) << none.err << none.out;
  EXPECT_EQ(command.run({"exchangeable", "-"}, text).code, 2);
  EXPECT_EQ(command.run({"exchangeable", "-", "--order", "c"}, text).code, 2);
}

}  // namespace watch_command_tests
}  // namespace credence
