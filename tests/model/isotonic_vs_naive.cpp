#include <gtest/gtest.h>

#include <limits>

#include "credence/model/sigmoid.hpp"
#include "support/expect_error.hpp"
#include "support/naive_calibration.hpp"

namespace credence {
namespace isotonic_vs_naive_tests {

using test::Labelled;
using test::random_margins;

TEST(IsotonicVsMinMaxFormula, AtEveryMargin) {
  for (const std::size_t n : {1U, 2U, 3U, 10U, 40U}) {
    for (const double steps : {1.0, 4.0, 1000.0}) {
      for (std::uint64_t seed = 0; seed < 8; ++seed) {
        const Labelled rows = random_margins(n, seed, steps);
        const model::Isotonic isotonic(rows.margins, rows.labels);
        for (const double margin : rows.margins)
          ASSERT_NEAR(isotonic(margin), test::isotonic_at(rows, margin), 1e-15) << n << ' ' << steps << ' ' << seed;
      }
    }
  }
}

TEST(IsotonicVsMinMaxFormula, BetweenMarginsItIsLinearAndOutsideConstant) {
  const Labelled rows = random_margins(60, 3, 1000);
  const model::Isotonic isotonic(rows.margins, rows.labels);
  std::vector<double> sorted = rows.margins;
  std::ranges::sort(sorted);
  for (std::size_t i = 0; i + 1 < sorted.size(); ++i) {
    for (const double share : {0.25, 0.5, 0.9}) {
      const double between = sorted[i] + share * (sorted[i + 1] - sorted[i]);
      EXPECT_NEAR(isotonic(between), (1 - share) * isotonic(sorted[i]) + share * isotonic(sorted[i + 1]), 1e-12);
    }
  }
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (const double beyond : {-100.0, -infinity}) EXPECT_EQ(isotonic(beyond), isotonic(sorted.front()));
  for (const double beyond : {100.0, infinity}) EXPECT_EQ(isotonic(beyond), isotonic(sorted.back()));
}

TEST(Isotonic, RefusesWhatCannotBeFitted) {
  const auto refuse = [](const std::vector<double>& margins, const std::vector<int>& labels, const char* words) {
    test::expect_error(ErrorCode::invalid_argument, words, [&] { model::Isotonic(margins, labels); });
  };
  refuse({}, {}, "no margins");
  refuse({1, 2}, {1}, "2 margins have 1 labels");
  refuse({1, 2}, {0, 2}, "neither 0 nor 1");
  refuse({1, std::numeric_limits<double>::infinity()}, {0, 1}, "not finite");
}

}  // namespace isotonic_vs_naive_tests
}  // namespace credence
