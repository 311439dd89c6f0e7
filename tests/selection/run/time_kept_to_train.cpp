#include <gtest/gtest.h>

#include <string>

#include "credence/selection/run.hpp"

namespace time_kept_to_train_tests {

using namespace credence::selection;

/// Two gammas with three costs each, judged in ten folds of 1,000 rows. The best setting is the middle one of the
/// second gamma: its machines took 0.02 s, after 0.01 s for the cost before it.
Forecast pilot_of(std::size_t rows) {
  Forecast forecast;
  forecast.rows = rows;
  for (int k = 0; k < 6; ++k) {
    Setting& setting = forecast.grid.emplace_back();
    setting.complete = true;
    setting.rung = 1000;
    setting.error = k == 4 ? 0.1 : 0.2;
    setting.fit_seconds.assign(10, k == 4 ? 0.02 : 0.01);
  }
  return forecast;
}

Options three_costs() {
  Options options;
  options.costs.C = {1, 10, 100};
  options.kernels.gamma = credence::kernel::parse_gammas("0.1,1");
  return options.resolved();
}

/// By hand: 0.03 s for 900 rows are 0.03 (n / 900)^2 for n.
TEST(TimeKeptToTrain, IsThreeTimesWhatThePilotSaysAndAFifthAtLeast) {
  const Options options = three_costs();
  const Forecast forecast = pilot_of(9000);
  EXPECT_NEAR(seconds_kept_to_train(20, options, &forecast), 3 * 0.03 * 100, 1e-9);
  EXPECT_NEAR(seconds_kept_to_train(200, options, &forecast), 40, 1e-9);
  EXPECT_NEAR(seconds_kept_to_train(10, options, &forecast), 5, 1e-9);    // 9 s are more than half
  EXPECT_NEAR(seconds_kept_to_train(6, options, &forecast), 3.75, 1e-9);  // 3 s and a quarter
  EXPECT_EQ(seconds_kept_to_train(4.9, options, &forecast), 0);           // 3.75 s are more than three quarters
  EXPECT_NEAR(seconds_kept_to_train(20, options, nullptr), 4, 1e-9);
  EXPECT_NEAR(seconds_kept_to_train(5, options, nullptr), 2, 1e-9);
  EXPECT_NEAR(seconds_kept_to_train(1, options, nullptr), 0.5, 1e-9);
  Options voting = options;
  voting.method = Nonconformity{};
  EXPECT_EQ(seconds_kept_to_train(10, voting, nullptr), 0);
}

TEST(TimeKeptToTrain, ReachedCountsTheSettingsThatWereJudgedAlike) {
  Selection selection;
  selection.options = three_costs();
  selection.grid = pilot_of(9000).grid;
  selection.grid[5].complete = false;
  selection.best = 4;
  selection.n = 9000;
  EXPECT_FALSE(reached(selection));
  selection.stopped = credence::core::StopReason::time_budget;
  ASSERT_TRUE(reached(selection));
  EXPECT_EQ(reached(selection)->settings, 5U);
  EXPECT_EQ(reached(selection)->of_settings, 6U);
  EXPECT_EQ(reached(selection)->rows, 1000U);
  EXPECT_EQ(reached(selection)->of_rows, 9000U);
  EXPECT_NE(unfinished_text(selection, selection.stopped, false).find("on all rows, about 3.0 s, did not fit"),
            std::string::npos);
}

}  // namespace time_kept_to_train_tests
