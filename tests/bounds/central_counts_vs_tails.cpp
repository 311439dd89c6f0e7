#include <gtest/gtest.h>

#include <cmath>

#include "credence/bounds/binomial.hpp"
#include "support/expect_error.hpp"

namespace credence::bounds {
namespace central_counts_vs_tails_tests {

/// P(X < k), term by term.
double below(std::size_t k, std::size_t n, double p) {
  const auto size = static_cast<double>(n);
  double sum = 0;
  for (std::size_t i = 0; i < k; ++i) {
    const auto x = static_cast<double>(i);
    sum += std::exp(std::lgamma(size + 1) - std::lgamma(x + 1) - std::lgamma(size - x + 1) + x * std::log(p) +
                    (size - x) * std::log1p(-p));
  }
  return sum;
}

TEST(CentralCounts, AreTheNarrowestWithLightTails) {
  for (const std::size_t n : {1U, 2U, 10U, 57U, 569U}) {
    for (const double p : {0.01, 0.05, 0.2, 0.5, 0.9}) {
      for (const double delta : {0.5, 0.05, 1e-4}) {
        SCOPED_TRACE(testing::Message() << "n " << n << ", p " << p << ", delta " << delta);
        const CountInterval counts = central_counts(n, p, delta);
        ASSERT_LE(counts.lower, counts.upper);
        ASSERT_LE(counts.upper, n);
        EXPECT_LE(below(counts.lower, n, p), delta / 2);
        EXPECT_GT(below(counts.lower + 1, n, p), delta / 2);
        EXPECT_LE(1 - below(counts.upper + 1, n, p), delta / 2 + 1e-12);
        if (counts.upper > 0) EXPECT_GT(1 - below(counts.upper, n, p), delta / 2);
      }
    }
  }
}

TEST(CentralCounts, OfACertainEventAreCertain) {
  EXPECT_EQ(central_counts(9, 0, 0.05).upper, 0U);
  EXPECT_EQ(central_counts(9, 1, 0.05).lower, 9U);
}

TEST(CentralCounts, RefuseWhatIsNoBinomial) {
  test::expect_error(ErrorCode::invalid_argument, "trial", [] { central_counts(0, 0.5, 0.05); });
  test::expect_error(ErrorCode::invalid_argument, "probability", [] { central_counts(5, 1.5, 0.05); });
  test::expect_error(ErrorCode::invalid_argument, "probability", [] { central_counts(5, std::nan(""), 0.05); });
  test::expect_error(ErrorCode::invalid_argument, "delta", [] { central_counts(5, 0.5, 0); });
}

}  // namespace central_counts_vs_tails_tests
}  // namespace credence::bounds
