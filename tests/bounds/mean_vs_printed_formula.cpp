#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "credence/bounds/binomial.hpp"
#include "credence/bounds/mean.hpp"
#include "credence/core/random.hpp"
#include "support/expect_error.hpp"

namespace credence::bounds {
namespace mean_vs_printed_formula_tests {

using Wide = long double;

/// q ln(q / p) + (1 - q) ln((1 - q) / (1 - p))
Wide kl(Wide q, Wide p) {
  const Wide one = q > 0 ? q * std::log(q / p) : 0;
  return one + (q < 1 ? (1 - q) * std::log((1 - q) / (1 - p)) : 0);
}

/// The p in [low, 1] where an increasing function passes 0, by halving.
template <class Function>
Wide bisected(Wide low, Function function) {
  Wide high = 1;
  for (int step = 0; step < 200; ++step) {
    const Wide middle = (low + high) / 2;
    (function(middle) > 0 ? high : low) = middle;
  }
  return (low + high) / 2;
}

struct Case {
  double mean;
  double m;
  double delta;
};

std::ostream& operator<<(std::ostream& out, const Case& one) {
  return out << "mean " << one.mean << ", m " << one.m << ", delta " << one.delta;
}

/// Anything that occurs, and both ends.
std::vector<Case> many_cases() {
  core::RandomStream random(2012, 1);
  std::vector<Case> cases;
  for (int i = 0; i < 3000; ++i) {
    const double u = random.uniform();
    const double near = std::pow(10.0, -9 * random.uniform());
    const double mean = u < 0.1 ? 0 : u < 0.3 ? near : u < 0.5 ? 1 - near : u < 0.55 ? 1 : random.uniform();
    const double m = random.uniform() < 0.7 ? 1 + 400 * random.uniform() : std::pow(10.0, 10 * random.uniform() - 1);
    cases.push_back({mean, m, std::pow(10.0, -(random.uniform() < 0.9 ? 4 : 250) * random.uniform() - 0.001)});
  }
  return cases;
}

TEST(MeanVsPrintedFormula, HoeffdingVsBisection) {
  for (const Case& one : many_cases()) {
    const Wide level = -std::log(Wide{one.delta});
    const Wide p = bisected(one.mean, [&](Wide middle) { return one.m * kl(one.mean, middle) - level; });
    const double ours = hoeffding_upper_limit(one.mean, one.m, one.delta);
    ASSERT_NEAR(ours, static_cast<double>(p), 1e-13) << one;
    ASSERT_GE(ours, one.mean) << one;
    ASSERT_LE(ours, 1) << one;
  }
}

TEST(MeanVsPrintedFormula, HoeffdingSolvesTheEquationAsThePaperPrintsIt) {
  // [((1 - L - e) / (1 - L))^(1 - L) ((L + e) / L)^L]^m = delta, the second fraction corrected.
  for (const double mean : {0.01, 0.2, 0.7}) {
    for (const double m : {4.0, 40.0, 146.97}) {
      const double e = hoeffding_upper_limit(mean, m, 0.05) - mean;
      const double product = std::pow((1 - mean - e) / (1 - mean), 1 - mean) * std::pow((mean + e) / mean, mean);
      EXPECT_NEAR(std::pow(product, m), 0.05, 1e-10) << mean << ' ' << m;
    }
  }
}

TEST(MeanVsPrintedFormula, HoeffdingAtItsEnds) {
  for (const double m : {0.3, 1.0, 7.2, 1e6}) {
    EXPECT_NEAR(hoeffding_upper_limit(0, m, 0.05), 1 - std::pow(0.05, 1 / m), 1e-15);
    EXPECT_EQ(hoeffding_upper_limit(1, m, 0.05), 1);
    // And next to them.
    EXPECT_NEAR(hoeffding_upper_limit(1e-320, m, 0.05), hoeffding_upper_limit(0, m, 0.05), 1e-12);
    EXPECT_NEAR(hoeffding_upper_limit(1e-200, m, 0.05), hoeffding_upper_limit(0, m, 0.05), 1e-12);
    EXPECT_NEAR(hoeffding_upper_limit(1 - 1e-16, m, 0.05), 1, 1e-12);
    EXPECT_LE(hoeffding_upper_limit(1 - 1e-16, m, 0.05), 1);
  }
  EXPECT_EQ(hoeffding_upper_limit(0.5, 1e-300, 1e-300), 1);
  EXPECT_NEAR(hoeffding_upper_limit(0.3, 2, 1e-300), 1, 1e-15);
}

TEST(MeanVsPrintedFormula, AllGoToTheMean) {
  // p - mean = sqrt(2 mean (1 - mean) ln(1 / delta) / m) for many values, to first order.
  const double level = std::log(20);
  for (const double mean : {0.001, 0.3, 0.99}) {
    for (const double m : {1e10, 1e14, 1e18}) {
      const double normal = std::sqrt(2 * mean * (1 - mean) * level / m);
      EXPECT_NEAR((hoeffding_upper_limit(mean, m, 0.05) - mean) / normal, 1, 1e-2) << mean << ' ' << m;
    }
  }
  EXPECT_NEAR(empirical_chernoff_upper_limit(0.3, 1e14, 0.05), 0.3, 1e-6);
  EXPECT_NEAR(empirical_bernstein_upper_limit(0.3, 1e14, 0.05), 0.3, 1e-6);
  EXPECT_NEAR(hoeffding_upper_limit(0.3, std::numeric_limits<double>::max(), 0.05), 0.3, 1e-15);
  EXPECT_NEAR(hoeffding_upper_limit(0.3, 50, 1 - 1e-15), 0.3, 1e-6);
  EXPECT_NEAR(empirical_chernoff_upper_limit(0.3, 50, 1 - 1e-15), 0.3, 1e-6);
}

TEST(MeanVsPrintedFormula, BernsteinVsVarianceOfCoins) {
  for (const Case& one : many_cases()) {
    if (one.m <= 1) continue;
    const Wide log_term = std::log(2 / Wide{one.delta});
    const Wide s = std::sqrt(Wide{one.mean} * (1 - Wide{one.mean}));
    const Wide p = one.mean + s * std::sqrt(2 * log_term / one.m) + 7 * log_term / (3 * (Wide{one.m} - 1));
    ASSERT_NEAR(empirical_bernstein_upper_limit(one.mean, one.m, one.delta) / static_cast<double>(p), 1, 1e-9) << one;
  }
}

TEST(MeanVsPrintedFormula, ChernoffSolvesItsEquation) {
  for (const Case& one : many_cases()) {
    const Wide p = empirical_chernoff_upper_limit(one.mean, one.m, one.delta);
    const Wide excess = p - one.mean;
    const Wide resolution = 1e-15L * p / std::max(excess, 1e-300L);
    const Wide level = -std::log(Wide{one.delta});
    ASSERT_NEAR(static_cast<double>(one.m * excess * excess / (2 * p) / level), 1, 1e-12 + 4 * double(resolution))
        << one;
  }
}

TEST(MeanVsPrintedFormula, TheLooserFormIsNeverBelow) {
  for (const Case& one : many_cases()) {
    const double hoeffding = hoeffding_upper_limit(one.mean, one.m, one.delta);
    ASSERT_GE(empirical_chernoff_upper_limit(one.mean, one.m, one.delta) + 1e-14, hoeffding) << one;
    // By Bernstein's inequality for coins: the divergence is at least e^2 / (2 (mean (1 - mean) + e / 3)).
    if (one.m > 1) ASSERT_GE(empirical_bernstein_upper_limit(one.mean, one.m, one.delta) + 1e-14, hoeffding) << one;
    // Hoeffding's plain deviation, by Pinsker's inequality.
    ASSERT_GE(one.mean + std::sqrt(-std::log(one.delta) / (2 * one.m)) + 1e-14, hoeffding) << one;
  }
}

TEST(MeanVsPrintedFormula, HoeffdingIsNotBelowClopperPearson) {
  for (const int n : {1, 2, 3, 10, 41, 400}) {
    for (int t = 0; t <= n; t += n > 100 ? 7 : 1) {
      for (const double delta : {0.6, 0.05, 1e-3, 1e-12}) {
        EXPECT_GE(hoeffding_upper_limit(double(t) / n, n, delta) + 1e-12, binomial_upper_limit(t, n, delta))
            << t << " of " << n << ", " << delta;
      }
    }
  }
}

TEST(MeanVsPrintedFormula, Monotone) {
  for (const auto& limit : {hoeffding_upper_limit, empirical_bernstein_upper_limit, empirical_chernoff_upper_limit}) {
    for (int i = 0; i < 40; ++i) {  // beyond one half the variance falls, and with it Bernstein's limit may
      const double mean = 0.0125 * i;
      EXPECT_LT(limit(mean, 40, 0.05), limit(mean + 0.0125, 40, 0.05)) << i;
    }
    for (double m = 1.5; m < 1000; m *= 1.3) {
      EXPECT_GT(limit(0.1, m, 0.05), limit(0.1, 1.3 * m, 0.05)) << m;
      EXPECT_GT(limit(0, m, 0.05), limit(0, 1.3 * m, 0.05)) << m;
    }
    for (double delta = 1e-12; delta < 0.5; delta *= 2)
      EXPECT_GT(limit(0.1, 40, delta), limit(0.1, 40, 2 * delta)) << delta;
  }
  for (std::size_t n = 1; n < 200; ++n) EXPECT_LT(expected_out_of_bag(n), expected_out_of_bag(n + 1)) << n;
}

TEST(MeanVsPrintedFormula, OutOfBagVsDefinition) {
  EXPECT_EQ(expected_out_of_bag(1), 0);
  EXPECT_EQ(expected_out_of_bag(2), 0.5);
  for (const std::size_t n : {3U, 10U, 56U}) {
    double share = 1;
    for (std::size_t draw = 0; draw < n; ++draw) share *= 1 - 1 / double(n);
    EXPECT_NEAR(expected_out_of_bag(n), double(n) * share, 1e-12);
  }
  EXPECT_NEAR(expected_out_of_bag(std::size_t{1} << 50U) / std::exp2(50), std::exp(-1), 1e-13);
}

TEST(MeanVsPrintedFormula, RefusesWhatHasNoMeaning) {
  const auto code = ErrorCode::invalid_argument;
  const double nan = std::nan("");
  const double infinite = std::numeric_limits<double>::infinity();
  for (const auto& limit : {hoeffding_upper_limit, empirical_bernstein_upper_limit, empirical_chernoff_upper_limit}) {
    for (const double delta : {0.0, 1.0, -0.1, 1.5, nan})
      test::expect_error(code, "delta", [&] { limit(0.1, 10, delta); });
    for (const double mean : {-1e-9, 1.0000001, nan, infinite})
      test::expect_error(code, "between 0 and 1", [&] { limit(mean, 10, 0.05); });
    for (const double m : {0.0, -3.0, nan, infinite}) test::expect_error(code, "value", [&] { limit(0.1, m, 0.05); });
  }
  test::expect_error(code, "more than one value", [] { empirical_bernstein_upper_limit(0.1, 1, 0.05); });
  test::expect_error(code, "at least one row", [] { expected_out_of_bag(0); });
}

}  // namespace mean_vs_printed_formula_tests
}  // namespace credence::bounds
