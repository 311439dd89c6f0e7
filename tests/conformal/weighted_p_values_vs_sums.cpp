#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "credence/conformal/grouped.hpp"
#include "credence/conformal/inductive.hpp"
#include "credence/conformal/p_value.hpp"
#include "credence/conformal/predictor.hpp"
#include "credence/conformal/regression.hpp"
#include "credence/core/random.hpp"
#include "support/expect_error.hpp"

/// p = (sum w [alpha_i > alpha] + tau (sum w [alpha_i = alpha] + w(x))) / (sum w + w(x)), summed one by one.
namespace credence::conformal {
namespace weighted_p_values_vs_sums_tests {

using test::expect_error;

constexpr double infinity = std::numeric_limits<double>::infinity();

struct WeighedRows {
  std::vector<double> nonconformity_scores;
  std::vector<int> labels;
  std::vector<int> categories;
  std::vector<int> groups;
  std::vector<double> weights;
};

WeighedRows draw_weighed(std::size_t n, std::uint64_t seed, bool whole_numbers = false) {
  core::RandomStream random(seed);
  const std::vector<double> possible{-infinity, -1, 0, 0.5, 2, infinity};
  WeighedRows rows;
  for (std::size_t i = 0; i < n; ++i) {
    rows.nonconformity_scores.push_back(possible[random.below(possible.size())]);
    rows.labels.push_back(static_cast<int>(random.below(2)));
    rows.categories.push_back(static_cast<int>(random.below(3)));
    rows.groups.push_back(static_cast<int>(random.below(7)));
    rows.weights.push_back(whole_numbers ? static_cast<double>(1 + random.below(4)) : 0.01 + 10 * random.uniform());
  }
  return rows;
}

/// @param label, category  -1: of all
double summed_p(const WeighedRows& rows, const std::vector<double>& weights, double nonconformity, double own,
                double tau, int label = -1, int category = -1) {
  double above = tau * own;
  double all = own;
  for (std::size_t i = 0; i < rows.labels.size(); ++i) {
    if ((label >= 0 && rows.labels[i] != label) || (category >= 0 && rows.categories[i] != category)) continue;
    all += weights[i];
    if (rows.nonconformity_scores[i] > nonconformity) above += weights[i];
    if (rows.nonconformity_scores[i] == nonconformity) above += tau * weights[i];
  }
  return above / all;
}

const std::vector<double> asked{-infinity, -3, 0, 0.2, 0.5, 2, 7, infinity};

TEST(WeightedPValues, EqualSumsOverAllRows) {
  for (const std::size_t n : {0U, 1U, 2U, 40U}) {
    const WeighedRows rows = draw_weighed(n, n);
    const NonconformityTable table(rows.nonconformity_scores, rows.labels, 2, {rows.weights});
    for (const double nonconformity : asked) {
      for (const double own : {0.3, 1.0, 20.0}) {
        const Rank among_all = table.all().rank(nonconformity, own);
        EXPECT_NEAR(p_value(among_all), summed_p(rows, rows.weights, nonconformity, own, 1), 1e-14);
        EXPECT_NEAR(smoothed_p_value(among_all, 0.3), summed_p(rows, rows.weights, nonconformity, own, 0.3), 1e-14);
        EXPECT_LE(p_value(among_all), 1);
        for (const int label : {0, 1}) {
          EXPECT_NEAR(smoothed_p_value(table.of(label).rank(nonconformity, own), 0.3),
                      summed_p(rows, rows.weights, nonconformity, own, 0.3, label), 1e-14);
        }
      }
    }
  }
}

TEST(WeightedPValues, OfWholeWeightsAreThoseOfRowsGivenSoOften) {
  const WeighedRows rows = draw_weighed(30, 5, true);
  WeighedRows often;
  for (std::size_t i = 0; i < 30; ++i) {
    for (double k = 0; k < rows.weights[i]; ++k) {
      often.nonconformity_scores.push_back(rows.nonconformity_scores[i]);
      often.labels.push_back(rows.labels[i]);
    }
  }
  const NonconformityTable weighed(rows.nonconformity_scores, rows.labels, 2, {rows.weights});
  const NonconformityTable repeated(often.nonconformity_scores, often.labels, 2);
  for (const double nonconformity : asked) {
    EXPECT_EQ(weighed.rank(nonconformity), repeated.rank(nonconformity));
    for (const int label : {0, 1}) EXPECT_EQ(weighed.rank(nonconformity, label), repeated.rank(nonconformity, label));
  }
}

TEST(WeightedPValues, OfWeightsThatAreOneAreCounts) {
  const WeighedRows rows = draw_weighed(30, 6);
  const NonconformityTable plain(rows.nonconformity_scores, rows.labels, 2);
  const std::vector<double> ones(30, 1.0);
  const NonconformityTable weighed(rows.nonconformity_scores, rows.labels, 2, {ones});
  for (const double nonconformity : asked) EXPECT_EQ(weighed.rank(nonconformity), plain.rank(nonconformity));
  EXPECT_EQ(plain.all().effective(), 30);
  EXPECT_EQ(weighed.all().effective(), 30);
}

TEST(WeightedPValues, OfGroupsCountEachGroupOnceAndTheNewRowWhole) {
  const WeighedRows rows = draw_weighed(40, 7);
  std::vector<double> sizes(7, 0);
  for (const int group : rows.groups) ++sizes[static_cast<std::size_t>(group)];
  std::vector<double> shares;
  for (const int group : rows.groups) shares.push_back(1 / sizes[static_cast<std::size_t>(group)]);
  EXPECT_EQ(group_shares(rows.groups), shares);
  const NonconformityTable table(rows.nonconformity_scores, rows.labels, 2, {shares, true});
  EXPECT_DOUBLE_EQ(table.all().weight(), 7);
  for (const double nonconformity : asked) {
    EXPECT_NEAR(p_value(table.rank(nonconformity)), summed_p(rows, shares, nonconformity, 1, 1), 1e-14);
    // The new row keeps its full weight where ties are settled at random.
    EXPECT_NEAR(smoothed_p_value(table.rank(nonconformity), 0.3),
                summed_p(rows, shares, nonconformity, 1, 0.3) + 0.7 / 8, 1e-14);
    for (const int label : {0, 1})
      EXPECT_NEAR(p_value(table.rank(nonconformity, label)), summed_p(rows, shares, nonconformity, 1, 1, label), 1e-14);
  }
  EXPECT_NEAR(p_value(table.rank(infinity, 0)), summed_p(rows, shares, infinity, 1, 1, 0), 1e-14);
}

TEST(WeightedPValues, EffectiveRowsAreKishs) {
  const std::vector<double> weights{1, 2, 5};
  const NonconformityScores list({0, 1, 2}, {weights});
  EXPECT_DOUBLE_EQ(list.effective(), 64.0 / 30);
  EXPECT_DOUBLE_EQ(list.weight(), 8);
}

TEST(WeightedPValues, ReachEveryKindOfCalibration) {
  const WeighedRows rows = draw_weighed(50, 8);
  const std::vector<double> own{0.5, 3};
  data::DenseMatrix fresh(2, 2);
  fresh.values = {0.5, -2, 0, 1};
  const ScoreCalibration plain(rows.nonconformity_scores, rows.labels, 2, {rows.weights});
  const GroupedCalibration grouped(rows.nonconformity_scores, rows.labels, 2, rows.categories, {rows.weights});
  const std::vector<int> of_fresh{2, 0};
  for (const bool conditional : {false, true}) {
    const Ranks of_all = plain.ranks(fresh, conditional, own);
    const Ranks twice = CrossCalibration({plain, plain}).ranks(std::vector{fresh, fresh}, conditional, own);
    const Ranks in_category = grouped.ranks(fresh, of_fresh, conditional, own);
    for (std::size_t i = 0; i < 2; ++i) {
      for (std::size_t c = 0; c < 2; ++c) {
        const double alpha = -fresh.row(i)[c];
        const int label = conditional ? static_cast<int>(c) : -1;
        EXPECT_NEAR(p_value(of_all.at(i, c)), summed_p(rows, rows.weights, alpha, own[i], 1, label), 1e-14);
        EXPECT_NEAR(p_value(in_category.at(i, c)), summed_p(rows, rows.weights, alpha, own[i], 1, label, of_fresh[i]),
                    1e-14);
        // Two folds alike weigh twice as much, and the new row once.
        EXPECT_NEAR(p_value(twice.at(i, c)), summed_p(rows, rows.weights, alpha, own[i] / 2, 1, label), 1e-14);
      }
    }
  }
}

TEST(WeightedIntervals, AreTheTargetsWithALargePValue) {
  core::RandomStream random(9);
  std::vector<double> targets;
  std::vector<double> weights;
  for (int i = 0; i < 25; ++i) {
    targets.push_back(std::floor(5 * random.normal()));
    weights.push_back(0.1 + random.uniform());
  }
  const std::vector<double> zeros(25, 0.0);
  const InductiveRegression machine(targets, zeros, {}, {}, {weights});
  const std::vector<double> zero{0};
  for (const double own : {0.2, 1.0, 9.0}) {
    const std::vector<double> of_row{own};
    for (double significance = 0.02; significance < 1; significance += 0.07) {
      const PredictionInterval interval = machine.intervals(zero, {}, significance, of_row)[0];
      for (double y = -30; y <= 30; y += 0.5) {
        const double p = p_value(machine.ranks({{y}}, zero, {}, of_row).at(0, 0));
        EXPECT_EQ(interval.lower <= y && y <= interval.upper, in_set(p, significance))
            << y << ' ' << significance << ' ' << own;
      }
    }
  }
}

TEST(WeightedPValues, RefuseWhatDoesNotFit) {
  const std::vector<double> two{1, 2};
  const std::vector<int> labels{0, 1};
  for (const double bad : {0.0, -1.0, infinity, std::nan("")}) {
    const std::vector<double> weights{1, bad};
    expect_error(ErrorCode::invalid_argument, "weight 1 (numbered from 0)",
                 [&] { NonconformityTable(two, labels, 2, {weights}); });
  }
  const std::vector<double> three{1, 1, 1};
  expect_error(ErrorCode::invalid_argument, "2 examples have a nonconformity score, but 3 have weights",
               [&] { NonconformityTable(two, labels, 2, {three}); });
  NonconformityTable table(two, labels, 2, {two});
  expect_error(ErrorCode::invalid_argument, "not added one by one", [&] { table.insert(1, 0); });
  expect_error(ErrorCode::invalid_argument, "not removed one by one", [&] { table.erase(1, 0); });
  const ScoreCalibration calibration(two, labels, 2, {two});
  expect_error(ErrorCode::invalid_argument, "1 rows, but weights for 2",
               [&] { calibration.ranks(data::DenseMatrix(1, 2), false, two); });
}

TEST(ExamplesMissing, IsTheFirstNumberWithASmallEnoughPValue) {
  for (const double significance : {0.5, 0.2, 0.1, 0.05, 0.03, 0.01, 0.001}) {
    std::size_t enough = 0;
    while (in_set(1 / static_cast<double>(enough + 1), significance)) ++enough;
    for (const std::size_t compared : {std::size_t{0}, std::size_t{3}, enough, enough + 1})
      EXPECT_EQ(examples_missing(compared, significance), enough > compared ? enough - compared : 0)
          << significance << ' ' << compared;
  }
  EXPECT_EQ(examples_missing(5, 0), std::nullopt);
}

}  // namespace weighted_p_values_vs_sums_tests
}  // namespace credence::conformal
