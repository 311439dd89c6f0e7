#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "support/ivanov_problems.hpp"

namespace soft_best_bias_vs_brute_force_tests {

using namespace credence;

double clipped_sum(const std::vector<int>& y, const std::vector<double>& offsets, double b) {
  double sum = 0;
  for (std::size_t i = 0; i < y.size(); ++i) sum += svm::clipped_hinge(y[i] * (offsets[i] + b));
  return sum;
}

std::vector<double> breakpoints(const std::vector<double>& offsets) {
  std::vector<double> result;
  for (const double o : offsets) result.insert(result.end(), {1 - o, -1 - o});
  return result;
}

double least(const std::vector<int>& y, const std::vector<double>& offsets) {
  double result = std::numeric_limits<double>::infinity();
  for (const double b : breakpoints(offsets)) result = std::min(result, clipped_sum(y, offsets, b));
  return result;
}

TEST(BestBias, SameSumAsTheBestBreakpoint) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const std::size_t n = 1 + seed % 40;
    const std::vector<int> y = test::random_signs(n, seed);
    const std::vector<double> offsets = test::random_hint(n, 0.1 * static_cast<double>(seed % 30), seed);
    const double b = svm::best_bias(y, offsets, 0.3);
    EXPECT_NEAR(clipped_sum(y, offsets, b), least(y, offsets), 1e-11 * static_cast<double>(n)) << seed;
    for (double other = -6; other <= 6; other += 0.37)  // no other value is better either
      EXPECT_LE(clipped_sum(y, offsets, b), clipped_sum(y, offsets, other) + 1e-11 * static_cast<double>(n)) << seed;
  }
}

/// Offsets in quarters: sums are exact, so ties are ties.
TEST(BestBias, OfTiesTheNearestToThePreferred) {
  std::size_t tied = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const std::size_t n = 1 + seed % 9;
    const std::vector<int> y = test::random_signs(n, seed);
    std::vector<double> offsets = test::random_hint(n, 1.5, seed);
    for (double& o : offsets) o = std::round(4 * o) / 4;
    const double lowest = least(y, offsets);
    for (const double preferred : {-5.0, -0.6, 0.1, 0.5, 7.3}) {
      double nearest = std::numeric_limits<double>::infinity();
      std::vector<double> best;
      for (const double candidate : breakpoints(offsets)) {
        if (clipped_sum(y, offsets, candidate) != lowest) continue;
        nearest = std::min(nearest, std::abs(candidate - preferred));
        best.push_back(candidate);
      }
      const double b = svm::best_bias(y, offsets, preferred);
      EXPECT_TRUE(std::find(best.begin(), best.end(), b) != best.end()) << seed << ", preferred " << preferred;
      EXPECT_EQ(std::abs(b - preferred), nearest) << seed << ", preferred " << preferred;
      tied += *std::max_element(best.begin(), best.end()) > *std::min_element(best.begin(), best.end());
    }
  }
  EXPECT_GT(tied, 300U);  // the cases do have ties
}

TEST(BestBias, CornersInClosedForm) {
  EXPECT_EQ(svm::best_bias(std::vector{1}, std::vector{0.0}, 0), 1);
  EXPECT_EQ(svm::best_bias(std::vector{-1}, std::vector{0.5}, 0), -1.5);
  EXPECT_EQ(svm::best_bias(std::vector{1, 1, 1}, std::vector{0.0, -2.0, 1.0}, -10), 3);
  EXPECT_EQ(svm::best_bias(std::vector{1, 1, -1}, std::vector{0.0, 0.0, 0.0}, 0), 1);
  EXPECT_EQ(svm::best_bias(std::vector{1, -1}, std::vector{3.0, 1.0}, 0), -2);
  EXPECT_EQ(svm::best_bias(std::vector{1, -1}, std::vector{1e6, 1e6 - 2}, 0), 1 - 1e6);
}

/// The sum hardly changes under rounding errors of large offsets.
TEST(BestBias, ManyRowsAndLargeOffsets) {
  const std::size_t n = 2000;
  const std::vector<int> y = test::random_signs(n, 8);
  for (const double size : {1e-8, 1.0, 100.0, 1e6}) {
    const std::vector<double> offsets = test::random_hint(n, size, 9);
    EXPECT_NEAR(clipped_sum(y, offsets, svm::best_bias(y, offsets, 0)), least(y, offsets), 1e-8 * n) << size;
  }
}

}  // namespace soft_best_bias_vs_brute_force_tests
