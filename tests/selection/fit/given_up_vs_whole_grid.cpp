#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "credence/core/random.hpp"
#include "credence/selection/selector.hpp"
#include "support/context.hpp"
#include "support/random_data.hpp"

namespace given_up_vs_whole_grid_tests {

using namespace credence;
using selection::GivenUp;
using selection::Selection;
using selection::Setting;

/// Two overlapping clouds in which three labels of ten are wrong: with a large C and gamma, machines memorise them.
data::Dataset noisy(std::size_t n, std::uint64_t seed) {
  test::Clouds clouds = test::random_clouds(n, 3, 2, 0.7, seed);
  core::RandomStream random(seed, 707);
  for (std::string& label : clouds.labels)
    if (random.uniform() < 0.3) label = label == "a" ? "b" : "a";
  return clouds.dataset();
}

selection::Options options_with(std::optional<std::size_t> give_up) {
  selection::Options options;
  options.method = selection::CrossValidation{.folds = 3};
  options.kernels.gamma = kernel::parse_gammas("2^-3:2^1:x4");
  options.costs.give_up = give_up;
  options.estimate = selection::Estimate::none;
  options.choose_one_svm();
  return options;
}

Selection select(const data::Dataset& dataset, const selection::Options& options, int threads = 1) {
  test::Surroundings surroundings(threads);
  return selection::Selector(options).select(dataset, surroundings.context);
}

std::uint64_t steps_of(const Selection& selection) {
  std::uint64_t steps = 0;
  for (const Setting& setting : selection.grid) steps += setting.steps;
  return steps;
}

std::size_t given_up(const Selection& selection, GivenUp reason) {
  return static_cast<std::size_t>(std::count_if(selection.grid.begin(), selection.grid.end(),
                                                [&](const Setting& setting) { return setting.given_up == reason; }));
}

bool warns(const Selection& selection, const std::string& words) {
  return std::any_of(selection.warnings.begin(), selection.warnings.end(),
                     [&](const std::string& warning) { return warning.find(words) != std::string::npos; });
}

TEST(GivenUp, TheWholeGridHasTheSameWinnerAndTakesManyMoreSteps) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const data::Dataset dataset = noisy(1500, seed);
    const Selection whole = select(dataset, options_with(0));
    const Selection part = select(dataset, options_with(2));
    ASSERT_EQ(part.best, whole.best) << seed;
    EXPECT_EQ(part.stopped, core::StopReason::none);
    EXPECT_EQ(given_up(whole, GivenUp::no), whole.grid.size());
    EXPECT_GT(given_up(part, GivenUp::step_budget), 0U) << seed;
    EXPECT_EQ(given_up(part, GivenUp::step_limit), 0U) << seed;
    EXPECT_LT(4 * steps_of(part), 3 * steps_of(whole)) << seed;
    for (std::size_t k = 0; k < whole.grid.size(); ++k) {
      const Setting& setting = part.grid[k];
      if (setting.given_up == GivenUp::no) {
        EXPECT_TRUE(setting.complete);
        EXPECT_EQ(setting.error, whole.grid[k].error) << seed << ' ' << k;
        EXPECT_EQ(setting.steps, whole.grid[k].steps) << seed << ' ' << k;
      } else {
        EXPECT_FALSE(setting.complete);
        EXPECT_TRUE(std::isnan(setting.error));
        EXPECT_GT(whole.grid[k].error, whole.grid[*whole.best].error) << seed << ' ' << k;
        EXPECT_EQ(k % 11 < 10 ? part.grid[k + 1].given_up : setting.given_up, setting.given_up) << "a larger C too";
      }
    }
  }
}

TEST(GivenUp, BootstrapsAreJudgedOnTheirRowsOutOfBag) {
  selection::Options options = options_with(2);
  options.method = selection::Bootstrap{.resamples = 4};
  const data::Dataset dataset = noisy(1500, 1);
  const Selection part = select(dataset, options);
  options.costs.give_up = 0;
  const Selection whole = select(dataset, options);
  EXPECT_EQ(part.best, whole.best);
  EXPECT_GT(given_up(part, GivenUp::step_budget), 0U);
  EXPECT_LT(4 * steps_of(part), 3 * steps_of(whole));
}

TEST(GivenUp, OneThreadEqualsTwoToTheLastBit) {
  const data::Dataset dataset = noisy(600, 4);
  const Selection one = select(dataset, options_with(2), 1);
  const Selection two = select(dataset, options_with(2), 2);
  for (std::size_t k = 0; k < one.grid.size(); ++k) {
    EXPECT_EQ(one.grid[k].given_up, two.grid[k].given_up);
    EXPECT_EQ(one.grid[k].steps, two.grid[k].steps);
    if (one.grid[k].complete) EXPECT_EQ(one.grid[k].error, two.grid[k].error);
  }
  EXPECT_EQ(one.warnings, two.warnings);
}

TEST(GivenUp, AStepLimitEndsThePath) {
  selection::Options options = options_with(1000);
  options.costs.solver.max_steps = 3000;
  const Selection part = select(noisy(600, 5), options);
  EXPECT_EQ(given_up(part, GivenUp::step_budget), 0U);
  EXPECT_GT(given_up(part, GivenUp::step_limit), 0U);
  EXPECT_TRUE(warns(part, "given up and cannot be chosen (step limit)"));
  ASSERT_TRUE(part.best.has_value());
  EXPECT_EQ(part.grid[*part.best].given_up, GivenUp::no);
}

TEST(GivenUp, WarningsNameTheShareAndASettingBesideTheBest) {
  const Selection part = select(noisy(1500, 1), options_with(2));
  const std::size_t count = given_up(part, GivenUp::step_budget);
  EXPECT_TRUE(warns(part, std::to_string(count) + " of 33 settings ("));
  EXPECT_TRUE(warns(part, "given up and cannot be chosen (step budget)"));
  bool beside = false;
  for (std::size_t k = 0; k < part.grid.size(); ++k) {
    const auto near = [](std::size_t a, std::size_t b) { return a <= b + 1 && b <= a + 1; };
    beside = beside ||
             (part.grid[k].given_up != GivenUp::no && near(k % 11, *part.best % 11) && near(k / 11, *part.best / 11));
  }
  EXPECT_EQ(warns(part, "the best setting lies beside a setting that was given up"), beside);
}

TEST(GivenUp, NothingBelowFiveThousandRowsUnlessAsked) {
  const data::Dataset dataset = noisy(600, 6);
  const Selection by_default = select(dataset, options_with(std::nullopt));
  const Selection never = select(dataset, options_with(0));
  EXPECT_EQ(given_up(by_default, GivenUp::no), by_default.grid.size());
  EXPECT_EQ(steps_of(by_default), steps_of(never));
}

TEST(GivenUp, ScoresOtherThanErrorsAndManyClassesAreSolvedWhole) {
  selection::Options options = options_with(1);
  options.method = selection::CrossValidation{.folds = 3};
  options.score = selection::Score::roc_auc;
  EXPECT_EQ(given_up(select(noisy(300, 7), options), GivenUp::no), 33U);
  const data::Dataset three = test::random_clouds(300, 3, 3, 0.3, 8).dataset();
  EXPECT_EQ(given_up(select(three, options_with(1)), GivenUp::no), 33U);
}

}  // namespace given_up_vs_whole_grid_tests
