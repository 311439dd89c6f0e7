#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "credence/bounds/binomial.hpp"
#include "credence/core/random.hpp"
#include "support/expect_error.hpp"

namespace credence::bounds {
namespace running_vs_mixture_tests {

using credence::test::expect_error;

/// The mixture by the trapezoid rule over the uniform prior: integral of (p / q)^s ((1 - p) / (1 - q))^(n - s) dp.
double mixture(double s, double n, double q) {
  constexpr int steps = 200'000;
  double sum = 0;
  for (int k = 1; k < steps; ++k) {
    const double p = static_cast<double>(k) / steps;
    sum += std::exp(s * std::log(p / q) + (n - s) * std::log((1 - p) / (1 - q)));
  }
  return sum / steps;
}

TEST(RunningVsMixture, TheEndsAreWhereTheIntegralReachesTheLimit) {
  for (const auto& [s, n] : std::vector<std::pair<double, double>>{{3, 20}, {40, 100}, {1, 2}}) {
    const Interval ends = running_interval(s, n, 0.05);
    EXPECT_NEAR(mixture(s, n, ends.lower), 20, 0.02);
    EXPECT_NEAR(mixture(s, n, ends.upper), 20, 0.02);
    EXPECT_LT(ends.lower, s / n);
    EXPECT_GT(ends.upper, s / n);
  }
  EXPECT_EQ(running_interval(0, 10, 0.05).lower, 0);
  EXPECT_EQ(running_interval(10, 10, 0.05).upper, 1);
  EXPECT_EQ(running_interval(0, 0, 0.05).upper, 1);
}

TEST(RunningVsMixture, TheRateLeavesTheLimitsOfAnyMomentRarely) {
  int left = 0;
  constexpr int streams = 400;
  for (std::uint64_t seed = 0; seed < streams; ++seed) {
    core::RandomStream random(seed, 31);
    double errors = 0;
    bool outside = false;
    for (int n = 1; n <= 300; ++n) {
      errors += random.uniform() < 0.2 ? 1 : 0;
      const Interval ends = running_interval(errors, n, 0.1);
      outside = outside || ends.lower > 0.2 || ends.upper < 0.2;
    }
    left += outside ? 1 : 0;
  }
  EXPECT_LE(left, 0.1 * streams);
  EXPECT_GT(left, 0);
}

TEST(RunningVsMixture, NonsenseIsRefused) {
  for (const auto& [s, n, delta] : std::vector<std::array<double, 3>>{{3, 2, 0.1}, {-1, 2, 0.1}, {1, 2, 0}, {1, 2, 1}})
    expect_error(ErrorCode::invalid_argument, "running limits need", [&] { running_interval(s, n, delta); });
}

}  // namespace running_vs_mixture_tests
}  // namespace credence::bounds
