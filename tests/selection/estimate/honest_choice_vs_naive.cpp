#include <gtest/gtest.h>

#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "credence/core/random.hpp"
#include "credence/selection/honest_choice.hpp"
#include "support/context.hpp"
#include "support/expect_error.hpp"

namespace credence::selection {
namespace honest_choice_vs_naive_tests {

using credence::test::expect_error;
using credence::test::Surroundings;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

std::vector<std::string> names_of(const LossTable& losses) {
  std::vector<std::string> names;
  for (std::size_t c = 0; c < losses.settings; ++c) names.push_back("c" + std::to_string(c));
  return names;
}

/// Errors of candidates that err in 1 of `one_in` rows, a share `gaps` of them NaN.
LossTable errors(std::size_t rows, std::size_t settings, std::uint64_t seed, std::uint64_t one_in = 3,
                 double gaps = 0) {
  core::RandomStream random(seed, 78);
  LossTable losses(rows, settings);
  for (float& loss : losses.values) {
    loss = random.below(one_in) == 0 ? 1.0F : 0.0F;
    if (random.uniform() < gaps) loss = static_cast<float>(nan);
  }
  return losses;
}

HonestChoice judge(const LossTable& losses, const std::vector<int>& groups = {}, const HonestOptions& options = {},
                   int threads = 1) {
  Surroundings some(threads);
  return honest_choice(losses, names_of(losses), groups, "error", options, some.context);
}

/// Sums and numbers of rows of each group, of the rows where a value is known.
struct Sums {
  std::vector<double> sums;
  double rows = 0;
  double mean = 0;
};

template <class Value>
Sums summed(std::size_t rows, const std::vector<int>& groups, Value value) {
  std::map<int, double> by_group;
  Sums all;
  double sum = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    if (std::isnan(value(i))) continue;
    by_group[groups.empty() ? static_cast<int>(i) : groups[i]] += value(i);
    sum += value(i);
    ++all.rows;
  }
  for (const auto& [group, one] : by_group) all.sums.push_back(one);
  all.mean = sum / all.rows;
  return all;
}

double squares(const std::vector<double>& values) {
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  double sum = 0;
  for (const double value : values) sum += (value - mean) * (value - mean);
  return sum;
}

/// Standard errors and tests written out: sums of groups, each row a group where there are none.
void expect_naive(const LossTable& losses, const std::vector<int>& groups) {
  const HonestChoice found = judge(losses, groups);
  const auto loss = [&](std::size_t i, std::size_t c) { return static_cast<double>(losses.row(i)[c]); };
  for (std::size_t c = 0; c < losses.settings; ++c) {
    const JudgedCandidate& one = found.candidates[c];
    const Sums own = summed(losses.rows, groups, [&](std::size_t i) { return loss(i, c); });
    EXPECT_EQ(static_cast<double>(one.rows), own.rows);
    EXPECT_NEAR(one.loss, own.mean, 1e-12);
    const Sums centred = summed(losses.rows, groups, [&](std::size_t i) { return loss(i, c) - own.mean; });
    const auto m = static_cast<double>(centred.sums.size());
    EXPECT_NEAR(one.standard_error, std::sqrt(m / (m - 1) * squares(centred.sums)) / own.rows, 1e-12);
    if (c == found.chosen) {
      EXPECT_FALSE(one.test);
      continue;
    }
    const Sums pairs = summed(losses.rows, groups, [&](std::size_t i) { return loss(i, c) - loss(i, found.chosen); });
    const auto units = static_cast<double>(pairs.sums.size());
    const double variance = squares(pairs.sums) / (units - 1) * (units / pairs.rows) * (units / pairs.rows);
    const double t = pairs.mean / std::sqrt((1 / units + 1 / (units - 1)) * variance);
    ASSERT_TRUE(one.test);
    EXPECT_NEAR(one.test->mean_difference, pairs.mean, 1e-12);
    EXPECT_NEAR(one.test->t, t, 1e-9);
    const boost::math::students_t distribution(units - 1);
    EXPECT_NEAR(one.test->p_value, 2 * boost::math::cdf(boost::math::complement(distribution, std::abs(t))), 1e-9);
  }
}

TEST(HonestChoiceVsNaive, StandardErrorsAndTestsOfRows) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) expect_naive(errors(60, 4, seed), {});
}

TEST(HonestChoiceVsNaive, StandardErrorsAndTestsOfGroupsOfDifferentSizes) {
  std::vector<int> groups;
  for (int i = 0; i < 60; ++i) groups.push_back(7 * (i * i / 100) - 100);  // any codes
  for (std::uint64_t seed = 0; seed < 5; ++seed) expect_naive(errors(60, 4, seed), groups);
}

TEST(HonestChoiceVsNaive, RowsThatACandidateDidNotJudge) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) expect_naive(errors(80, 3, seed, 3, 0.2), {});
}

TEST(HonestChoiceVsNaive, TheChosenOneHasTheSmallestMeanAndTheFirstOfEqualOnesWins) {
  LossTable losses(4, 3);
  losses.values = {1, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0};
  const HonestChoice found = judge(losses);
  EXPECT_EQ(found.chosen, 1U);
  EXPECT_DOUBLE_EQ(found.candidates[1].loss, 0.25);
  EXPECT_DOUBLE_EQ(found.candidates[2].loss, 0.25);
  EXPECT_DOUBLE_EQ(found.candidates[1].standard_error, 0.25);  // deviation 1/2 of four rows
  EXPECT_TRUE(found.candidates[0].within_one_se);              // 0.5 = 0.25 + 0.25
}

TEST(HonestChoiceVsNaive, TheEstimateIsThatOfTheLibrarysOwnSelections) {
  const LossTable losses = errors(90, 6, 3);
  HonestOptions options;
  options.confidence = 0.9;
  options.resamples = 200;
  options.seed = 5;
  const HonestChoice found = judge(losses, {}, options);
  Surroundings one;
  const HonestEstimate expected = bbc_of_smallest_loss(losses, std::vector<std::size_t>{0, 1, 2, 3, 4, 5}, {},
                                                       {.resamples = 200, .delta = 1 - 0.9, .seed = 5}, one.context);
  EXPECT_EQ(found.estimate.error, expected.error);
  EXPECT_EQ(found.estimate.lower, expected.lower);
  EXPECT_EQ(found.estimate.upper, expected.upper);
  EXPECT_EQ(found.estimate.interval, "binomial");
  EXPECT_GT(found.estimate.error, found.candidates[found.chosen].loss);
}

TEST(HonestChoiceVsNaive, LossesThatAreNoErrorsHavePercentiles) {
  LossTable losses = errors(90, 3, 3);
  for (float& loss : losses.values) loss *= 2.5F;
  const HonestChoice found = judge(losses);
  EXPECT_FALSE(found.zero_one);
  EXPECT_EQ(found.estimate.interval, "percentile");
}

TEST(HonestChoiceVsNaive, ThreadsDoNotChangeTheResult) {
  const LossTable losses = errors(50, 5, 9);
  const HonestChoice one = judge(losses);
  const HonestChoice four = judge(losses, {}, {}, 4);
  EXPECT_EQ(one.estimate.error, four.estimate.error);
  EXPECT_EQ(one.estimate.lower, four.estimate.lower);
}

TEST(HonestChoiceVsNaive, CandidatesWithoutALossAreNeverChosenAndSaidSo) {
  LossTable losses = errors(30, 3, 1);
  for (std::size_t i = 0; i < losses.rows; ++i) losses.row(i)[1] = static_cast<float>(nan);
  for (std::size_t i = 3; i < losses.rows; ++i) losses.row(i)[2] = static_cast<float>(nan);
  for (std::size_t i = 0; i < 3; ++i) losses.row(i)[2] = 0;
  const HonestChoice found = judge(losses);
  EXPECT_EQ(found.chosen, 2U);
  EXPECT_EQ(found.candidates[1].rows, 0U);
  EXPECT_TRUE(std::isnan(found.candidates[1].loss));
  EXPECT_FALSE(found.candidates[1].within_one_se);
  EXPECT_FALSE(found.candidates[1].test);
  ASSERT_EQ(found.warnings.size(), 1U);
  EXPECT_NE(found.warnings[0].find("chosen on 3 of the 30 rows"), std::string::npos);
}

TEST(HonestChoiceVsNaive, AChoiceAmongCoinsIsSeenThrough) {
  double selected = 0;
  double honest = 0;
  int covered = 0;
  constexpr int draws = 100;
  for (int seed = 0; seed < draws; ++seed) {
    HonestOptions options;
    options.resamples = 200;
    const HonestChoice found = judge(errors(60, 40, static_cast<std::uint64_t>(seed) + 100, 2), {}, options);
    selected += found.candidates[found.chosen].loss / draws;
    honest += found.estimate.error / draws;
    covered += *found.estimate.lower <= 0.5 && 0.5 <= *found.estimate.upper ? 1 : 0;
  }
  EXPECT_LT(selected, 0.40);
  EXPECT_NEAR(honest, 0.5, 0.03);
  EXPECT_GE(covered, 95);
}

TEST(HonestChoiceVsNaive, NonsenseIsRefused) {
  const LossTable losses = errors(10, 2, 0);
  Surroundings one;
  const auto refused = [&](const std::string& sentence, const LossTable& table, const std::vector<std::string>& names,
                           const std::vector<int>& groups, const HonestOptions& options,
                           ErrorCode code = ErrorCode::invalid_argument) {
    expect_error(code, sentence, [&] { honest_choice(table, names, groups, "error", options, one.context); });
  };
  refused("confidence: 1 is not between 0 and 1", losses, {"a", "b"}, {}, {.confidence = 1});
  refused("resamples: 1 is not", losses, {"a", "b"}, {}, {.resamples = 1});
  refused("20 losses and 1 names do not fit a table of 10 rows and 2 candidates", losses, {"a"}, {}, {});
  refused("two candidates are called 'a'", losses, {"a", "a"}, {}, {});
  refused("there are 10 rows, but groups for 3", losses, {"a", "b"}, {1, 2, 3}, {});
  refused("at least 2 groups, but has 1", losses, {"a", "b"}, std::vector<int>(10, 4), {});
  refused("there is no candidate", LossTable(3, 0), {}, {}, {});
  refused("at least 2 rows, but has 1", errors(1, 2, 0), {"a", "b"}, {}, {});
  LossTable infinite = losses;
  infinite.row(4)[1] = std::numeric_limits<float>::infinity();
  refused("candidate 'b', row 5: the loss is not a finite number", infinite, {"a", "b"}, {}, {},
          ErrorCode::invalid_data);
  LossTable empty(3, 2);
  empty.values.assign(6, static_cast<float>(nan));
  refused("no candidate has a loss on any row", empty, {"a", "b"}, {}, {}, ErrorCode::invalid_data);
}

}  // namespace honest_choice_vs_naive_tests
}  // namespace credence::selection
