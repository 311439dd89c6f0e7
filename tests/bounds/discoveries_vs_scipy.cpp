#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "credence/bounds/discovery.hpp"
#include "support/expect_error.hpp"

namespace credence::bounds {
namespace discoveries_vs_scipy_tests {

struct Adjusted {
  double p;
  double positive;  ///< scipy.stats.false_discovery_control(p, method="bh"); SciPy 1.17
  double any;       ///< the same with method="by"
};

constexpr Adjusted adjusted[] = {
    {0.1341, 0.1788, 0.5548540693}, {0.8586, 0.8586, 1},
    {0.003, 0.018, 0.0558577922},   {0.8537, 0.8586, 1},
    {0.0303, 0.0606, 0.1880545671}, {0.0759, 0.11385, 0.3533005357},
    {0.5671, 0.68052, 1},           {0.0685, 0.11385, 0.3533005357},
    {0.011, 0.033, 0.1024059524},   {0.0006, 0.0072, 0.0223431169},
    {0.0151, 0.03624, 0.112460355}, {0.0108, 0.033, 0.1024059524},
};

TEST(DiscoveriesVsScipy, TheListHasTheRowsWhoseAdjustedPValueIsAtMostTheRate) {
  std::vector<double> p;
  for (const Adjusted& one : adjusted) p.push_back(one.p);
  for (const double q : {0.005, 0.01, 0.02, 0.05, 0.07, 0.15, 0.4, 0.7, 0.9, 0.999}) {
    const std::vector<bool> positive = discoveries(p, q);
    const std::vector<bool> any = discoveries(p, q, Dependence::any);
    for (std::size_t i = 0; i < p.size(); ++i) {
      EXPECT_EQ(positive[i], adjusted[i].positive <= q) << p[i] << " at " << q;
      EXPECT_EQ(any[i], adjusted[i].any <= q) << p[i] << " at " << q;
    }
  }
}

/// The definition: the largest k for which k p-values are at most q k / m.
std::size_t largest_k(const std::vector<double>& p, double q) {
  for (std::size_t k = p.size(); k > 0; --k) {
    const double level = q * static_cast<double>(k) / static_cast<double>(p.size());
    if (std::ranges::count_if(p, [&](double value) { return value <= level + 1e-12; }) >= static_cast<int>(k)) return k;
  }
  return 0;
}

TEST(DiscoveriesVsNaive, SplitPValuesWithManyTies) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 400; ++round) {
    const std::size_t m = 1 + random() % 40;
    const std::size_t calibration = 1 + random() % 60;
    std::vector<double> p(m);
    for (double& value : p) {
      const std::size_t rank = 1 + std::min(random() % (calibration + 1), random() % (calibration + 1));
      value = static_cast<double>(rank) / static_cast<double>(calibration + 1);
    }
    const double q = static_cast<double>(1 + random() % 20) / 21;
    double harmonic = 0;
    for (std::size_t i = 1; i <= m; ++i) harmonic += 1 / static_cast<double>(i);
    for (const auto& [dependence, rate] :
         {std::pair(Dependence::positive, q), std::pair(Dependence::any, q / harmonic)}) {
      const std::vector<bool> found = discoveries(p, q, dependence);
      const std::size_t k = largest_k(p, rate);
      ASSERT_EQ(static_cast<std::size_t>(std::ranges::count(found, true)), k) << "round " << round;
      const double level = rate * static_cast<double>(k) / static_cast<double>(m);
      for (std::size_t i = 0; i < m; ++i) EXPECT_EQ(found[i], k > 0 && p[i] <= level + 1e-12);
    }
  }
}

TEST(Discoveries, EdgesAndRefusals) {
  EXPECT_TRUE(discoveries({}, 0.1).empty());
  EXPECT_EQ(discoveries(std::vector<double>{0.1}, 0.1), std::vector<bool>{true});  // at the level
  EXPECT_EQ(discoveries(std::vector<double>{0.2, 0.1 + 0.2}, 0.3),
            (std::vector<bool>{true, true}));  // but for rounding
  EXPECT_EQ(discoveries(std::vector<double>{0, 1}, 0.01), (std::vector<bool>{true, false}));
  for (const double q : {0.0, 1.0, -0.1, std::nan("")})
    test::expect_error(ErrorCode::invalid_argument, "rate", [&] { discoveries(std::vector<double>{0.1}, q); });
  for (const double p : {-0.1, 1.1, std::nan("")}) {
    test::expect_error(ErrorCode::invalid_argument, "p-value",
                       [&] { discoveries(std::vector<double>{0.1, p, 0.2}, 0.1); });
  }
}

}  // namespace discoveries_vs_scipy_tests
}  // namespace credence::bounds
