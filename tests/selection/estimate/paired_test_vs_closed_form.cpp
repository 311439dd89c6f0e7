#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "credence/core/random.hpp"
#include "credence/selection/honest_estimate.hpp"
#include "support/expect_error.hpp"

namespace credence::selection {
namespace paired_test_vs_closed_form_tests {

constexpr double pi = 3.14159265358979323846;

/// Two-sided p-values of Student's t in closed form (Cauchy for one degree of freedom).
double tail_1(double t) {
  return 1 - 2 / pi * std::atan(std::abs(t));
}
double tail_2(double t) {
  return 1 - std::abs(t) / std::sqrt(2 + t * t);
}
double tail_4(double t) {
  const double s = std::abs(t) / std::sqrt(4 + t * t);
  return 1 - 1.5 * s * (1 - s * s / 3);
}

TEST(PairedTest, TwoSplits) {
  // d = 0.1, 0.3: mean 0.2, variance 0.02, t = 0.2 / sqrt((1/2 + 1/9) 0.02) = 0.2 / sqrt(0.11 / 9)
  const PairedTest test = corrected_resampled_t_test(std::vector{0.3, 0.4}, std::vector{0.2, 0.1}, 1.0 / 9);
  EXPECT_NEAR(test.mean_difference, 0.2, 1e-15);
  EXPECT_NEAR(test.t, 0.6 / std::sqrt(0.11), 1e-12);
  EXPECT_NEAR(test.p_value, tail_1(0.6 / std::sqrt(0.11)), 1e-12);
  // The quantile of Cauchy at 0.975 is tan(0.475 pi); at the ends of the interval the p-value is 0.05.
  EXPECT_NEAR(test.half_width, std::tan(0.475 * pi) * std::sqrt(0.11 / 9), 1e-9);
}

TEST(PairedTest, ThreeAndFiveSplits) {
  // d = 1, 2, 6: mean 3, variance 7, t = 3 / sqrt((1/3 + 1/2) 7)
  const PairedTest three = corrected_resampled_t_test(std::vector{1.0, 2.0, 6.0}, std::vector{0.0, 0.0, 0.0}, 0.5);
  EXPECT_NEAR(three.t, 3 / std::sqrt(35.0 / 6), 1e-12);
  EXPECT_NEAR(three.p_value, tail_2(three.t), 1e-12);
  // d = -1, 0, 1, 2, 3: mean 1, variance 2.5, t = 1 / sqrt((1/5 + 1/4) 2.5)
  const PairedTest five =
      corrected_resampled_t_test(std::vector{0.0, 1.0, 2.0, 3.0, 4.0}, std::vector{1.0, 1.0, 1.0, 1.0, 1.0}, 0.25);
  EXPECT_NEAR(five.t, 1 / std::sqrt(1.125), 1e-12);
  EXPECT_NEAR(five.p_value, tail_4(five.t), 1e-12);
}

TEST(PairedTest, TableOfTheTDistribution) {
  // Ten splits: 9 degrees of freedom, whose two-sided 5 % and 1 % points are 2.262157 and 3.249836. The differences
  // c + (-4.5, -3.5, ..., 4.5) have variance 82.5 / 9; c makes t the table's value.
  const double ratio = 1.0 / 9;
  for (const auto& [t, p] : {std::pair{2.262157162741, 0.05}, std::pair{3.249835541592, 0.01}}) {
    const double c = t * std::sqrt((0.1 + ratio) * 82.5 / 9);
    std::vector<double> first;
    for (int i = 0; i < 10; ++i) first.push_back(c + i - 4.5);
    const PairedTest test = corrected_resampled_t_test(first, std::vector<double>(10, 0.0), ratio);
    EXPECT_NEAR(test.t, t, 1e-12);
    EXPECT_NEAR(test.p_value, p, 1e-10);
  }
}

TEST(PairedTest, SwappingTheMethodsTurnsTheSign) {
  const std::vector<double> a{0.1, 0.25, 0.3, 0.12};
  const std::vector<double> b{0.2, 0.24, 0.35, 0.1};
  const PairedTest one = corrected_resampled_t_test(a, b, 0.1);
  const PairedTest other = corrected_resampled_t_test(b, a, 0.1);
  EXPECT_EQ(one.t, -other.t);
  EXPECT_EQ(one.mean_difference, -other.mean_difference);
  EXPECT_EQ(one.p_value, other.p_value);
}

TEST(PairedTest, DifferencesWithoutVariance) {
  const std::vector<double> a{0.5, 0.25, 0.75};
  const PairedTest same = corrected_resampled_t_test(a, a, 0.1);
  EXPECT_EQ(same.t, 0);
  EXPECT_EQ(same.p_value, 1);
  EXPECT_EQ(same.mean_difference, 0);
  const PairedTest worse = corrected_resampled_t_test(a, std::vector{0.25, 0.0, 0.5}, 0.1);
  EXPECT_EQ(worse.t, std::numeric_limits<double>::infinity());
  EXPECT_EQ(worse.p_value, 0);
  EXPECT_EQ(worse.mean_difference, 0.25);
  const PairedTest better = corrected_resampled_t_test(std::vector{0.25, 0.0, 0.5}, a, 0.1);
  EXPECT_EQ(better.t, -std::numeric_limits<double>::infinity());
  EXPECT_EQ(better.p_value, 0);
}

TEST(PairedTest, WithoutCorrectionItsPValuesWouldBeUniform) {
  // Independent normal differences and a ratio near 0 make it Student's own test: the p-values are uniform. The
  // correction makes fewer of them small.
  core::RandomStream random(2003, 4);
  const int trials = 4000;
  int below = 0;
  int corrected_below = 0;
  for (int trial = 0; trial < trials; ++trial) {
    std::vector<double> first(10);
    for (double& error : first) error = random.normal();
    const std::vector<double> second(10, 0.0);
    below += corrected_resampled_t_test(first, second, 1e-12).p_value < 0.1 ? 1 : 0;
    corrected_below += corrected_resampled_t_test(first, second, 1.0 / 9).p_value < 0.1 ? 1 : 0;
  }
  EXPECT_NEAR(static_cast<double>(below) / trials, 0.1, 4 * std::sqrt(0.09 / trials));
  EXPECT_LT(corrected_below, below / 2);
}

TEST(PairedTest, RefusesWhatHasNoMeaning) {
  const std::vector<double> two{0.1, 0.2};
  const auto code = ErrorCode::invalid_argument;
  using credence::test::expect_error;
  expect_error(code, "same splits", [&] { corrected_resampled_t_test(two, std::vector{0.1}, 0.1); });
  expect_error(code, "at least 2", [] { corrected_resampled_t_test(std::vector{0.1}, std::vector{0.1}, 0.1); });
  expect_error(code, "at least 2", [] { corrected_resampled_t_test({}, {}, 0.1); });
  expect_error(code, "finite", [&] { corrected_resampled_t_test(two, std::vector{0.1, std::nan("")}, 0.1); });
  for (const double ratio : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity()})
    expect_error(code, "ratio", [&] { corrected_resampled_t_test(two, two, ratio); });
}

}  // namespace paired_test_vs_closed_form_tests
}  // namespace credence::selection
