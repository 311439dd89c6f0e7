#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>
#include <numeric>
#include <set>
#include <vector>

#include "credence/core/random.hpp"
#include "credence/selection/honest_estimate.hpp"
#include "support/context.hpp"
#include "support/expect_error.hpp"

namespace credence::selection {
namespace honest_estimate_vs_naive_tests {

using credence::test::expect_error;
using credence::test::Surroundings;
using Drawn = std::vector<std::uint32_t>;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Losses that are multiples of 1 / steps, a share `gaps` of them NaN.
LossTable random_losses(std::size_t rows, std::size_t settings, std::uint64_t seed, std::uint64_t steps = 1,
                        double gaps = 0) {
  core::RandomStream random(seed, 77);
  LossTable losses(rows, settings);
  for (float& loss : losses.values) {
    loss = static_cast<float>(random.below(steps + 1)) / static_cast<float>(steps);
    if (random.uniform() < gaps) loss = std::numeric_limits<float>::quiet_NaN();
  }
  return losses;
}

std::vector<std::size_t> in_order(std::size_t settings) {
  std::vector<std::size_t> order(settings);
  std::iota(order.begin(), order.end(), std::size_t{0});
  return order;
}

/// The mean loss of a setting over rows, each as often as `times` says.
double naive_mean(const LossTable& losses, std::size_t setting, const Drawn& times) {
  double sum = 0;
  double count = 0;
  for (std::size_t i = 0; i < losses.rows; ++i) {
    for (std::uint32_t t = 0; t < times[i]; ++t) {
      if (std::isnan(losses.row(i)[setting])) continue;
      sum += static_cast<double>(losses.row(i)[setting]);
      count += 1;
    }
  }
  return sum / count;
}

/// The rule of the header, one loop after the other.
double naive_rule(const LossTable& losses, const std::vector<std::size_t>& preference,
                  std::span<const std::uint32_t> drawn) {
  const Drawn times(drawn.begin(), drawn.end());
  Drawn left_out;
  for (const std::uint32_t t : times) left_out.push_back(t == 0 ? 1 : 0);
  std::size_t best = preference.front();
  double least = std::numeric_limits<double>::infinity();
  for (const std::size_t setting : preference) {
    const double mean = naive_mean(losses, setting, times);
    if (mean < least) {
      least = mean;
      best = setting;
    }
  }
  return std::isinf(least) ? nan : naive_mean(losses, best, left_out);
}

HonestEstimate naive(const LossTable& losses, const std::vector<std::size_t>& preference,
                     const std::vector<int>& groups, const BbcOptions& options) {
  Surroundings one;
  return bootstrap_bias_corrected(
      losses.rows, groups, [&](auto drawn) { return naive_rule(losses, preference, drawn); }, options, one.context);
}

HonestEstimate fast(const LossTable& losses, const std::vector<std::size_t>& preference, const std::vector<int>& groups,
                    const BbcOptions& options, int threads = 1) {
  Surroundings some(threads);
  return bbc_of_smallest_loss(losses, preference, groups, options, some.context);
}

void expect_same(const HonestEstimate& a, const HonestEstimate& b) {
  EXPECT_EQ(a.error, b.error);
  EXPECT_EQ(a.lower, b.lower);
  EXPECT_EQ(a.upper, b.upper);
  EXPECT_EQ(a.resamples, b.resamples);
  EXPECT_EQ(a.rows, b.rows);
}

/// The draws that a rule sees, sorted.
std::vector<Drawn> draws_of(std::size_t rows, const std::vector<int>& groups, const BbcOptions& options,
                            int threads = 1) {
  Surroundings some(threads);
  std::mutex mutex;
  std::vector<Drawn> draws;
  bootstrap_bias_corrected(
      rows, groups,
      [&](std::span<const std::uint32_t> drawn) {
        const std::lock_guard lock(mutex);
        draws.emplace_back(drawn.begin(), drawn.end());
        return 0.0;
      },
      options, some.context);
  std::sort(draws.begin(), draws.end());
  return draws;
}

TEST(BbcOfSmallestLoss, EqualsTheNaiveLoops) {
  for (const std::size_t settings : {1U, 2U, 3U, 7U, 8U, 9U, 33U}) {
    for (const std::uint64_t steps : {1U, 4U}) {
      const LossTable losses = random_losses(23, settings, 5 + settings, steps);
      const BbcOptions options{.resamples = 150, .delta = 0.1, .seed = 3};
      expect_same(fast(losses, in_order(settings), {}, options), naive(losses, in_order(settings), {}, options));
    }
  }
}

TEST(BbcOfSmallestLoss, EqualsTheNaiveLoopsWithGaps) {
  for (const double gaps : {0.02, 0.3, 0.6}) {
    LossTable losses = random_losses(19, 12, 8, 1, gaps);
    for (std::size_t i = 0; i < losses.rows; ++i) losses.row(i)[i % 12] = 1;  // no row is empty
    for (std::size_t i = 1; i < losses.rows; ++i) losses.row(i)[4] = std::numeric_limits<float>::quiet_NaN();
    losses.row(0)[4] =
        0;  // a setting that one row alone speaks for: the best where it is drawn, but then judged by none
    const BbcOptions options{.resamples = 200, .seed = 11};
    const HonestEstimate estimate = fast(losses, in_order(12), {}, options);
    expect_same(estimate, naive(losses, in_order(12), {}, options));
    EXPECT_LT(estimate.resamples, 200U);
    EXPECT_GT(estimate.resamples, 20U);
  }
}

TEST(BbcOfSmallestLoss, RowsWithoutLossesAreAsIfTheyWereNotThere) {
  const LossTable losses = random_losses(20, 5, 21);
  LossTable longer(31, 5);
  std::vector<int> groups;
  std::vector<int> longer_groups;
  std::size_t next = 0;
  for (std::size_t i = 0; i < longer.rows; ++i) {
    const bool judged = i % 3 != 1 && next < losses.rows;
    for (std::size_t c = 0; c < 5; ++c)
      longer.row(i)[c] = judged ? losses.row(next)[c] : std::numeric_limits<float>::quiet_NaN();
    longer_groups.push_back(judged ? static_cast<int>(next / 2) : 100 + static_cast<int>(i));
    if (judged) groups.push_back(static_cast<int>(next++ / 2));
  }
  ASSERT_EQ(next, losses.rows);
  expect_same(fast(longer, in_order(5), {}, {}), fast(losses, in_order(5), {}, {}));
  expect_same(fast(longer, in_order(5), longer_groups, {}), fast(losses, in_order(5), groups, {}));
  EXPECT_EQ(fast(longer, in_order(5), {}, {}).rows, 20U);
}

TEST(BbcOfSmallestLoss, TiesGoToTheFirstPreferredSetting) {
  // Settings 0 and 1 err on every row by the same loss in training, but differ in nothing else; setting 2 is worse.
  // Setting 3 ties with them as 1/2 + 1/2 does with 0 + 1, where rows are drawn in pairs.
  LossTable losses(10, 4);
  std::vector<int> groups;
  for (std::size_t i = 0; i < 10; ++i) {
    const float row[] = {i % 2 == 0 ? 0.0F : 1.0F, i % 2 == 0 ? 1.0F : 0.0F, 1.0F, 0.5F};
    std::copy(row, row + 4, losses.row(i));
    groups.push_back(static_cast<int>(i / 2));
  }
  // Rows are not drawn in pairs here, and each order of preference is judged by its own choice.
  for (const std::vector<std::size_t>& preference :
       {std::vector<std::size_t>{0, 1, 2, 3}, {3, 2, 1, 0}, {2, 1, 3, 0}, {1, 0, 3, 2}}) {
    expect_same(fast(losses, preference, {}, {}), naive(losses, preference, {}, {}));
  }
  EXPECT_NE(fast(losses, std::vector<std::size_t>{0, 1, 2, 3}, {}, {}).error,
            fast(losses, std::vector<std::size_t>{3, 2, 1, 0}, {}, {}).error);
  // In pairs all but setting 2 always tie at 1/2.
  const HonestEstimate tied = fast(losses, {3, 0, 1, 2}, groups, {});
  EXPECT_EQ(tied.error, 0.5);
}

TEST(BbcOfSmallestLoss, SettingsThatAreNotPreferredAreNeverChosen) {
  LossTable losses = random_losses(30, 3, 2);
  for (std::size_t i = 0; i < 30; ++i) losses.row(i)[1] = 0;
  EXPECT_EQ(fast(losses, {0, 1, 2}, {}, {}).error, 0);
  EXPECT_GT(fast(losses, {0, 2}, {}, {}).error, 0.2);
}

TEST(BbcOfSmallestLoss, ThreadsDoNotMatter) {
  const LossTable losses = random_losses(61, 17, 9, 3, 0.05);
  const BbcOptions options{.resamples = 500, .seed = 5};
  expect_same(fast(losses, in_order(17), {}, options, 1), fast(losses, in_order(17), {}, options, 2));
  expect_same(fast(losses, in_order(17), {}, options, 1), fast(losses, in_order(17), {}, options, 4));
}

TEST(BbcOfSmallestLoss, SeedsMatterAndRepeat) {
  const LossTable losses = random_losses(61, 17, 9);
  EXPECT_EQ(fast(losses, in_order(17), {}, {.seed = 1}).error, fast(losses, in_order(17), {}, {.seed = 1}).error);
  EXPECT_NE(fast(losses, in_order(17), {}, {.seed = 1}).error, fast(losses, in_order(17), {}, {.seed = 2}).error);
}

TEST(BiasCorrectedBootstrap, DrawsWholeGroups) {
  const std::vector<int> groups{5, -1, 5, 5, 8, -1, 8, 3, 3, 3};
  for (const Drawn& drawn : draws_of(10, groups, {.resamples = 300})) {
    std::map<int, std::set<std::uint32_t>> counts;
    for (std::size_t i = 0; i < 10; ++i) counts[groups[i]].insert(drawn[i]);
    std::uint32_t total = 0;
    bool left_out = false;
    for (const auto& [group, times] : counts) {
      ASSERT_EQ(times.size(), 1U) << "rows of a group were drawn apart";
      total += *times.begin();
      left_out = left_out || *times.begin() == 0;
    }
    EXPECT_EQ(total, 4U);
    EXPECT_TRUE(left_out);
  }
}

TEST(BiasCorrectedBootstrap, DrawsWithReplacement) {
  const std::size_t rows = 12;
  const std::size_t resamples = 4000;
  std::vector<int> left_out(rows, 0);
  for (const Drawn& drawn : draws_of(rows, {}, {.resamples = resamples})) {
    EXPECT_EQ(std::accumulate(drawn.begin(), drawn.end(), 0U), rows);
    for (std::size_t i = 0; i < rows; ++i) left_out[i] += drawn[i] == 0 ? 1 : 0;
  }
  const double p = std::pow(1 - 1.0 / rows, rows);
  for (const int times : left_out)
    EXPECT_NEAR(static_cast<double>(times) / resamples, p, 4.5 * std::sqrt(p * (1 - p) / resamples));
}

TEST(BiasCorrectedBootstrap, DrawsDoNotDependOnThreads) {
  EXPECT_EQ(draws_of(9, {}, {.resamples = 200, .seed = 4}, 1), draws_of(9, {}, {.resamples = 200, .seed = 4}, 2));
}

TEST(BiasCorrectedBootstrap, GoldenDraws) {
  // Fixed numbers: a draw that differs between platforms or versions makes every published estimate a different one.
  EXPECT_EQ(draws_of(8, {}, {.resamples = 2, .seed = 3}),
            (std::vector<Drawn>{{0, 2, 0, 1, 3, 0, 2, 0}, {0, 3, 2, 0, 1, 1, 1, 0}}));
  EXPECT_EQ(draws_of(7, {5, 2, 5, 9, 2, 4, 9}, {.resamples = 2, .seed = 3}),
            (std::vector<Drawn>{{1, 0, 1, 2, 0, 1, 2}, {1, 2, 1, 1, 2, 0, 1}}));
}

TEST(BiasCorrectedBootstrap, AlwaysLeavesARowOut) {
  const std::vector<Drawn> draws = draws_of(2, {}, {.resamples = 100});
  EXPECT_EQ(draws.size(), 100U);
  EXPECT_EQ(std::set<Drawn>(draws.begin(), draws.end()), (std::set<Drawn>{{0, 2}, {2, 0}}));
}

TEST(BiasCorrectedBootstrap, MeanAndQuantilesOfTheLosses) {
  Surroundings one;
  double next = 0;
  const auto squares = [&](auto) {  // 1, 4, 9, ...
    next += 1;
    return next * next;
  };
  const BbcOptions unbounded{.resamples = 5, .delta = 0.5, .bounded = false};
  const HonestEstimate five = bootstrap_bias_corrected(8, {}, squares, unbounded, one.context);
  EXPECT_EQ(five.error, 11);
  EXPECT_EQ(five.lower, 4);  // positions 1 and 3 of 0..4
  EXPECT_EQ(five.upper, 16);
  EXPECT_EQ(five.method, "bbc");
  EXPECT_EQ(five.interval, "percentile");
  EXPECT_EQ(five.trials, 0);
  EXPECT_EQ(five.delta, 0.5);
  EXPECT_EQ(five.resamples, 5U);
  EXPECT_EQ(five.rows, 8U);
  EXPECT_GE(five.seconds, 0);
  next = 0;
  const BbcOptions fewer{.resamples = 2, .delta = 0.5, .bounded = false};
  const HonestEstimate two = bootstrap_bias_corrected(8, {}, squares, fewer, one.context);
  EXPECT_EQ(two.lower, 1 + 0.25 * 3);
  EXPECT_EQ(two.upper, 1 + 0.75 * 3);
}

/// Without an error the upper end is the p with (1 - p)^trials = delta / 2, and percentiles would be 0.
TEST(IntervalsOfHonestEstimates, WithoutErrorsHaveTheClosedForm) {
  Surroundings one;
  const auto never = [](auto) { return 0.0; };
  for (const double worth : {0.3, 0.58, 1.0}) {
    const BbcOptions options{.resamples = 20, .delta = 0.1, .worth = worth};
    const HonestEstimate rows = bootstrap_bias_corrected(50, {}, never, options, one.context);
    EXPECT_EQ(rows.interval, "binomial");
    EXPECT_DOUBLE_EQ(rows.trials, 50 * worth);
    EXPECT_EQ(rows.lower, 0.0);
    EXPECT_NEAR(*rows.upper, 1 - std::pow(0.05, 1 / (50 * worth)), 1e-12);
    std::vector<int> groups;
    for (int i = 0; i < 50; ++i) groups.push_back(i / 5);
    const HonestEstimate grouped = bootstrap_bias_corrected(50, groups, never, options, one.context);
    EXPECT_EQ(grouped.interval, "Korn-Graubard");
    EXPECT_DOUBLE_EQ(grouped.trials, 10 * worth);
  }
}

/// Groups whose rows share their losses are worth about as many trials as there are groups, by Student's quantiles a
/// little less; groups of rows that know nothing of each other are worth as many as there are rows.
TEST(IntervalsOfHonestEstimates, CountGroupsForWhatTheyAreWorth) {
  constexpr std::size_t group_count = 40;
  constexpr std::size_t size = 10;
  core::RandomStream random(6, 78);
  LossTable same(group_count * size, 1);
  LossTable apart(group_count * size, 1);
  std::vector<int> groups;
  for (std::size_t i = 0; i < same.rows; ++i) {
    same.row(i)[0] = i % size > 0 ? same.row(i - 1)[0] : random.uniform() < 0.3 ? 1.0F : 0.0F;
    apart.row(i)[0] = random.uniform() < 0.3 ? 1.0F : 0.0F;
    groups.push_back(static_cast<int>(i / size));
  }
  const BbcOptions options{.resamples = 4000, .worth = 1};
  EXPECT_NEAR(fast(same, {0}, groups, options).trials, 40, 6);
  EXPECT_GT(fast(apart, {0}, groups, options).trials, 200);
  EXPECT_EQ(fast(apart, {0}, {}, options).trials, 400);
}

TEST(IntervalsOfHonestEstimates, OfOuterFoldsAreThoseOfTheirErrors) {
  const std::vector<FoldErrors> folds{{10, 1}, {10, 3}, {12, 2}, {9, 0}};
  const HonestEstimate rows = estimate_of_folds(folds, false, 0.05);
  EXPECT_DOUBLE_EQ(rows.error, 6.0 / 41);
  EXPECT_EQ(rows.rows, 41U);
  EXPECT_EQ(rows.resamples, 4U);
  EXPECT_DOUBLE_EQ(rows.trials, 41 * worth_of_a_row_refitted);
  EXPECT_LT(*rows.lower, rows.error);
  EXPECT_GT(*rows.upper, rows.error);
  // v = 4/3 sum (e - 6/41 n)^2 / 41^2; Student's quantiles at 0.975 are 2.021075 (40) and 3.182446 (3).
  const double p = 6.0 / 41;
  double squares = 0;
  for (const FoldErrors& fold : folds)
    squares += std::pow(static_cast<double>(fold.errors) - p * static_cast<double>(fold.rows), 2);
  const double v = 4.0 / 3 * squares / (41 * 41);
  const double trials = std::min(41.0, p * (1 - p) / v * std::pow(2.021075390306273 / 3.182446305284263, 2));
  EXPECT_NEAR(estimate_of_folds(folds, true, 0.05).trials, trials * worth_of_a_row_refitted, 1e-9);
  EXPECT_FALSE(estimate_of_folds({}, false, 0.05).upper);
}

TEST(BiasCorrectedBootstrap, LossesThatAreNotANumberDoNotCount) {
  Surroundings one;
  int calls = 0;
  const HonestEstimate estimate = bootstrap_bias_corrected(
      8, {}, [&](auto) { return ++calls % 2 == 0 ? 0.25 : nan; }, {.resamples = 40}, one.context);
  EXPECT_EQ(estimate.resamples, 20U);
  EXPECT_EQ(estimate.error, 0.25);
}

TEST(BiasCorrectedBootstrap, StopsWithWhatItHas) {
  Surroundings one;
  int calls = 0;
  const auto rule = [&](auto) {
    if (++calls == 10) one.monitor.cancel();
    return 0.5;
  };
  const HonestEstimate partial = bootstrap_bias_corrected(8, {}, rule, {}, one.context);
  EXPECT_EQ(partial.resamples, 10U);
  EXPECT_EQ(partial.error, 0.5);
  EXPECT_TRUE(partial.lower.has_value());
  const HonestEstimate nothing = bootstrap_bias_corrected(8, {}, rule, {}, one.context);
  EXPECT_EQ(nothing.resamples, 0U);
  EXPECT_TRUE(std::isnan(nothing.error));
  EXPECT_FALSE(nothing.lower.has_value());
  EXPECT_FALSE(nothing.upper.has_value());
  EXPECT_EQ(nothing.interval, "");
}

TEST(BiasCorrectedBootstrap, ReportsProgress) {
  std::size_t done = 0;
  std::size_t total = 0;
  core::Monitor monitor([&](const core::Monitor::Progress& progress) {
    done = progress.done;
    total = progress.total;
    return true;
  });
  const core::Threads threads(2);
  bootstrap_bias_corrected(8, {}, [](auto) { return 0.0; }, {.resamples = 30}, {threads, monitor});
  EXPECT_EQ(done, 30U);
  EXPECT_EQ(total, 30U);
}

TEST(HonestEstimates, RefuseWhatHasNoMeaning) {
  Surroundings one;
  const auto code = ErrorCode::invalid_argument;
  const auto refuse = [&](const std::string& part, std::size_t rows, const std::vector<int>& groups,
                          const BbcOptions& options) {
    expect_error(code, part,
                 [&] { bootstrap_bias_corrected(rows, groups, [](auto) { return 0.0; }, options, one.context); });
  };
  refuse("at least 2 resamples", 5, {}, {.resamples = 1});
  for (const double delta : {0.0, 1.0, -1.0, nan}) refuse("delta", 5, {}, {.delta = delta});
  for (const double worth : {0.0, 1.5, nan}) refuse("worth", 5, {}, {.worth = worth});
  refuse("at least 2 rows", 1, {}, {});
  refuse("at least 2 rows", 0, {}, {});
  refuse("at least 2 groups", 3, {4, 4, 4}, {});
  refuse("group codes for 2", 3, {4, 5}, {});

  const LossTable losses = random_losses(6, 3, 1);
  expect_error(code, "no setting", [&] { fast(losses, {}, {}, {}); });
  expect_error(code, "setting 3", [&] { fast(losses, {0, 3}, {}, {}); });
  expect_error(code, "group codes for 2", [&] { fast(losses, {0}, {1, 2}, {}); });
  expect_error(code, "at least 2 resamples", [&] { fast(losses, {0}, {}, {.resamples = 0}); });
  LossTable empty = losses;
  std::fill(empty.values.begin() + 3, empty.values.end(), std::numeric_limits<float>::quiet_NaN());
  expect_error(code, "at least 2 rows", [&] { fast(empty, {0}, {}, {}); });
  LossTable short_table = losses;
  short_table.values.pop_back();
  expect_error(code, "17 losses", [&] { fast(short_table, {0}, {}, {}); });
}

}  // namespace honest_estimate_vs_naive_tests
}  // namespace credence::selection
