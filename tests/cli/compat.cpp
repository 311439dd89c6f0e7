#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "report/page/page.hpp"
#include "support/command.hpp"
#include "support/temporary_folder.hpp"

// What earlier versions wrote (tests/data/compat/VERSION, by scripts/compat.sh) is read, and says what it said then.
namespace credence {
namespace compat_tests {

namespace fs = std::filesystem;
using nlohmann::json;
using test::Command;
using test::CommandResult;

std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> found;
  if (!fs::exists(folder)) return found;
  for (const auto& entry : fs::directory_iterator(folder)) found.push_back(entry.path());
  std::ranges::sort(found);
  return found;
}

const fs::path all_versions = fs::path(CREDENCE_SOURCE_DIR) / "tests/data/compat";
const fs::path released = all_versions / "0.1";

std::vector<std::string> cells_of(const std::string& table) {
  std::vector<std::string> cells;
  std::stringstream lines(table);
  for (std::string line; std::getline(lines, line);) {
    std::stringstream row(line);
    for (std::string cell; std::getline(row, cell, ',');) cells.push_back(cell);
  }
  return cells;
}

/// What a later version, or another processor's order of additions, may change of a number.
double rounding_of(double then) {
  return 1e-9 * std::max(1.0, std::abs(then));
}

/// Words are equal; numbers may differ by rounding.
void expect_same_table(const std::string& now, const std::string& then) {
  const std::vector<std::string> left = cells_of(now);
  const std::vector<std::string> right = cells_of(then);
  ASSERT_EQ(left.size(), right.size());
  for (std::size_t i = 0; i < left.size(); ++i) {
    double a = 0;
    double b = 0;
    const bool numbers = std::from_chars(left[i].data(), left[i].data() + left[i].size(), a).ec == std::errc() &&
                         std::from_chars(right[i].data(), right[i].data() + right[i].size(), b).ec == std::errc();
    if (numbers)
      ASSERT_NEAR(a, b, rounding_of(b)) << "cell " << i;
    else
      ASSERT_EQ(left[i], right[i]) << "cell " << i;
  }
}

TEST(Compat, ModelsOfEveryVersionPredictWhatTheyPredicted) {
  const Command command;
  std::size_t models = 0;
  for (const fs::path& version : files_in(all_versions)) {
    for (const fs::path& model : files_in(version / "models")) {
      SCOPED_TRACE(model);
      const CommandResult result = command.run({"predict", model, version / "new.csv", "--quiet"});
      ASSERT_EQ(result.code, 0) << result.err;
      const fs::path then = version / "predictions" / model.filename().replace_extension(".csv");
      expect_same_table(result.out, test::read_text(then));
      ++models;
    }
  }
  EXPECT_GE(models, 12U);
}

/// The same for a value of a result, which may be missing.
void expect_same_value(const json& now, const json& then, const std::string& what) {
  if (now.is_number() && then.is_number())
    EXPECT_NEAR(now.get<double>(), then.get<double>(), rounding_of(then.get<double>())) << what;
  else
    EXPECT_EQ(now, then) << what;
}

TEST(Compat, PlansAndResultsRepeatTheirRun) {
  const Command command;
  std::size_t plans = 0;
  for (const fs::path& plan : files_in(released / "plans")) {
    SCOPED_TRACE(plan);
    const fs::path result_then = released / "results" / plan.filename();
    const json then = json::parse(test::read_text(result_then));
    for (const fs::path& given : {plan, result_then}) {
      const CommandResult result =
          command.run({"select", released / "rows.csv", "--plan", given, "--quiet", "--json", "-"});
      ASSERT_EQ(result.code, 0) << result.err;
      const json now = json::parse(result.out);
      const json wanted = json::parse(test::read_text(plan));
      for (const auto& [key, value] : wanted.items())
        if (key != "version") EXPECT_EQ(now["options"].value(key, json()), value) << key;
      // The methods that keep all models have no best one.
      for (const char* part : {"best", "honest"})
        for (const char* figure : {"C", "gamma", "k", "error"})
          if (then[part].is_object())
            expect_same_value(now[part].value(figure, json()), then[part].value(figure, json()),
                              std::string(part) + " " + figure);
    }
    ++plans;
  }
  EXPECT_GE(plans, 6U);
}

TEST(Compat, ResultsBecomePages) {
  if (!report::pages_are_built_in()) GTEST_SKIP() << "report pages are not built in";
  const Command command;
  std::size_t pages = 0;
  for (const fs::path& result : files_in(released / "results")) {
    SCOPED_TRACE(result);
    const CommandResult made = command.run({"report", result, "-o", "page.html"});
    ASSERT_EQ(made.code, 0) << made.err;
    ++pages;
  }
  EXPECT_GE(pages, 9U);
}

TEST(Compat, PlansAndResultsOfALaterVersionAreRefused) {
  const Command command;
  json result = json::parse(test::read_text(released / "results/cv.json"));
  const auto refused = [&](const std::vector<std::string>& words, const std::string& what) {
    const CommandResult outcome = command.run(words);
    EXPECT_EQ(outcome.code, 4);
    EXPECT_NE(outcome.err.find("7.0.0 wrote this " + what), std::string::npos) << outcome.err;
  };
  json plan = result["options"];
  plan["version"] = result["version"] = "7.0.0";
  command.folder().write("plan.json", plan.dump());
  command.folder().write("result.json", result.dump());
  refused({"select", released / "rows.csv", "--plan", "plan.json"}, "plan");
  refused({"select", released / "rows.csv", "--plan", "result.json"}, "plan");
  if (report::pages_are_built_in()) refused({"report", "result.json", "-o", "page.html"}, "result");
}

}  // namespace compat_tests
}  // namespace credence
