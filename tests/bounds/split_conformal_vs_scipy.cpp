#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "credence/bounds/split_conformal.hpp"
#include "support/expect_error.hpp"

namespace credence::bounds {
namespace split_conformal_vs_scipy_tests {

struct PrintedLimit {
  std::size_t m;
  double significance;
  double limit;  ///< scipy.stats.beta(k, m + 1 - k).ppf(0.95), k = floor(eps (m + 1)); SciPy 1.17
};

constexpr PrintedLimit printed_limits[] = {
    {12, 0.1, 0.220922191946},   {30, 0.1, 0.195326043655},  {50, 0.1, 0.173791158164},
    {100, 0.1, 0.151795428614},  {300, 0.1, 0.129460694056}, {114, 0.01, 0.025936082014},
    {114, 0.05, 0.078492449732}, {19, 0.05, 0.145868503312}, {1000, 0.2, 0.220914644170},
};

struct PrintedCounts {
  std::size_t n;
  std::size_t m;
  double significance;
  double delta;
  std::size_t lower;
  std::size_t upper;  ///< from scipy.stats.betabinom(n, k, m + 1 - k).cdf and .sf
};

constexpr PrintedCounts printed_counts[] = {
    {1000, 100, 0.1, 0.05, 47, 167},   {190, 379, 0.05, 0.05, 3, 17},    {20, 12, 0.1, 0.05, 0, 6},
    {5000, 50, 0.2, 0.001, 285, 2048}, {190, 100000, 0.05, 0.05, 4, 16}, {1, 30, 0.5, 0.5, 0, 1},
    {2000, 19, 0.05, 0.1, 5, 293},
};

TEST(SplitConformalVsScipy, LimitOfOneModel) {
  for (const PrintedLimit& one : printed_limits)
    EXPECT_NEAR(split_miss_limit(one.m, one.significance, 0.05), one.limit, 1e-11)
        << one.m << " at " << one.significance;
  EXPECT_EQ(split_miss_limit(98, 0.01, 0.05), 0);        // every region holds every class
  EXPECT_GT(split_miss_limit(98, 0.01, 0.05, true), 0);  // smoothed p-values reach below 1 / 99
  EXPECT_EQ(split_miss_limit(19, 1 - 0.95, 0.05), split_miss_limit(19, 0.05, 0.05));
}

TEST(SplitConformalVsScipy, CountsOnNewRows) {
  for (const PrintedCounts& one : printed_counts) {
    const CountInterval counts = split_miss_counts(one.n, one.m, one.significance, one.delta);
    EXPECT_EQ(counts.lower, one.lower) << one.n << ", " << one.m;
    EXPECT_EQ(counts.upper, one.upper) << one.n << ", " << one.m;
  }
  EXPECT_EQ(split_miss_counts(7, 18, 0.05, 0.05).upper, 0U);
  EXPECT_EQ(split_miss_counts(7, 18, 1, 0.05).lower, 7U);
  const CountInterval many = split_miss_counts(1000000, 3000000, 0.05, 0.05);
  const double deviation = std::sqrt(1e6 * 0.05 * 0.95 * (1 + 1.0 / 3));
  EXPECT_NEAR(static_cast<double>(many.upper), 5e4 + 1.96 * deviation, 3);
  EXPECT_NEAR(static_cast<double>(many.lower), 5e4 - 1.96 * deviation, 3);
}

/// Draws of calibration and new rows: the share of draws beyond the limits is that of the tails.
TEST(SplitConformalVsSimulation, LimitAndCountsHoldAsOftenAsTheySay) {
  constexpr std::size_t m = 40;
  constexpr std::size_t n = 150;
  constexpr int draws = 4000;
  constexpr double significance = 0.1;
  std::mt19937_64 random(7);
  const auto uniform = [&] { return static_cast<double>(random() >> 11) * 0x1p-53; };
  const double limit = split_miss_limit(m, significance, 0.05);
  const CountInterval counts = split_miss_counts(n, m, significance, 0.05);
  const CountInterval binomial = central_counts(n, significance, 0.05);
  int above = 0, outside = 0, outside_binomial = 0;
  for (int draw = 0; draw < draws; ++draw) {
    std::vector<double> kept(m);
    for (double& alpha : kept) alpha = uniform();
    std::ranges::sort(kept, std::greater<>());
    // p = (#{alpha_i >= alpha} + 1) / 41 <= 0.1 where at most 3 kept rows are as strange.
    const double border = kept[3];
    above += 1 - border > limit ? 1 : 0;
    std::size_t misses = 0;
    for (std::size_t row = 0; row < n; ++row) misses += uniform() > border ? 1U : 0U;
    outside += misses < counts.lower || misses > counts.upper ? 1 : 0;
    outside_binomial += misses < binomial.lower || misses > binomial.upper ? 1 : 0;
  }
  EXPECT_NEAR(above, draws * 0.05, 4 * std::sqrt(draws * 0.05 * 0.95));
  EXPECT_LE(outside, draws * 0.05 + 4 * std::sqrt(draws * 0.05 * 0.95));
  EXPECT_GE(outside, draws * 0.02);
  EXPECT_GT(outside_binomial, draws * 0.25);  // a band that forgets the draw of the kept rows
}

struct PrintedRank {
  std::size_t m;
  double significance;
  double delta;
  std::size_t k;  ///< the largest with scipy.stats.binom(m, eps).cdf(k - 1) <= delta; SciPy 1.17
};

constexpr PrintedRank printed_ranks[] = {
    {59, 0.05, 0.05, 1}, {58, 0.05, 0.05, 0},       {100, 0.1, 0.05, 5},  {300, 0.02, 0.05, 2},
    {300, 0.02, 0.1, 3}, {2000, 0.02, 0.05, 30},    {148, 0.02, 0.05, 0}, {149, 0.02, 0.05, 1},
    {20, 0.3, 0.05, 3},  {1000, 0.2, 0.001, 162},   {50, 0.5, 0.5, 25},   {1, 0.96, 0.05, 1},
    {1, 0.94, 0.05, 0},  {100000, 0.01, 0.05, 949},
};

struct PrintedRows {
  double significance;
  double delta;
  std::size_t rows;  ///< the fewest with scipy.stats.binom(rows, eps).cdf(0) <= delta
};

constexpr PrintedRows printed_rows[] = {
    {0.05, 0.05, 59}, {0.02, 0.05, 149}, {0.1, 0.05, 29},  {0.01, 0.05, 299},   {0.01, 0.1, 230},
    {0.5, 0.5, 1},    {0.5, 0.25, 2},    {0.1, 0.001, 66}, {0.001, 0.05, 2995}, {0.9, 0.05, 2},
};

TEST(SplitConformalVsScipy, LevelThatHoldsWithCertainty) {
  for (const PrintedRank& one : printed_ranks) {
    EXPECT_DOUBLE_EQ(level_with_certainty(one.m, one.significance, one.delta),
                     static_cast<double>(one.k) / static_cast<double>(one.m + 1))
        << one.m << " at " << one.significance;
  }
  EXPECT_EQ(level_with_certainty(0, 0.1, 0.05), 0);
  EXPECT_EQ(level_with_certainty(1000, 0, 0.05), 0);
}

TEST(SplitConformalVsScipy, FewestRowsForCertainty) {
  for (const PrintedRows& one : printed_rows) {
    EXPECT_EQ(rows_for_certainty(one.significance, one.delta), one.rows) << one.significance << ", " << one.delta;
    EXPECT_GT(level_with_certainty(one.rows, one.significance, one.delta), 0);
    EXPECT_EQ(level_with_certainty(one.rows - 1, one.significance, one.delta), 0);
  }
}

/// One level more would not do: the limit of the level is at most eps, that of the next rank above it.
TEST(SplitConformalVsClosedForm, TheLevelIsTheLargestWhoseMissLimitIsAtMostTheLimit) {
  for (const std::size_t m : {30U, 77U, 200U, 1500U}) {
    for (const double significance : {0.02, 0.1, 0.35}) {
      for (const double delta : {0.05, 0.3}) {
        const double level = level_with_certainty(m, significance, delta);
        const double next = level + 1.0 / static_cast<double>(m + 1);
        EXPECT_LE(split_miss_limit(m, level, delta), significance * (1 + 1e-12)) << m << ", " << significance;
        EXPECT_GT(split_miss_limit(m, next, delta), significance) << m << ", " << significance;
      }
    }
  }
}

TEST(SplitConformal, RefusesWhatIsNoLevel) {
  for (const double significance : {-0.1, 1.0, std::nan("")})
    test::expect_error(ErrorCode::invalid_argument, "level", [&] { level_with_certainty(5, significance, 0.05); });
  for (const double delta : {0.0, 1.0, std::nan("")}) {
    test::expect_error(ErrorCode::invalid_argument, "delta", [&] { level_with_certainty(5, 0.1, delta); });
    test::expect_error(ErrorCode::invalid_argument, "delta", [&] { rows_for_certainty(0.1, delta); });
  }
  test::expect_error(ErrorCode::invalid_argument, "level of 0", [] { rows_for_certainty(0, 0.05); });
  test::expect_error(ErrorCode::invalid_argument, "level", [] { rows_for_certainty(1, 0.05); });
  test::expect_error(ErrorCode::invalid_argument, "calibration row", [] { split_miss_limit(0, 0.1, 0.05); });
  test::expect_error(ErrorCode::invalid_argument, "level", [] { split_miss_limit(5, 1, 0.05); });
  test::expect_error(ErrorCode::invalid_argument, "level", [] { split_miss_limit(5, std::nan(""), 0.05); });
  test::expect_error(ErrorCode::invalid_argument, "delta", [] { split_miss_limit(5, 0.1, 0); });
  test::expect_error(ErrorCode::invalid_argument, "new row", [] { split_miss_counts(0, 5, 0.1, 0.05); });
}

}  // namespace split_conformal_vs_scipy_tests
}  // namespace credence::bounds
