#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "credence/core/random.hpp"
#include "credence/selection/score.hpp"
#include "support/expect_error.hpp"

namespace auc_vs_delong_tests {

using namespace credence;
using selection::AucEstimate;
using test::expect_error;

struct Scored {
  std::vector<double> margins;
  std::vector<int> labels;

  void add(double margin, int label, std::size_t times = 1) {
    margins.insert(margins.end(), times, margin);
    labels.insert(labels.end(), times, label);
  }
};

/// The 109 ratings of images by Hanley and McNeil (Radiology 143, 1982, table 1): 58 normal, 51 abnormal.
Scored ratings() {
  constexpr std::array<std::array<std::size_t, 5>, 2> rows{{{33, 6, 6, 11, 2}, {3, 2, 2, 11, 33}}};
  Scored scored;
  for (int label = 0; label < 2; ++label)
    for (int rating = 0; rating < 5; ++rating)
      scored.add(rating + 1, label, rows[static_cast<std::size_t>(label)][static_cast<std::size_t>(rating)]);
  return scored;
}

Scored normal_scores(std::size_t first, std::size_t second, double distance, core::RandomStream& random) {
  Scored scored;
  for (std::size_t i = 0; i < first; ++i) scored.add(random.normal(), 0);
  for (std::size_t i = 0; i < second; ++i) scored.add(random.normal() + distance, 1);
  return scored;
}

/// By the definition: of each row the share of the other class on its right side, and the variances of these.
AucEstimate by_all_pairs(const Scored& scored) {
  std::array<std::vector<double>, 2> shares;
  for (std::size_t i = 0; i < scored.labels.size(); ++i) {
    double ordered = 0;
    double others = 0;
    for (std::size_t j = 0; j < scored.labels.size(); ++j) {
      if (scored.labels[j] == scored.labels[i]) continue;
      const double ahead = (scored.margins[i] - scored.margins[j]) * (scored.labels[i] == 1 ? 1 : -1);
      ordered += ahead > 0 ? 1 : ahead == 0 ? 0.5 : 0;
      others += 1;
    }
    shares[static_cast<std::size_t>(scored.labels[i])].push_back(ordered / others);
  }
  AucEstimate found;
  for (const std::vector<double>& own : shares) {
    const auto n = static_cast<double>(own.size());
    double mean = 0;
    for (const double share : own) mean += share / n;
    double variance = 0;
    for (const double share : own) variance += (share - mean) * (share - mean) / (n - 1);
    found.auc = mean;
    found.variance += variance / n;
  }
  return found;
}

TEST(AucVsDelong, RatingsHaveTheValuesThatStataPrints) {
  const Scored scored = ratings();
  const auto found = selection::delong_auc(scored.margins, scored.labels);
  ASSERT_TRUE(found);
  // The manual of Stata, [R] roctab: ROC area 0.8932, standard error 0.0307, 0.83295 to 0.95339.
  EXPECT_NEAR(found->auc, 0.8932, 5e-5);
  EXPECT_NEAR(std::sqrt(found->variance), 0.0307, 5e-5);
  EXPECT_NEAR(found->auc - 1.959964 * std::sqrt(found->variance), 0.83295, 5e-6);
  EXPECT_NEAR(found->auc + 1.959964 * std::sqrt(found->variance), 0.95339, 5e-6);
  EXPECT_DOUBLE_EQ(found->auc, selection::roc_auc(scored.margins, scored.labels));
}

TEST(AucVsDelong, TiedScoresHaveTheVarianceOfAllPairs) {
  core::RandomStream random(5, 1);
  for (int trial = 0; trial < 50; ++trial) {
    Scored scored = normal_scores(2 + static_cast<std::size_t>(trial), 30, 1, random);
    for (double& margin : scored.margins) margin = std::round(2 * margin);
    const auto found = selection::delong_auc(scored.margins, scored.labels);
    const AucEstimate right = by_all_pairs(scored);
    ASSERT_TRUE(found);
    EXPECT_NEAR(found->auc, right.auc, 1e-12);
    EXPECT_NEAR(found->variance, right.variance, 1e-12);
  }
}

TEST(AucVsDelong, IntervalsHoldTheAucIn95Of100Samples) {
  // Of normal scores at a distance the AUC is Phi(distance / 2^1/2). 2,000 trials have a standard error of 0.5 %.
  constexpr int trials = 2000;
  struct Case {
    std::size_t first, second;
    double auc, distance;
  };
  for (const Case& one : {Case{80, 20, 0.8, 1.190232}, Case{50, 50, 0.95, 2.326174}, Case{400, 100, 0.95, 2.326174}}) {
    core::RandomStream random(7, one.first);
    int held = 0;
    for (int trial = 0; trial < trials; ++trial) {
      const Scored scored = normal_scores(one.first, one.second, one.distance, random);
      const auto interval = selection::delong_auc(scored.margins, scored.labels)->interval(0.05);
      if (interval && interval->lower <= one.auc && one.auc <= interval->upper) ++held;
    }
    EXPECT_GE(held, 0.93 * trials) << one.first << " and " << one.second << " rows, AUC " << one.auc;
    EXPECT_LE(held, 0.97 * trials) << one.first << " and " << one.second << " rows, AUC " << one.auc;
  }
}

TEST(AucVsDelong, PerfectOrderHasNoIntervalAndFewRowsHaveNoVariance) {
  const std::vector<double> margins{1, 2, 3, 4};
  const auto found = selection::delong_auc(margins, std::vector<int>{0, 0, 1, 1});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->auc, 1);
  EXPECT_FALSE(found->interval(0.05));
  EXPECT_FALSE(selection::delong_auc(margins, std::vector<int>{0, 0, 0, 1}));
  expect_error(ErrorCode::invalid_argument, "two classes",
               [&] { selection::delong_auc(margins, std::vector<int>{0, 0, 2, 1}); });
}

TEST(AucVsDelong, CurveHasTheCornersThatScikitLearnKeeps) {
  // sklearn.metrics.roc_curve([0, 0, 1, 1, 0, 1], [1, 2, 2, 3, 0, 4]), which keeps the first threshold, 4, as well.
  const auto curve = selection::roc_curve(std::vector<double>{1, 2, 2, 3, 0, 4}, std::vector<int>{0, 0, 1, 1, 0, 1});
  const std::vector<std::array<double, 3>> right{
      {0, 0, std::numeric_limits<double>::infinity()}, {0, 2.0 / 3, 3}, {1.0 / 3, 1, 2}, {1, 1, 0}};
  ASSERT_EQ(curve.size(), right.size());
  for (std::size_t i = 0; i < right.size(); ++i) {
    EXPECT_DOUBLE_EQ(curve[i].false_positive_rate, right[i][0]);
    EXPECT_DOUBLE_EQ(curve[i].true_positive_rate, right[i][1]);
    EXPECT_EQ(curve[i].threshold, right[i][2]);
  }
  EXPECT_TRUE(selection::roc_curve(std::vector<double>{1, 2}, std::vector<int>{1, 1}).empty());
}

TEST(AucVsDelong, AreaUnderTheCurveIsTheAuc) {
  core::RandomStream random(9, 1);
  Scored scored = normal_scores(60, 40, 1, random);
  for (double& margin : scored.margins) margin = std::round(4 * margin);
  const auto curve = selection::roc_curve(scored.margins, scored.labels);
  double area = 0;
  for (std::size_t i = 1; i < curve.size(); ++i)
    area += (curve[i].false_positive_rate - curve[i - 1].false_positive_rate) *
            (curve[i].true_positive_rate + curve[i - 1].true_positive_rate) / 2;
  EXPECT_NEAR(area, selection::roc_auc(scored.margins, scored.labels), 1e-12);
}

}  // namespace auc_vs_delong_tests
