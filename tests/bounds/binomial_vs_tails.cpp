#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "credence/bounds/binomial.hpp"
#include "credence/core/random.hpp"
#include "support/expect_error.hpp"

namespace binomial_vs_tails_tests {

using credence::ErrorCode;
using credence::bounds::binomial_upper_limit;
using credence::bounds::clopper_pearson;
using credence::bounds::Interval;
using credence::test::expect_error;

/// P(Bin(n, p) <= k), term by term.
double lower_tail(std::size_t k, std::size_t n, double p) {
  if (p <= 0) return 1;
  if (p >= 1) return k >= n ? 1 : 0;
  const auto size = static_cast<double>(n);
  double sum = 0;
  for (std::size_t i = 0; i <= k; ++i) {
    const auto x = static_cast<double>(i);
    sum += std::exp(std::lgamma(size + 1) - std::lgamma(x + 1) - std::lgamma(size - x + 1) + x * std::log(p) +
                    (size - x) * std::log1p(-p));
  }
  return std::min(sum, 1.0);
}

double upper_limit_of(std::size_t errors, std::size_t n, double delta) {
  return binomial_upper_limit(static_cast<double>(errors), static_cast<double>(n), delta);
}

TEST(ClopperPearson, ClosedFormsAtTheEnds) {
  for (const std::size_t n : {1U, 2U, 10U, 768U, 100000U}) {
    for (const double delta : {0.5, 0.05, 1e-6}) {
      const auto size = static_cast<double>(n);
      const Interval none = clopper_pearson(0, n, delta);
      EXPECT_EQ(none.lower, 0);
      EXPECT_NEAR(none.upper, -std::expm1(std::log(delta / 2) / size), 1e-10);
      const Interval all = clopper_pearson(n, n, delta);
      EXPECT_EQ(all.upper, 1);
      EXPECT_NEAR(all.lower, std::exp(std::log(delta / 2) / size), 1e-10);
      EXPECT_NEAR(binomial_upper_limit(0, size, delta), -std::expm1(std::log(delta) / size), 1e-10);
      EXPECT_EQ(binomial_upper_limit(size, size, delta), 1);
    }
  }
}

TEST(ClopperPearson, OneOfTwo) {
  // P(Bin(2,p) <= 1) = 1 - p^2 and P(Bin(2,p) >= 1) = 1 - (1-p)^2.
  const Interval interval = clopper_pearson(1, 2, 0.05);
  EXPECT_NEAR(interval.upper, std::sqrt(0.975), 1e-12);
  EXPECT_NEAR(interval.lower, 1 - std::sqrt(0.975), 1e-12);
  EXPECT_NEAR(binomial_upper_limit(1, 2, 0.1), std::sqrt(0.9), 1e-12);
}

TEST(ClopperPearson, EndsHaveTheirTails) {
  for (const std::size_t n : {1U, 5U, 50U, 345U}) {
    for (std::size_t errors = 0; errors <= n; errors += n < 50 ? 1 : 23) {
      for (const double delta : {0.2, 0.05, 0.001}) {
        const Interval interval = clopper_pearson(errors, n, delta);
        if (errors < n) {
          EXPECT_NEAR(lower_tail(errors, n, interval.upper) / (delta / 2), 1, 1e-7);
          EXPECT_NEAR(lower_tail(errors, n, upper_limit_of(errors, n, delta)) / delta, 1, 1e-7);
        }
        if (errors > 0) EXPECT_NEAR((1 - lower_tail(errors - 1, n, interval.lower)) / (delta / 2), 1, 1e-6);
      }
    }
  }
}

TEST(ClopperPearson, CoversAtLeastAsOftenAsPromised) {
  // Exactly: the coverage at p is the probability of the counts whose interval holds p.
  const std::size_t n = 40;
  for (const double delta : {0.2, 0.05}) {
    for (const double p : {0.01, 0.1, 0.25, 0.5, 0.93}) {
      double two_sided = 0;
      double one_sided = 0;
      for (std::size_t k = 0; k <= n; ++k) {
        const double mass = lower_tail(k, n, p) - (k == 0 ? 0 : lower_tail(k - 1, n, p));
        const Interval interval = clopper_pearson(k, n, delta);
        two_sided += interval.lower <= p && p <= interval.upper ? mass : 0;
        one_sided += p <= upper_limit_of(k, n, delta) ? mass : 0;
      }
      EXPECT_GE(two_sided, 1 - delta - 1e-12) << p;
      EXPECT_GE(one_sided, 1 - delta - 1e-12) << p;
    }
  }
}

TEST(ClopperPearson, CoversSimulatedCounts) {
  credence::core::RandomStream random(11, 1);
  const std::size_t n = 60;
  const int trials = 20000;
  const double delta = 0.1;
  const double p = 0.2;
  int missed = 0;
  for (int trial = 0; trial < trials; ++trial) {
    std::size_t errors = 0;
    for (std::size_t i = 0; i < n; ++i) errors += random.uniform() < p ? std::size_t{1} : 0;
    const Interval interval = clopper_pearson(errors, n, delta);
    missed += p < interval.lower || p > interval.upper ? 1 : 0;
  }
  const double rate = static_cast<double>(missed) / trials;
  EXPECT_LE(rate, delta);       // its expectation is below: the interval is conservative
  EXPECT_GE(rate, delta / 10);  // and not vacuous
}

TEST(ClopperPearson, Monotone) {
  const std::size_t n = 30;
  for (std::size_t errors = 0; errors < n; ++errors) {
    const Interval here = clopper_pearson(errors, n, 0.05);
    const Interval next = clopper_pearson(errors + 1, n, 0.05);
    EXPECT_LT(here.lower, next.lower);
    EXPECT_LT(here.upper, next.upper);
    EXPECT_LE(here.lower, static_cast<double>(errors) / n);
    EXPECT_GE(here.upper, static_cast<double>(errors) / n);
    EXPECT_LT(upper_limit_of(errors, n, 0.05), upper_limit_of(errors + 1, n, 0.05));
    const Interval surer = clopper_pearson(errors, n, 0.01);
    EXPECT_LE(surer.lower, here.lower);
    EXPECT_GT(surer.upper, here.upper);
    EXPECT_GT(here.upper, clopper_pearson(errors, n + 1, 0.05).upper);
    EXPECT_NEAR(upper_limit_of(errors, n, 0.025), here.upper, 1e-12);
    const Interval mirrored = clopper_pearson(n - errors, n, 0.05);
    EXPECT_NEAR(mirrored.lower, 1 - here.upper, 1e-12);
  }
}

/// I_x(a, b) by the trapezoidal rule after x = 1 / (1 + exp(-sinh s)), which ends its tails double exponentially.
double incomplete_beta(double a, double b, double x) {
  const auto density = [&](double s) {
    const double u = std::sinh(s);
    const double log_x = u > 0 ? -std::log1p(std::exp(-u)) : u - std::log1p(std::exp(u));
    return std::exp(a * log_x + b * (log_x - u)) * std::cosh(s);
  };
  const double end = std::asinh(std::log(x / (1 - x)));
  const double all = std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b);
  const double step = 1.0 / 1024;
  double sum = 0;
  // The last half step is cut where x is, so each step is taken by Simpson's rule.
  for (double s = end; s > -8; s -= step)
    sum += (density(s) + 4 * density(s - step / 2) + density(s - step)) * step / 6;
  return sum * std::exp(all);
}

TEST(ClopperPearson, FractionsVsIntegralOfTheBetaDensity) {
  for (const double n : {0.4, 1.5, 3.4867844, 7.2, 146.967644904}) {
    for (const double share : {0.0, 0.03, 0.25, 0.8, 0.99}) {
      for (const double delta : {0.5, 0.05, 1e-3}) {
        const double limit = binomial_upper_limit(share * n, n, delta);
        // Next to 1, no double is far enough from it for the integral.
        if (1 - limit < 1e-9) continue;
        EXPECT_NEAR(incomplete_beta(share * n + 1, n - share * n, limit), 1 - delta, 1e-8) << n << ' ' << share;
      }
    }
  }
}

TEST(ClopperPearson, MonotoneInFractions) {
  for (double errors = 0; errors < 7; errors += 0.125) {
    EXPECT_LT(binomial_upper_limit(errors, 7.2, 0.05), binomial_upper_limit(errors + 0.125, 7.2, 0.05)) << errors;
    EXPECT_GT(binomial_upper_limit(errors, 7.2, 0.05), binomial_upper_limit(errors, 7.3, 0.05)) << errors;
  }
}

TEST(ClopperPearson, RefusesWhatHasNoMeaning) {
  const auto code = ErrorCode::invalid_argument;
  for (const double delta : {0.0, 1.0, -0.1, 1.5, std::nan("")}) {
    expect_error(code, "delta", [&] { clopper_pearson(1, 10, delta); });
    expect_error(code, "delta", [&] { binomial_upper_limit(1, 10, delta); });
  }
  expect_error(code, "", [] { clopper_pearson(11, 10, 0.05); });
  expect_error(code, "", [] { binomial_upper_limit(11, 10, 0.05); });
  expect_error(code, "", [] { clopper_pearson(0, 0, 0.05); });
  expect_error(code, "", [] { binomial_upper_limit(0, 0, 0.05); });
  const double infinite = std::numeric_limits<double>::infinity();
  for (const double bad : {-0.5, std::nan(""), infinite}) {
    expect_error(code, "errors", [&] { binomial_upper_limit(bad, 10, 0.05); });
    expect_error(code, "trial", [&] { binomial_upper_limit(0, bad, 0.05); });
  }
  expect_error(code, "cannot be computed", [] { binomial_upper_limit(1e12, 1e15, 0.05); });
}

}  // namespace binomial_vs_tails_tests
