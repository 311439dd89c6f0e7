#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "credence/conformal/regression.hpp"
#include "credence/core/random.hpp"
#include "support/expect_error.hpp"

namespace credence::conformal {
namespace regression_vs_naive_tests {

using test::expect_error;
using Numbers = std::vector<double>;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

struct Case {
  Numbers targets;
  Numbers predictions;
  Numbers difficulties;
};

/// Quarters, so that many residuals are tied and sums are exact.
Case random_case(std::size_t n, std::uint64_t seed) {
  core::RandomStream random(seed);
  Case result;
  for (std::size_t i = 0; i < n; ++i) {
    result.targets.push_back(static_cast<double>(random.below(20)) / 4);
    result.predictions.push_back(static_cast<double>(random.below(20)) / 4);
    result.difficulties.push_back(static_cast<double>(random.below(3)));
  }
  return result;
}

double residual(const Case& one, std::size_t i, bool normalised, double beta) {
  const double plain = std::abs(one.targets[i] - one.predictions[i]);
  return normalised ? plain / (one.difficulties[i] + beta) : plain;
}

Numbers residuals(const Case& one, bool normalised, double beta) {
  Numbers all;
  for (std::size_t i = 0; i < one.targets.size(); ++i) all.push_back(residual(one, i, normalised, beta));
  return all;
}

TEST(InductiveRegression, PValuesEqualCounts) {
  constexpr double beta = 0.5;
  for (const bool normalised : {false, true}) {
    const Case known = random_case(37, 1);
    const Case fresh = random_case(60, 2);
    const Numbers none;
    const InductiveRegression machine(known.targets, known.predictions, normalised ? known.difficulties : none,
                                      {.beta = beta});
    EXPECT_EQ(machine.size(), 37U);
    const Numbers p = machine.p_values(fresh.targets, fresh.predictions, normalised ? fresh.difficulties : none);
    const Numbers alphas = residuals(known, normalised, beta);
    for (std::size_t i = 0; i < p.size(); ++i) {
      const double alpha = residual(fresh, i, normalised, beta);
      const auto count = std::count_if(alphas.begin(), alphas.end(), [&](double other) { return other >= alpha; });
      EXPECT_EQ(p[i], static_cast<double>(count + 1) / 38);
    }
  }
}

/// ceil((1 - parts / whole) (n + 1)) without rounding.
std::size_t rank_of(std::size_t n, std::size_t parts, std::size_t whole) {
  return ((whole - parts) * (n + 1) + whole - 1) / whole;
}

TEST(InductiveRegression, HalfWidthIsTheRightResidual) {
  for (std::size_t n = 1; n <= 45; ++n) {
    const Case known = random_case(n, n);
    Numbers sorted = residuals(known, false, 0);
    std::sort(sorted.begin(), sorted.end());
    const InductiveRegression machine(known.targets, known.predictions);
    for (const std::size_t whole : {10U, 20U, 100U}) {
      for (std::size_t parts = 1; parts < whole; ++parts) {
        const double significance = static_cast<double>(parts) / static_cast<double>(whole);
        const std::size_t rank = rank_of(n, parts, whole);
        const double expected = rank > n ? infinity : sorted[rank - 1];
        const PredictionInterval interval = machine.intervals(Numbers{2}, {}, significance).at(0);
        EXPECT_EQ(interval.lower, 2 - expected) << "n = " << n << ", eps = " << significance;
        EXPECT_EQ(interval.upper, 2 + expected) << "n = " << n << ", eps = " << significance;
      }
    }
  }
}

/// With residuals 1, 2, ..., n.
InductiveRegression with_residuals(std::size_t n) {
  Numbers targets(n);
  std::iota(targets.begin(), targets.end(), 1.0);
  return {targets, Numbers(n, 0.0)};
}

TEST(InductiveRegression, HalfWidthKeepsToThePValuesWhereProductsRound) {
  // 9 / 10 is the p-value of residual 2; a level that is below it by rounding alone is that level.
  EXPECT_EQ(with_residuals(9).intervals(Numbers{0}, {}, std::nextafter(0.9, 0)).at(0).upper, 1);
  EXPECT_EQ(with_residuals(9).intervals(Numbers{0}, {}, 0.9 - 1e-9).at(0).upper, 2);
  EXPECT_EQ(with_residuals(9).intervals(Numbers{0}, {}, 0.9).at(0).upper, 1);
  ASSERT_LT(0.29 * 100, 29);  // yet 29 / 100 is not above 0.29
  EXPECT_EQ(with_residuals(99).intervals(Numbers{0}, {}, 0.29).at(0).upper, 71);
}

TEST(InductiveRegression, IntervalsAreTheTargetsWithALargePValue) {
  constexpr double beta = 0.5;
  for (const bool normalised : {false, true}) {
    const Case known = random_case(29, 3);
    const Case fresh = random_case(5, 4);
    const Numbers none;
    const InductiveRegression machine(known.targets, known.predictions, normalised ? known.difficulties : none,
                                      {.beta = beta});
    for (const double significance : {0.02, 0.1, 1.0 / 3, 0.5, 0.9}) {
      const auto intervals = machine.intervals(fresh.predictions, normalised ? fresh.difficulties : none, significance);
      ASSERT_EQ(intervals.size(), 5U);
      for (std::size_t i = 0; i < intervals.size(); ++i) {
        for (double y = -8; y <= 14; y += 1.0 / 16) {
          const double edge = std::min(std::abs(y - intervals[i].lower), std::abs(y - intervals[i].upper));
          if (edge > 0 && edge < 1e-9) continue;  // a product and a quotient round differently
          const Numbers difficulty = normalised ? Numbers{fresh.difficulties[i]} : none;
          const double p = machine.p_values(Numbers{y}, Numbers{fresh.predictions[i]}, difficulty).at(0);
          EXPECT_EQ(p > significance, y >= intervals[i].lower && y <= intervals[i].upper)
              << y << " at " << significance;
        }
      }
    }
  }
}

TEST(InductiveRegression, OfThreeResidualsEqualsTheHandComputed) {
  const InductiveRegression machine(Numbers{1, 5, 3}, Numbers{2, 3, 7});          // residuals 1, 2, 4
  const PredictionInterval half = machine.intervals(Numbers{10}, {}, 0.5).at(0);  // ceil(0.5 * 4) = 2nd
  EXPECT_EQ(half.lower, 8);
  EXPECT_EQ(half.upper, 12);
  EXPECT_EQ(machine.intervals(Numbers{10}, {}, 0.25).at(0).upper, 14);
  EXPECT_EQ(machine.intervals(Numbers{10}, {}, 0.24).at(0).upper, infinity);
  EXPECT_EQ(machine.intervals(Numbers{10}, {}, 0.24).at(0).lower, -infinity);
  EXPECT_EQ(machine.p_values(Numbers{12, 12.5, 20, 10}, Numbers{10, 10, 10, 10}), (Numbers{0.75, 0.5, 0.25, 1}));

  const InductiveRegression normalised(Numbers{1, 5, 3}, Numbers{2, 3, 7}, Numbers{0, 3, 1}, {.beta = 1});
  // residuals 1 / 1, 2 / 4, 4 / 2; the second smallest is 1, times 5 + 1
  EXPECT_EQ(normalised.intervals(Numbers{10}, Numbers{5}, 0.5).at(0).upper, 16);
}

TEST(InductiveRegression, RefusesWhatDoesNotFit) {
  const auto make = [](Numbers y, Numbers f, Numbers d = {}, double beta = 1) {
    return InductiveRegression(y, f, d, {.beta = beta});
  };
  expect_error(ErrorCode::invalid_argument, "1 targets", [&] { make({1}, {1, 2}); });
  expect_error(ErrorCode::invalid_argument, "3 difficulties", [&] { make({1, 2}, {1, 2}, {1, 2, 3}); });
  expect_error(ErrorCode::invalid_data, "at least one held-out example", [&] { make({}, {}); });
  expect_error(ErrorCode::invalid_data, "target 1", [&] { make({1, not_a_number}, {1, 2}); });
  expect_error(ErrorCode::invalid_data, "prediction 0", [&] { make({1, 2}, {infinity, 2}); });
  expect_error(ErrorCode::invalid_data, "difficulty 1", [&] { make({1, 2}, {1, 2}, {1, not_a_number}); });
  expect_error(ErrorCode::invalid_data, "0 or more", [&] { make({1, 2}, {1, 2}, {1, -1}); });
  for (const double beta : {0.0, -1.0, infinity, not_a_number})
    expect_error(ErrorCode::invalid_argument, "beta", [&] { make({1, 2}, {1, 2}, {1, 1}, beta); });
  make({1, 2}, {1, 2}, {}, 0);  // not looked at

  const InductiveRegression plain = make({1, 2}, {1, 2});
  const InductiveRegression normalised = make({1, 2}, {1, 2}, {1, 1});
  for (const double significance : {0.0, 1.0, not_a_number})
    expect_error(ErrorCode::invalid_argument, "a significance level",
                 [&] { plain.intervals(Numbers{1}, {}, significance); });
  expect_error(ErrorCode::invalid_argument, "without difficulties",
               [&] { plain.intervals(Numbers{1}, Numbers{1}, 0.1); });
  expect_error(ErrorCode::invalid_argument, "0 difficulties", [&] { normalised.intervals(Numbers{1}, {}, 0.1); });
  expect_error(ErrorCode::invalid_data, "prediction 0", [&] { plain.intervals(Numbers{not_a_number}, {}, 0.1); });
  expect_error(ErrorCode::invalid_argument, "2 targets", [&] { plain.p_values(Numbers{1, 2}, Numbers{1}); });
  EXPECT_TRUE(plain.intervals({}, {}, 0.1).empty());
  EXPECT_TRUE(normalised.p_values({}, {}, {}).empty());
}

}  // namespace regression_vs_naive_tests
}  // namespace credence::conformal
