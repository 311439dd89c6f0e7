#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "cli/helpers.hpp"
#include "cli/run_log.hpp"
#include "report/course/training_text.hpp"
#include "support/command.hpp"

namespace credence::cli {
namespace time_limit_tests {

using nlohmann::json;
using test::Command;
using test::CommandResult;

/// The grid is so fine that the limit falls into the pilot on 500 rows, and even there before the last of its gammas.
TEST(TimeLimit, WithinThePilotLeavesTheBestOfWhatThePilotJudged) {
  const Command command;
  command.folder().write("rows.csv", test::clouds_csv(6000, 2, 1));
  const CommandResult result = command.run(
      test::with({"select", "rows.csv", "--C", "1,10", "--gamma", "2^-9:2^3:x1.001", "--folds", "30", "--estimate",
                  "none", "--time-limit", "2", "--quiet", "-o", "m.credence", "--json", "r.json"},
                 test::one_svm));
  EXPECT_EQ(result.code, 5) << result.err;
  const json document = json::parse(test::read_text(command.folder().file("r.json")));
  ASSERT_FALSE(document["best"].is_null()) << result.err;
  EXPECT_EQ(document["reached"]["rows"], 500);
  EXPECT_GT(document["reached"]["settings"], 0);
  EXPECT_LT(document["reached"]["settings"], document["reached"]["of_settings"]);
}

TEST(TimeLimit, NamesTheNextStepWhereTrainingDoesNotFit) {
  const Command command;
  command.folder().write("rows.csv", test::clouds_csv(6000, 2, 1));
  // The pilot alone ends within the limit, or nothing does: training on all rows takes longer than half of a second.
  const CommandResult result =
      command.run(test::with({"select", "rows.csv", "--C", "1000000", "--gamma", "2^-9:2^9:x2", "--quiet",
                              "--time-limit", "0.3", "-o", "m.credence", "--json", "r.json"},
                             test::one_svm));
  EXPECT_EQ(result.code, 5) << result.err;
  EXPECT_FALSE(std::filesystem::exists(command.folder().file("m.credence")));
  EXPECT_NE(result.err.find("there is no model"), std::string::npos) << result.err;
  const json document = json::parse(test::read_text(command.folder().file("r.json")));
  if (document["best"].is_null()) return;
  for (const char* part : {"(credence train)", "(--method regions)"})
    EXPECT_NE(result.err.find(part), std::string::npos) << part << result.err;
}

/// By hand: a forecast of 780 s, and one of 1,900 units done in the first second.
TEST(TimeLeft, BeginsWithTheForecastAndEndsWithTheWork) {
  EXPECT_EQ(seconds_left({0, 1900, 0.0}, 780), 780);
  EXPECT_NEAR(seconds_left({1, 1900, 1.0}, 780), 780, 2);  // at the pace of one unit it would be half an hour
  EXPECT_NEAR(seconds_left({950, 1900, 390.0}, 780), 390, 1e-9);
  EXPECT_NEAR(seconds_left({1710, 1900, 180.0}, 780), 20, 10);  // four times as fast as the forecast
  EXPECT_EQ(seconds_left({1900, 1900, 200.0}, 780), 0);
  EXPECT_LT(seconds_left({0, 1900, 5.0}), 0);
}

/// The line of a text that starts with these words; empty without one.
std::string line_of(const std::string& text, const std::string& start) {
  const std::size_t at = text.find("\n" + start) + 1;
  return at == 0 ? "" : text.substr(at, text.find('\n', at) - at);
}

TEST(Forecasts, SayWhatTheRunTakesAndHowToHaveTheOtherWays) {
  selection::Forecast forecast;
  forecast.rows = 300000;
  forecast.exact_seconds = 90000;
  forecast.race_seconds = 16500;
  forecast.races = true;
  forecast.regions_seconds = 780;
  const std::string raced = report::forecast_text(forecast);
  EXPECT_TRUE(line_of(raced, "  --race yes ").ends_with(" (this run)")) << raced;
  EXPECT_TRUE(line_of(raced, "  --region-size 1000 ").ends_with(" 10 min")) << raced;
  EXPECT_EQ(raced.find(report::regions_by_default_text()), std::string::npos) << raced;
  EXPECT_EQ(raced.find("60 s"), std::string::npos) << raced;
  EXPECT_NE(report::forecast_text(forecast, 60).find("60 s"), std::string::npos);
  forecast.races = false;
  forecast.in_regions = forecast.by_default = true;
  const std::string parted = report::forecast_text(forecast);
  EXPECT_TRUE(line_of(parted, "  --race no ").ends_with(" 30 h")) << parted;
  EXPECT_FALSE(line_of(parted, "  --race yes ").ends_with(" (this run)")) << parted;
  EXPECT_TRUE(line_of(parted, "  regions ").ends_with(" 10 min (this run)")) << parted;
  EXPECT_NE(parted.find(report::regions_by_default_text()), std::string::npos) << parted;
}

/// By hand: one digit, in the unit of the exact time.
TEST(Forecasts, HaveOneDigit) {
  const std::vector<std::pair<double, std::string>> cases{
      {0.01, "0.1 s"},         {0.26, "0.3 s"},  {1.4, "1 s"},     {58, "60 s"},  {89, "90 s"},
      {91, "2 min"},           {1860, "30 min"}, {5300, "90 min"}, {5500, "2 h"}, {53000, "10 h"},
      {2.4 * 86400, "2 days"}, {4e7, "500 days"}};
  for (const auto& [seconds, text] : cases) EXPECT_EQ(report::rough_duration_text(seconds), text) << seconds;
}

}  // namespace time_limit_tests
}  // namespace credence::cli
