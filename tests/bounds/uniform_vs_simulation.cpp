#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "credence/bounds/uniform.hpp"
#include "credence/core/random.hpp"
#include "support/expect_error.hpp"

namespace {

using credence::ErrorCode;
using credence::bounds::dkw_deviation;
using credence::bounds::hoeffding_deviation;
using credence::bounds::vc_deviation;
using credence::core::RandomStream;
using credence::test::expect_error;

constexpr int draws = 2000;
constexpr std::size_t n = 50;

/// A share of `draws` that a probability of p exceeds with probability below 0.001.
double highest_share(double p) {
  return p + 3.1 * std::sqrt(p * (1 - p) / draws);
}

/// The largest distance between the empirical distribution function of n uniforms and their own, for each draw.
std::vector<double> uniform_deviations() {
  RandomStream random(20090901, 1);
  std::vector<double> deviations;
  for (int draw = 0; draw < draws; ++draw) {
    std::vector<double> u(n);
    for (double& value : u) value = random.uniform();
    std::sort(u.begin(), u.end());
    double largest = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double before = static_cast<double>(i) / n;
      const double after = static_cast<double>(i + 1) / n;
      largest = std::max({largest, u[i] - before, after - u[i]});
    }
    deviations.push_back(largest);
  }
  return deviations;
}

double share_above(const std::vector<double>& deviations, double bound) {
  const auto above = std::count_if(deviations.begin(), deviations.end(), [&](double d) { return d > bound; });
  return static_cast<double>(above) / static_cast<double>(deviations.size());
}

TEST(UniformBounds, ClosedForms) {
  // Computed with other software from the formulas of the header.
  EXPECT_NEAR(vc_deviation(50, 1, 0.05 / 110), 3.067665403118072, 1e-12);
  EXPECT_NEAR(vc_deviation(1000, 3, 0.05), 0.9038756451065693, 1e-12);
  EXPECT_NEAR(dkw_deviation(50, 0.1), 0.17308183826022852, 1e-12);  // sqrt(ln 20) / 10
  EXPECT_NEAR(dkw_deviation(50, 0.05 / 110), 0.2896439162127586, 1e-12);
  EXPECT_NEAR(hoeffding_deviation(50, 0.1), 0.15174271293851463, 1e-12);  // sqrt(ln 10) / 10
  // One-sided at delta / 2 is two-sided at delta.
  EXPECT_NEAR(hoeffding_deviation(77, 0.02), dkw_deviation(77, 0.04), 1e-12);
}

TEST(UniformBounds, ThePapersBoundIsVacuousWithItsFiftyRows) {
  // Proposition 4.2 with n = 50, K = 110, delta = 0.05; DKW over as many models says something.
  EXPECT_GT(vc_deviation(50, 1, 0.05 / 110), 1);
  EXPECT_LT(dkw_deviation(50, 0.05 / 110), 0.3);
}

TEST(UniformBounds, FallWithRowsAndDeltaAndGrowWithDimension) {
  for (std::size_t size = 1; size < 300; ++size) {
    EXPECT_GT(vc_deviation(size, 1, 0.05), vc_deviation(size + 1, 1, 0.05)) << size;
    EXPECT_GT(dkw_deviation(size, 0.05), dkw_deviation(size + 1, 0.05));
    EXPECT_GT(hoeffding_deviation(size, 0.05), hoeffding_deviation(size + 1, 0.05));
  }
  for (const double delta : {1e-300, 1e-6, 0.01, 0.2, 0.9}) {
    EXPECT_GT(vc_deviation(100, 2, delta), vc_deviation(100, 2, 1.05 * delta));
    EXPECT_GT(dkw_deviation(100, delta), dkw_deviation(100, 1.05 * delta));
    EXPECT_GT(hoeffding_deviation(100, delta), hoeffding_deviation(100, 1.05 * delta));
    EXPECT_TRUE(std::isfinite(vc_deviation(100, 2, delta)));
  }
  for (std::size_t d = 1; d < 100; ++d) EXPECT_LT(vc_deviation(100, d, 0.05), vc_deviation(100, d + 1, 0.05)) << d;
  // No more than all subsets of the sample can be told apart.
  EXPECT_EQ(vc_deviation(100, 100, 0.05), vc_deviation(100, 100000, 0.05));
}

TEST(UniformBounds, DkwHoldsForUniformsAndIsNotLoose) {
  const std::vector<double> deviations = uniform_deviations();
  for (const double delta : {0.5, 0.1, 0.02})
    EXPECT_LE(share_above(deviations, dkw_deviation(n, delta)), highest_share(delta)) << delta;
  // The simulation would notice a bound that is 30 % too small.
  EXPECT_GT(share_above(deviations, 0.7 * dkw_deviation(n, 0.1)), highest_share(0.1));
}

TEST(UniformBounds, VcNeverFailsForUniforms) {
  EXPECT_EQ(share_above(uniform_deviations(), vc_deviation(n, 1, 0.1)), 0);
}

TEST(UniformBounds, HoeffdingHoldsForBernoulliMeans) {
  for (const double p : {0.1, 0.5, 0.9}) {
    RandomStream random(1963, static_cast<std::uint64_t>(100 * p));
    std::vector<double> deviations;
    for (int draw = 0; draw < draws; ++draw) {
      int ones = 0;
      for (std::size_t i = 0; i < n; ++i) ones += random.uniform() < p ? 1 : 0;
      deviations.push_back(p - static_cast<double>(ones) / n);
    }
    EXPECT_LE(share_above(deviations, hoeffding_deviation(n, 0.1)), highest_share(0.1)) << p;
    if (p == 0.5) EXPECT_GT(share_above(deviations, 0.5 * hoeffding_deviation(n, 0.1)), highest_share(0.1));
  }
}

TEST(UniformBounds, RefuseWhatHasNoMeaning) {
  const auto code = ErrorCode::invalid_argument;
  for (const double delta : {0.0, 1.0, -0.1, 1.5, std::nan("")}) {
    expect_error(code, "delta", [&] { vc_deviation(10, 1, delta); });
    expect_error(code, "delta", [&] { dkw_deviation(10, delta); });
    expect_error(code, "delta", [&] { hoeffding_deviation(10, delta); });
  }
  expect_error(code, "at least one", [] { vc_deviation(0, 1, 0.05); });
  expect_error(code, "at least one", [] { dkw_deviation(0, 0.05); });
  expect_error(code, "at least one", [] { hoeffding_deviation(0, 0.05); });
  expect_error(code, "dimension", [] { vc_deviation(10, 0, 0.05); });
}

}  // namespace
