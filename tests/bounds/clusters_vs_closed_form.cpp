#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "credence/bounds/binomial.hpp"
#include "support/expect_error.hpp"

namespace credence::bounds {
namespace clusters_vs_closed_form_tests {

TEST(BinomialInterval, IsTheExactOneAtWholeNumbers) {
  for (const std::size_t n : {1U, 7U, 100U}) {
    for (const std::size_t errors : {std::size_t{0}, n / 3, n}) {
      const Interval exact = clopper_pearson(errors, n, 0.05);
      const Interval any = binomial_interval(static_cast<double>(errors), static_cast<double>(n), 0.05);
      EXPECT_EQ(any.lower, exact.lower);
      EXPECT_EQ(any.upper, exact.upper);
    }
  }
}

/// Between whole numbers both ends rise with the errors, and come nearer as trials are added.
TEST(BinomialInterval, IsMonotoneBetweenWholeNumbers) {
  double lower = -1;
  double upper = 0;
  for (double errors = 0; errors <= 20; errors += 0.37) {
    const Interval interval = binomial_interval(errors, 20.5, 0.1);
    EXPECT_GT(interval.upper, upper);
    EXPECT_GE(interval.lower, lower);
    const Interval more = binomial_interval(errors * 2, 41, 0.1);
    EXPECT_LT(more.upper - more.lower, interval.upper - interval.lower);
    lower = interval.lower;
    upper = interval.upper;
  }
}

/// Student's quantiles at 0.975 with 4 and 49 degrees of freedom, from printed tables.
TEST(EffectiveTrials, EqualTheFormula) {
  const double ratio = 2.009575 / 2.776445;
  EXPECT_NEAR(effective_trials(0.2, 0.01, 5, 50, 0.05), 0.2 * 0.8 / 0.01 * ratio * ratio, 1e-4);
  EXPECT_EQ(effective_trials(0.2, 1e-6, 5, 50, 0.05), 50);  // no more than there are rows
  EXPECT_EQ(effective_trials(0, 0, 5, 50, 0.05), 5);        // nothing tells the rows of a cluster apart
}

TEST(EffectiveTrials, RefuseWhatHasNoMeaning) {
  const auto code = ErrorCode::invalid_argument;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  test::expect_error(code, "two clusters", [] { effective_trials(0.1, 0.1, 1, 50, 0.05); });
  test::expect_error(code, "two clusters", [] { effective_trials(0.1, 0.1, 6, 5, 0.05); });
  test::expect_error(code, "two clusters", [&] { effective_trials(0.1, nan, 5, 50, 0.05); });
  test::expect_error(code, "delta", [] { effective_trials(0.1, 0.1, 5, 50, 0); });
  test::expect_error(code, "a proportion between 0 and 1", [] { effective_trials(1.5, 0.1, 5, 50, 0.05); });
}

}  // namespace clusters_vs_closed_form_tests
}  // namespace credence::bounds
