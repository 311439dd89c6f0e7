#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "credence/core/sha256.hpp"
#include "helpers.hpp"
#include "report/page/page.hpp"
#include "support/command.hpp"
#include "support/temporary_folder.hpp"

namespace credence {
namespace report_page_tests {

using nlohmann::json;
using test::Command;
using test::CommandResult;
using test::with;

const std::vector<std::string> quick{"--C", "1,4", "--gamma", "0.1,1", "--quiet"};

/// Data, and the tests that need pages are skipped where these are not built in.
class ReportPage : public testing::Test {
 protected:
  void SetUp() override {
    if (!report::pages_are_built_in()) GTEST_SKIP() << "report pages are not built in";
    command_.folder().write("data.csv", data_);
  }
  CommandResult select(const std::vector<std::string>& more) const {
    return command_.run(test::with(test::with({"select", "data.csv"}, quick), more));
  }
  std::string read(const std::string& name) const { return test::read_text(command_.folder().file(name)); }

  Command command_;
  std::string data_ = test::clouds_csv(120, 2, 1);
};

TEST_F(ReportPage, OfARunIsThatOfItsStoredResult) {
  const CommandResult result = select({"--report", "page.html", "--json", "r.json"});
  ASSERT_EQ(result.code, 0) << result.err;
  ASSERT_EQ(command_.run({"report", "r.json", "-o", "again.html"}).code, 0);
  EXPECT_EQ(read("page.html"), read("again.html"));
  ASSERT_EQ(command_.run({"report", "-", "-o", "piped.html"}, read("r.json")).code, 0);
  EXPECT_EQ(read("page.html"), read("piped.html"));
  const json document = json::parse(read("r.json"));
  EXPECT_EQ(document["kind"], "selection");
  EXPECT_EQ(document["checksum"]["sha256"], core::hexadecimal(core::sha256(data_)));
  EXPECT_EQ(document["checksum"]["bytes"], data_.size());
  EXPECT_EQ(document["command"],
            "credence select data.csv --C 1,4 --gamma 0.1,1 --quiet --report page.html --json r.json");
}

TEST_F(ReportPage, StandardInputHasNoChecksum) {
  const CommandResult result = command_.run(test::with({"select", "-", "--json", "-"}, quick), data_);
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_TRUE(json::parse(result.out)["checksum"].is_null());
}

TEST_F(ReportPage, TheCommandIsQuotedForAShell) {
  command_.folder().write("it's $HOME.csv", data_);
  const CommandResult result = command_.run(test::with({"select", "it's $HOME.csv", "--json", "-"}, quick));
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_TRUE(
      json::parse(result.out)["command"].get<std::string>().starts_with("credence select 'it'\\''s $HOME.csv' "));
}

TEST_F(ReportPage, OutputsThatCannotBeAreRefusedBeforeTheRun) {
  const auto refused = [&](const std::vector<std::string>& more, int code, const std::string& part) {
    const CommandResult result = select(more);
    EXPECT_EQ(result.code, code) << result.err;
    EXPECT_NE(result.err.find(part), std::string::npos) << result.err;
    EXPECT_EQ(test::line_count(result.err), 1);
  };
  refused({"--report", "-"}, 2, "a page cannot be written to standard output");
  refused({"--report", "data.csv"}, 2, "is also another file of this command");
  refused({"--report", "a", "--json", "a"}, 2, "is also another file of this command");
  refused({"--report", "nowhere/page.html"}, 4, "nowhere");
  EXPECT_EQ(command_.run({"report", "r.json"}).code, 2);
}

TEST_F(ReportPage, WhatIsNoResultIsRefusedInOneLine) {
  command_.folder().write("old.html", "as before");
  const auto refused = [&](const std::string& text, const std::string& part) {
    command_.folder().write("r.json", text);
    const CommandResult result = command_.run({"report", "r.json", "-o", "old.html"});
    EXPECT_EQ(result.code, 4) << result.err;
    EXPECT_NE(result.err.find(part), std::string::npos) << result.err;
    EXPECT_EQ(test::line_count(result.err), 1);
    EXPECT_EQ(read("old.html"), "as before");
  };
  refused(data_, "r.json: the text is not JSON");
  refused("{\"kind\": \"selection\", \"grid\": [", "cut off");
  refused("{}", "the key 'kind' is missing");
  refused("{\"kind\": \"selection\", \"report\": {}, \"version\": \"12.0.0\"}", "Credence 12.0.0 wrote this result");
}

/// Terminal, JSON and page count the same regions, and the page speaks of no single setting.
TEST_F(ReportPage, OfCellsSaysWhatTheRegionsChoseAndWhereTheErrorsAre) {
  command_.folder().write("many.csv", test::clouds_csv(600, 2, 3));
  const CommandResult result =
      command_.run({"select", "many.csv", "--region-size", "100", "--C", "1,16", "--gamma", "0.1,1", "--scale",
                    "standard", "--estimate-samples", "20", "--report", "page.html", "--json", "r.json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const json document = json::parse(read("r.json"));
  const json& cells = document["regions"];
  const std::size_t count = cells["count"];
  EXPECT_EQ(cells["settings"], 4);
  EXPECT_EQ(document["set_aside"], 60);
  EXPECT_EQ(document["honest"]["method"], "hold-out");
  EXPECT_EQ(document["calibration"]["rows"], 540);
  EXPECT_EQ(document["calibration"]["by_region"], true);
  std::size_t rows = 0;
  for (const json& cell : cells["list"]) rows += cell["rows"].get<std::size_t>();
  EXPECT_EQ(rows, 540 * cells["partitions"].get<std::size_t>());
  const std::string half =
      "half of all errors lie in " + cells["half_of_errors"].dump() + " of " + std::to_string(count);
  const auto has = [](const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  };
  EXPECT_TRUE(has(test::flat(result.out), half + " regions")) << result.out;
  EXPECT_TRUE(has(test::flat(result.out), std::to_string(count) + " regions of the feature space")) << result.out;
  EXPECT_TRUE(has(test::flat(result.out), "the rows of its own region")) << result.out;
  const std::string page = read("page.html");
  EXPECT_TRUE(has(page, half + " regions"));
  EXPECT_TRUE(has(page, "each region of the feature space has its own"));
  EXPECT_TRUE(has(page, "chose among 4 settings in each of " + std::to_string(count) + " regions"));
  EXPECT_TRUE(has(page, "the other rows of its own region of the feature space"));
  EXPECT_FALSE(has(page, "Of 1 settings"));
  EXPECT_FALSE(has(page, "best of 1 settings"));
}

/// Whether a bound is proved, and what separates it from its theorem, in the words of terminal and JSON.
TEST_F(ReportPage, OfABoundSaysWhetherItIsProved) {
  const std::vector<std::vector<std::string>> runs = {
      {"--method", "kfold-nested"},
      {"--method", "bootstrap"},
      {"--method", "rademacher", "--kernel", "linear", "--rho", "0.1,1", "--trials", "3"}};
  for (const std::vector<std::string>& run : runs) {
    std::vector<std::string> arguments = with({"select", "data.csv", "--report", "page.html", "--json", "r.json"}, run);
    if (run[1] != "rademacher") arguments = with(arguments, {"--C", "1,4", "--gamma", "0.1,1"});
    const CommandResult result = command_.run(arguments);
    ASSERT_EQ(result.code, 0) << result.err;
    const json document = json::parse(read("r.json"));
    const json& found = document.contains("in_sample") && document["in_sample"].is_object() ? document["in_sample"]
                                                                                            : document["estimation"];
    const std::string page = read("page.html");
    EXPECT_EQ(found["proved"], false);
    EXPECT_NE(page.find("not proved in this run"), std::string::npos) << run[1];
    ASSERT_FALSE(found["gaps"].empty());
    for (const json& gap : found["gaps"]) {
      EXPECT_NE(page.find(gap.get<std::string>()), std::string::npos) << gap;
      std::string out = result.out;  // which breaks long lines
      std::ranges::replace(out, '\n', ' ');
      EXPECT_NE(out.find("- " + gap.get<std::string>()), std::string::npos) << gap;
    }
    EXPECT_EQ(page.find("see the warnings"), std::string::npos);
    if (run[1] == "rademacher") {
      const double upper = found["error_bound_upper"];
      ASSERT_GT(upper, found["error_bound"].get<double>());
      EXPECT_NE(page.find(fmt::format("{:.2f} %{}", 100 * upper, upper < 1 ? "" : " (vacuous)")), std::string::npos);
    }
  }
}

TEST_F(ReportPage, OfAProvedBoundSaysSo) {
  const CommandResult result =
      command_.run({"select", "data.csv", "--method", "bootstrap", "--nested", "--final", "random", "--union",
                    "--scale", "none", "--C", "1,4", "--gamma", "0.1,1", "--report", "page.html", "--json", "r.json"});
  ASSERT_EQ(result.code, 0) << result.err;
  ASSERT_EQ(json::parse(read("r.json"))["estimation"]["proved"], true) << result.out;
  EXPECT_NE(read("page.html").find("The bounds are proved for independent rows, with probability 95 %."),
            std::string::npos);
}

TEST_F(ReportPage, EveryKindOfResultHasOne) {
  command_.folder().write("line.csv", "x,y\n1,1.1\n2,1.9\n3,3.2\n4,4.1\n5,4.8\n6,6.1\n7,7.2\n8,7.7\n9,9.1\n10,9.9\n");
  ASSERT_EQ(select({"-o", "m.credence"}).code, 0);
  ASSERT_EQ(
      command_.run({"select", "line.csv", "--task", "regression", "--sigma", "1,4", "-o", "line.credence", "--quiet"})
          .code,
      0);
  const std::vector<std::vector<std::string>> runs{
      {"select", "data.csv", "--method", "nonconformity", "--C", "1", "--gamma", "0.1,1", "-o", "all.credence"},
      {"select", "data.csv", "--method", "kfold-nested", "--C", "1", "--gamma", "0.1,1"},
      {"compare", "data.csv", "--methods", "cv,holdout", "--outer-folds", "3", "--C", "1", "--gamma", "0.1"},
      {"compare", "data.csv", "line.csv", "--methods", "holdout", "--outer-folds", "3", "--C", "1", "--gamma", "0.1"},
      {"evaluate", "m.credence", "data.csv"},
      {"evaluate", "all.credence", "data.csv"},
      {"evaluate", "line.credence", "line.csv"},
      {"conformal", "fit", "data.csv", "-o", "nn.credence"},
      {"evaluate", "nn.credence", "data.csv"},
      {"conformal", "online", "data.csv", "--shuffle"},
      {"conformal", "intervals", "kept.csv", "new.csv", "-o", "intervals.csv"},
  };
  command_.folder().write("kept.csv", "target,prediction\n1,1\n2,3\n4,4\n5,7\n1,0\n");
  command_.folder().write("new.csv", "target,prediction\n1,2\n2,2\n");
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const CommandResult result =
        command_.run(test::with(runs[i], {"--quiet", "--report", "page.html", "--json", "r.json"}));
    EXPECT_NE(result.code, 1) << result.err;
    EXPECT_NE(read("page.html").find("<h2"), std::string::npos) << i;
    EXPECT_NE(read("page.html").find("What it cost"), std::string::npos) << i;
    EXPECT_FALSE(report::charts(read("r.json"), "r.json").empty() && runs[i][1] != "fit" && runs[i][1] != "intervals")
        << i;
    std::filesystem::remove(command_.folder().file("page.html"));
  }
}

}  // namespace report_page_tests
}  // namespace credence
