#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "credence/core/random.hpp"
#include "credence/model/sigmoid.hpp"
#include "support/expect_error.hpp"

namespace calibration_line_vs_closed_form_tests {

using namespace credence;
using test::expect_error;

double log_odds(double p) {
  return std::log(p / (1 - p));
}

struct Judged {
  std::vector<double> probabilities;
  std::vector<int> labels;

  void add(double probability, int hits, int rows) {
    for (int i = 0; i < rows; ++i) {
      probabilities.push_back(probability);
      labels.push_back(i < hits ? 1 : 0);
    }
  }
};

/// Rows whose labels come with the probability whose log odds are slope * log odds + intercept.
Judged drawn(std::size_t rows, double slope, double intercept, core::RandomStream& random) {
  Judged judged;
  for (std::size_t i = 0; i < rows; ++i) {
    const double own = 1.5 * random.normal();
    judged.probabilities.push_back(1 / (1 + std::exp(-own)));
    judged.labels.push_back(random.uniform() < 1 / (1 + std::exp(-slope * own - intercept)) ? 1 : 0);
  }
  return judged;
}

TEST(CalibrationLineVsClosedForm, TwoProbabilitiesHaveTheLineThroughTheirShares) {
  Judged judged;
  judged.add(0.2, 5, 40);
  judged.add(0.7, 30, 50);
  const auto line = model::calibration_line(judged.probabilities, judged.labels);
  ASSERT_TRUE(line);
  const double distance = log_odds(0.7) - log_odds(0.2);
  EXPECT_NEAR(line->slope.value, (log_odds(30.0 / 50) - log_odds(5.0 / 40)) / distance, 1e-6);
  EXPECT_NEAR(line->slope.standard_error, std::sqrt(1 / 5.0 + 1 / 35.0 + 1 / 30.0 + 1 / 20.0) / distance, 1e-6);
}

TEST(CalibrationLineVsClosedForm, OneHalfForAllRowsHasNoSlope) {
  Judged judged;
  judged.add(0.5, 30, 40);
  EXPECT_FALSE(model::calibration_line(judged.probabilities, judged.labels));
}

TEST(CalibrationLineVsClosedForm, InterceptMakesExpectedHitsThoseCounted) {
  // The likelihood equation of the intercept: the sum of the moved probabilities is the number of hits.
  core::RandomStream random(3, 1);
  const Judged judged = drawn(300, 1, 0.6, random);
  const auto line = model::calibration_line(judged.probabilities, judged.labels);
  ASSERT_TRUE(line);
  double expected = 0;
  double information = 0;
  double hits = 0;
  for (std::size_t i = 0; i < judged.labels.size(); ++i) {
    const double p = 1 / (1 + std::exp(-log_odds(judged.probabilities[i]) - line->intercept.value));
    expected += p;
    information += p * (1 - p);
    hits += judged.labels[i];
  }
  EXPECT_NEAR(expected, hits, 1e-5);
  EXPECT_NEAR(line->intercept.standard_error, 1 / std::sqrt(information), 1e-6);
}

TEST(CalibrationLineVsClosedForm, SeparatedLabelsHaveNoLine) {
  EXPECT_FALSE(model::calibration_line(std::vector<double>{0.1, 0.2, 0.8, 0.9}, std::vector<int>{0, 0, 1, 1}));
  EXPECT_FALSE(model::calibration_line(std::vector<double>{0.1, 0.2}, std::vector<int>{1, 1}));
  expect_error(ErrorCode::invalid_argument, "labels",
               [] { model::calibration_line(std::vector<double>{0.1}, std::vector<int>{0, 1}); });
}

TEST(CalibrationLineVsClosedForm, ProbabilitiesOfZeroAndOneAreBounded) {
  Judged judged;
  judged.add(0, 1, 20);
  judged.add(0.5, 10, 20);
  judged.add(1, 19, 20);
  const auto line = model::calibration_line(judged.probabilities, judged.labels);
  ASSERT_TRUE(line);
  EXPECT_GT(line->slope.value, 0);
  EXPECT_LT(line->slope.value, 0.2) << "probabilities of 0 and 1 are far too extreme here";
}

TEST(CalibrationLineVsClosedForm, IntervalsHoldSlopeAndInterceptIn95Of100Samples) {
  // 1,500 trials have a standard error of 0.6 %. The intercept is that of labels with slope 1.
  constexpr int trials = 1500;
  core::RandomStream random(4, 1);
  int slopes = 0;
  int intercepts = 0;
  for (int trial = 0; trial < trials; ++trial) {
    const Judged steep = drawn(200, 0.7, 0, random);
    const auto line = model::calibration_line(steep.probabilities, steep.labels);
    if (line && std::abs(line->slope.value - 0.7) <= 1.96 * line->slope.standard_error) ++slopes;
    const Judged moved = drawn(200, 1, 0.5, random);
    const auto other = model::calibration_line(moved.probabilities, moved.labels);
    if (other && std::abs(other->intercept.value - 0.5) <= 1.96 * other->intercept.standard_error) ++intercepts;
  }
  EXPECT_NEAR(slopes, 0.95 * trials, 0.02 * trials);
  EXPECT_NEAR(intercepts, 0.95 * trials, 0.02 * trials);
}

}  // namespace calibration_line_vs_closed_form_tests
