#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "credence/bounds/mean.hpp"
#include "support/expect_error.hpp"

namespace credence::bounds {
namespace complexity_vs_enumeration_tests {

/// E|S_n| / n over all 2^n sign vectors.
double enumerated_rademacher(std::size_t n) {
  double sum = 0;
  for (std::size_t signs = 0; signs < std::size_t{1} << n; ++signs)
    sum += std::abs(2 * double(__builtin_popcountll(signs)) - double(n));
  return sum / double(n) / std::exp2(double(n));
}

/// The mean of |n - 4 h| / n over all halves of n rows, h of whose first n / 2 are in the half.
double enumerated_discrepancy(std::size_t n) {
  double sum = 0;
  double halves = 0;
  const std::size_t first = (std::size_t{1} << (n / 2)) - 1;
  for (std::size_t half = 0; half < std::size_t{1} << n; ++half) {
    if (__builtin_popcountll(half) != static_cast<int>(n / 2)) continue;
    sum += std::abs(double(n) - 4 * double(__builtin_popcountll(half & first)));
    ++halves;
  }
  return sum / halves / double(n);
}

double log_choose(double n, double k) {
  return std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1);
}

TEST(ComplexityVsEnumeration, RademacherFloorVsAllSigns) {
  for (std::size_t n = 1; n <= 18; ++n) EXPECT_NEAR(rademacher_floor(n), enumerated_rademacher(n), 1e-14) << n;
}

TEST(ComplexityVsEnumeration, RademacherFloorVsBinomialSum) {
  for (const std::size_t n : {57U, 400U, 2001U}) {
    const double size = double(n);
    double sum = 0;
    for (std::size_t k = 0; k <= n; ++k)
      sum += std::exp(log_choose(size, double(k)) - size * std::log(2)) * std::abs(2 * double(k) - size) / size;
    EXPECT_NEAR(rademacher_floor(n) / sum, 1, 1e-10) << n;
  }
}

TEST(ComplexityVsEnumeration, DiscrepancyFloorVsAllHalves) {
  for (std::size_t n = 2; n <= 18; n += 2) EXPECT_NEAR(discrepancy_floor(n), enumerated_discrepancy(n), 1e-14) << n;
}

TEST(ComplexityVsEnumeration, DiscrepancyFloorVsHypergeometricSum) {
  for (const std::size_t n : {40U, 102U, 400U, 2002U}) {
    const double half = double(n) / 2;
    double sum = 0;
    for (double h = 0; h <= half; ++h)
      sum += std::exp(2 * log_choose(half, h) - log_choose(double(n), half)) * std::abs(1 - 4 * h / double(n));
    EXPECT_NEAR(discrepancy_floor(n) / sum, 1, 1e-10) << n;
  }
}

TEST(ComplexityVsEnumeration, FloorsOfManyRowsAreThoseOfTheNormal) {
  for (const double n : {1e4, 1e7, 1e12, 1e18}) {
    const double normal = std::sqrt(2 / std::acos(-1.0) / n);
    EXPECT_NEAR(rademacher_floor(static_cast<std::size_t>(n)) / normal, 1, 1 / n + 1e-12) << n;
    EXPECT_NEAR(discrepancy_floor(static_cast<std::size_t>(n)) / normal, 1, 1 / n + 1e-12) << n;
  }
  EXPECT_GT(rademacher_floor(std::numeric_limits<std::size_t>::max()), 1e-10);
}

TEST(ComplexityVsEnumeration, DeviationsVsFormula) {
  for (const std::size_t n : {1U, 7U, 40U, 400U}) {
    const double size = double(n);
    for (const double delta : {0.9, 0.05, 1e-9}) {
      EXPECT_NEAR(complexity_deviation(n, delta), 3 * std::sqrt(std::log(2 / delta) / (2 * size)), 1e-13);
      for (const std::size_t trials : {1U, 3U, 64U, 1000U}) {
        const double left = std::max(0.0, 1 - (double(trials) - 1) / std::pow(2, size));
        EXPECT_NEAR(complexity_deviation_of_trials(n, trials, delta),
                    (3 + std::sqrt(size * left / double(trials))) * std::sqrt(std::log(3 / delta) / (2 * size)), 1e-13)
            << n << ' ' << trials;
      }
    }
  }
}

TEST(ComplexityVsEnumeration, AllLabelVectorsOrManyTrialsLeaveNoError) {
  const double exact = 3 * std::sqrt(std::log(60) / 20);
  EXPECT_NEAR(complexity_deviation_of_trials(10, 1025, 0.05), exact, 1e-13);
  EXPECT_NEAR(complexity_deviation_of_trials(10, std::size_t{1} << 40U, 0.05), exact, 1e-13);
  EXPECT_NEAR(complexity_deviation_of_trials(400, std::size_t{1} << 50U, 0.05), 3 * std::sqrt(std::log(60) / 800),
              1e-6);
  EXPECT_TRUE(std::isfinite(complexity_deviation_of_trials(100000, 1, 0.05)));
}

TEST(ComplexityVsEnumeration, Monotone) {
  for (std::size_t n = 1; n < 300; ++n) {
    EXPECT_GT(complexity_deviation(n, 0.05), complexity_deviation(n + 1, 0.05)) << n;
    EXPECT_GE(rademacher_floor(n), rademacher_floor(n + 1)) << n;  // equal at every other n
    EXPECT_GT(rademacher_floor(n), rademacher_floor(n + 2)) << n;
    if (n > 1)
      EXPECT_GT(complexity_deviation_of_trials(40, n, 0.05), complexity_deviation_of_trials(40, n + 1, 0.05)) << n;
    EXPECT_GT(complexity_deviation_of_trials(40, n, 0.05), complexity_deviation(40, 0.05)) << n;
  }
  for (double delta = 1e-300; delta < 0.5; delta *= 2) {
    EXPECT_GT(complexity_deviation(40, delta), complexity_deviation(40, 2 * delta));
    EXPECT_GT(complexity_deviation_of_trials(40, 9, delta), complexity_deviation_of_trials(40, 9, 2 * delta));
  }
}

TEST(ComplexityVsEnumeration, RefusesWhatHasNoMeaning) {
  const auto code = ErrorCode::invalid_argument;
  for (const double delta : {0.0, 1.0, -0.1, 1.5, std::nan("")}) {
    test::expect_error(code, "delta", [&] { complexity_deviation(10, delta); });
    test::expect_error(code, "delta", [&] { complexity_deviation_of_trials(10, 5, delta); });
  }
  test::expect_error(code, "at least one row", [] { complexity_deviation(0, 0.05); });
  test::expect_error(code, "at least one row", [] { complexity_deviation_of_trials(0, 5, 0.05); });
  test::expect_error(code, "at least one trial", [] { complexity_deviation_of_trials(10, 0, 0.05); });
  test::expect_error(code, "at least one row", [] { rademacher_floor(0); });
  test::expect_error(code, "at least one row", [] { discrepancy_floor(0); });
  test::expect_error(code, "even", [] { discrepancy_floor(7); });
}

}  // namespace complexity_vs_enumeration_tests
}  // namespace credence::bounds
