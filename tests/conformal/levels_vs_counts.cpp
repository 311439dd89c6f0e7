#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "credence/conformal/evaluation.hpp"
#include "credence/conformal/p_value.hpp"
#include "credence/conformal/regression.hpp"

namespace credence::conformal {
namespace levels_vs_counts_tests {

double over(std::int64_t numerator, std::int64_t denominator) {
  return static_cast<double>(numerator) / static_cast<double>(denominator);
}

/// Ways to write the level k / of: as it is, by its confidence, by the confidence's own count, and one rounding off.
std::array<double, 5> spellings(std::int64_t k, std::int64_t of) {
  const double eps = over(k, of);
  return {eps, 1 - (1 - eps), 1 - over(of - k, of), std::nextafter(eps, 0.0), std::nextafter(eps, 1.0)};
}

TEST(Levels, OfACountAreOnTheDocumentedSideInEverySpelling) {
  for (std::int64_t of = 2; of <= 2001; ++of) {
    for (std::int64_t k = 1; k < of; ++k) {
      for (const double eps : spellings(k, of)) {
        ASSERT_FALSE(in_region(over(k, of), eps)) << k << " / " << of << " at " << eps;
        ASSERT_TRUE(in_region(over(k + 1, of), eps)) << k + 1 << " / " << of << " at " << eps;
        ASSERT_FALSE(in_region(over(k - 1, of), eps)) << k - 1 << " / " << of << " at " << eps;
      }
    }
  }
}

TEST(Levels, InDecimalsAreComparedAsFractionsAre) {
  for (std::int64_t of = 2; of <= 2001; ++of) {
    for (std::int64_t k = 1; k <= of; ++k) {
      const std::int64_t nearest = 1000 * k / of;
      for (std::int64_t j = std::max<std::int64_t>(0, nearest - 1); j <= std::min<std::int64_t>(999, nearest + 1);
           ++j) {
        const bool inside = 1000 * k > j * of;
        for (const double eps : spellings(j, 1000))
          if (eps >= 0) ASSERT_EQ(in_region(over(k, of), eps), inside) << k << " / " << of << " at " << j << " / 1000";
      }
    }
  }
}

TEST(Levels, AreToldApartAmongALargeNumberOfRows) {
  constexpr std::int64_t of = 999'999'999;
  for (const std::int64_t k : {std::int64_t{1}, std::int64_t{2}, of / 20, of / 2, of - 1}) {
    for (const double eps : spellings(k, of)) {
      EXPECT_FALSE(in_region(over(k, of), eps));
      EXPECT_TRUE(in_region(over(k + 1, of), eps));
    }
  }
  EXPECT_TRUE(in_region(over(of / 20 + 1, of), 0.05));
  EXPECT_FALSE(in_region(over(of / 20, of), 1 - 0.95));
}

TEST(Levels, RegionsEvaluationAndCurveAgreeOnNineteenRows) {
  data::DenseMatrix p(2, 2);
  p.values = {0.05, 1, 0.1, 0.05};
  const std::vector<int> truth{0, 0};
  model::Prediction prediction;
  prediction.p_value = p;
  for (const double eps : {0.05, 1 - 0.95}) {
    EXPECT_EQ(prediction.region(0, eps), std::vector<int>{1}) << eps;
    EXPECT_EQ(prediction.region(1, eps), std::vector<int>{0}) << eps;
    EXPECT_EQ(regions(p, std::vector<double>{eps}), (std::vector<std::uint8_t>{0, 1, 1, 0})) << eps;
    const LevelCounts counts = count_regions(p, truth, eps);
    EXPECT_EQ(counts.errors, 1U) << eps;
    EXPECT_EQ(counts.single, 2U) << eps;
  }
  for (const double eps : {0.1, 1 - 0.9}) EXPECT_TRUE(prediction.region(1, eps).empty()) << eps;
  EXPECT_EQ(regions(p, std::vector<double>{0, 1 - 0.95, 1 - 0.9}),
            (std::vector<std::uint8_t>{1, 0, 0, 1, 1, 1, 1, 1, 0, 1, 0, 0}));
}

TEST(Levels, OfTheCalibrationCurveCountEqualPValues) {
  data::DenseMatrix p(99, 1);
  for (std::size_t i = 0; i < 99; ++i) p.values[i] = static_cast<double>(i + 1) / 100;
  const Evaluation evaluation = evaluate(p, std::vector<int>(99, 0), {}, false);
  ASSERT_EQ(evaluation.calibration.size(), 100U);
  for (std::size_t i = 0; i < 99; ++i) EXPECT_EQ(evaluation.calibration[i].error, static_cast<double>(i + 1) / 99) << i;
}

TEST(Levels, OfIntervalsTakeTheCeiledOrderStatistic) {
  // Residuals are 1 .. m, so that the half width is the order statistic: ceil((1 - k / (m + 1)) (m + 1)) = m + 1 - k.
  for (std::int64_t m = 1; m <= 2000; m += m < 100 ? 1 : 19) {
    std::vector<double> targets(static_cast<std::size_t>(m));
    std::iota(targets.begin(), targets.end(), 1.0);
    const InductiveRegression regression(targets, std::vector<double>(targets.size(), 0.0));
    const std::vector<double> zero{0};
    for (std::int64_t k = 1; k <= m; ++k)
      for (const double eps : spellings(k, m + 1))
        ASSERT_EQ(regression.intervals(zero, {}, eps)[0].upper, static_cast<double>(m + 1 - k)) << k << " of " << m;
    for (std::int64_t j = 1; j < 100; ++j) {
      // ceil((100 - j) (m + 1) / 100) in integers.
      const std::int64_t order = ((100 - j) * (m + 1) + 99) / 100;
      const double expected = order > m ? std::numeric_limits<double>::infinity() : static_cast<double>(order);
      ASSERT_EQ(regression.intervals(zero, {}, over(j, 100))[0].upper, expected) << j << " % of " << m;
      ASSERT_EQ(regression.intervals(zero, {}, 1 - over(100 - j, 100))[0].upper, expected) << j << " % of " << m;
    }
  }
}

}  // namespace levels_vs_counts_tests
}  // namespace credence::conformal
