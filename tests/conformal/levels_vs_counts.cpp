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
#include "credence/core/list.hpp"

namespace credence::conformal {
namespace levels_vs_counts_tests {

double over(std::int64_t numerator, std::int64_t denominator) {
  return static_cast<double>(numerator) / static_cast<double>(denominator);
}

/// Ways to write the level k / of: as it is, by its confidence, by the confidence's own count, and one rounding off.
std::array<double, 5> spellings(std::int64_t k, std::int64_t of) {
  const double significance = over(k, of);
  return {significance, 1 - (1 - significance), 1 - over(of - k, of), std::nextafter(significance, 0.0),
          std::nextafter(significance, 1.0)};
}

TEST(Levels, OfACountAreOnTheDocumentedSideInEverySpelling) {
  for (std::int64_t of = 2; of <= 2001; ++of) {
    for (std::int64_t k = 1; k < of; ++k) {
      for (const double significance : spellings(k, of)) {
        ASSERT_FALSE(in_set(over(k, of), significance)) << k << " / " << of << " at " << significance;
        ASSERT_TRUE(in_set(over(k + 1, of), significance)) << k + 1 << " / " << of << " at " << significance;
        ASSERT_FALSE(in_set(over(k - 1, of), significance)) << k - 1 << " / " << of << " at " << significance;
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
        for (const double significance : spellings(j, 1000))
          if (significance >= 0)
            ASSERT_EQ(in_set(over(k, of), significance), inside) << k << " / " << of << " at " << j << " / 1000";
      }
    }
  }
}

TEST(Levels, AreToldApartAmongALargeNumberOfRows) {
  constexpr std::int64_t of = 999'999'999;
  for (const std::int64_t k : {std::int64_t{1}, std::int64_t{2}, of / 20, of / 2, of - 1}) {
    for (const double significance : spellings(k, of)) {
      EXPECT_FALSE(in_set(over(k, of), significance));
      EXPECT_TRUE(in_set(over(k + 1, of), significance));
    }
  }
  EXPECT_TRUE(in_set(over(of / 20 + 1, of), 0.05));
  EXPECT_FALSE(in_set(over(of / 20, of), 1 - 0.95));
}

/// A user's 0.95 is the level 0.05, and the way back gives what was typed, as columns are named by it.
TEST(Levels, OfAConfidenceLevelAreItsDecimals) {
  EXPECT_NE(1 - 0.95, 0.05);
  for (int thousandths = 0; thousandths <= 1000; ++thousandths) {
    const double level = thousandths / 1000.0;
    const double confidence_level = (1000 - thousandths) / 1000.0;
    EXPECT_EQ(core::significance_of(confidence_level), level);
    EXPECT_EQ(core::confidence_level_of(level), confidence_level);
  }
  EXPECT_EQ(core::significance_of(0.999999), 0.000001);
  EXPECT_EQ(core::confidence_level_of(1 - 0.95), 0.95);
}

TEST(Levels, SetsEvaluationAndCurveAgreeOnNineteenRows) {
  data::DenseMatrix p(2, 2);
  p.values = {0.05, 1, 0.1, 0.05};
  const std::vector<int> truth{0, 0};
  model::Prediction prediction;
  prediction.p_value = p;
  for (const double significance : {0.05, 1 - 0.95}) {
    EXPECT_EQ(prediction.prediction_set(0, significance), std::vector<int>{1}) << significance;
    EXPECT_EQ(prediction.prediction_set(1, significance), std::vector<int>{0}) << significance;
    EXPECT_EQ(prediction_sets(p, std::vector<double>{significance}), (std::vector<std::uint8_t>{0, 1, 1, 0}))
        << significance;
    const LevelCounts counts = count_sets(p, truth, significance);
    EXPECT_EQ(counts.errors, 1U) << significance;
    EXPECT_EQ(counts.single, 2U) << significance;
  }
  for (const double significance : {0.1, 1 - 0.9})
    EXPECT_TRUE(prediction.prediction_set(1, significance).empty()) << significance;
  EXPECT_EQ(prediction_sets(p, std::vector<double>{0, 1 - 0.95, 1 - 0.9}),
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
      for (const double significance : spellings(k, m + 1))
        ASSERT_EQ(regression.intervals(zero, {}, significance)[0].upper, static_cast<double>(m + 1 - k))
            << k << " of " << m;
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
