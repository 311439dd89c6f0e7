#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <vector>

#include "credence/conformal/decision.hpp"
#include "credence/conformal/review.hpp"

/// Which rows a review marks, and why, against a search for the least probable label that is done again for each row.
namespace credence::conformal {
namespace review_vs_brute_force_tests {

using Random = std::mt19937_64;

/// Coarse numbers, of which many are equal.
model::Prediction drawn(std::size_t rows, std::size_t classes, Random& random) {
  const auto number = [&](int least) { return static_cast<double>(least + static_cast<int>(random() % 12)) / 40; };
  model::Prediction prediction;
  prediction.probability = prediction.p_value = data::DenseMatrix(rows, classes);
  for (double& value : prediction.probability.values) value = number(1);
  for (double& value : prediction.p_value.values) value = number(1);
  for (std::size_t i = 0; i < rows; ++i) {
    prediction.label.push_back(static_cast<int>(random() % classes));
    prediction.familiarity.push_back(random() % 5 == 0 ? 0.01 : 0.02);
  }
  return prediction;
}

ReviewReason reason_of(const model::Prediction& prediction, std::size_t row, const std::vector<double>& levels) {
  if (prediction.familiarity[row] < 0.015) return ReviewReason::unlike_training;
  for (std::size_t c = 0; c < levels.size(); ++c)
    if (prediction.p_value.row(row)[c] > levels[c] + 1e-12) return ReviewReason::between_classes;
  return ReviewReason::fits_no_class;
}

/// The rows of `allowed`, by the probability of their labels; of equal ones the first row first.
std::vector<std::size_t> least_probable(const model::Prediction& prediction, std::set<std::size_t> allowed) {
  std::vector<std::size_t> order;
  while (!allowed.empty()) {
    std::size_t least = *allowed.begin();
    const auto of = [&](std::size_t row) {
      return prediction.probability.row(row)[static_cast<std::size_t>(prediction.label[row])];
    };
    for (const std::size_t row : allowed)
      if (of(row) < of(least)) least = row;
    order.push_back(least);
    allowed.erase(least);
  }
  return order;
}

TEST(ReviewVsBruteForce, RowsAndReasonsOfSharesAndLimits) {
  Random random(5);
  std::set<ReviewReason> seen;
  for (int round = 0; round < 200; ++round) {
    const std::size_t rows = 1 + random() % 40;
    const std::size_t classes = 2 + random() % 3;
    const model::Prediction prediction = drawn(rows, classes, random);
    ReviewRule rule{std::nullopt, std::vector<double>(classes, 0.05)};
    for (double& level : rule.levels) level = static_cast<double>(random() % 8) / 40;
    if (round % 2 == 0) rule.share = 0.01 * static_cast<double>(1 + random() % 100);
    std::set<std::size_t> allowed;
    const std::vector<int> decisions = decide(prediction.p_value, rule.levels);
    for (std::size_t i = 0; i < rows; ++i)
      if (rule.share || decisions[i] == ask) allowed.insert(i);
    std::vector<std::size_t> expected = least_probable(prediction, allowed);
    std::size_t budget = 0;
    while (rule.share && budget < rows && static_cast<double>(budget) < *rule.share * static_cast<double>(rows) - 1e-9)
      ++budget;
    if (rule.share) expected.resize(budget);
    const Review found = review(prediction, rule);
    EXPECT_EQ(found.rows, expected);
    for (std::size_t i = 0; i < rows; ++i) {
      const bool is_marked = std::ranges::find(expected, i) != expected.end();
      EXPECT_EQ(found.reasons[i], is_marked ? reason_of(prediction, i, rule.levels) : ReviewReason::none);
      seen.insert(found.reasons[i]);
    }
  }
  EXPECT_EQ(seen.size(), 4U);
}

TEST(ReviewByHand, WithoutPValuesTheTenthAndAtLeastOneRow) {
  model::Prediction prediction;
  prediction.label = {1, 0, 0};
  prediction.probability = data::DenseMatrix(3, 2);
  prediction.probability.values = {0.1, 0.9, 0.7, 0.3, 0.8, 0.2};
  const Review found = review(prediction, {.share = ReviewRule::usual_share});
  EXPECT_EQ(found.rows, std::vector<std::size_t>{1});
  EXPECT_EQ(found.reasons[1], ReviewReason::between_classes);
  prediction.label[0] = 0;  // a class with a weight is named before it is likely
  EXPECT_EQ(review(prediction, {.share = 1}).rows, (std::vector<std::size_t>{0, 1, 2}));
}

}  // namespace review_vs_brute_force_tests
}  // namespace credence::conformal
