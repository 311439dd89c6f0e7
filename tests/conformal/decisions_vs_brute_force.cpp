#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <vector>

#include "conformal/classifiers.hpp"
#include "credence/bounds/split_conformal.hpp"
#include "credence/conformal/decision.hpp"
#include "credence/conformal/fit.hpp"
#include "credence/model/costs.hpp"
#include "support/expect_error.hpp"

namespace credence::conformal {
namespace decisions_vs_brute_force_tests {

using model::DecisionCosts;
using Random = std::mt19937_64;
const std::vector<std::string> two{"sick", "well"};

/// p-values j / (n + 1), of which many are equal.
data::DenseMatrix coarse(std::size_t rows, std::size_t classes, std::size_t n, Random& random) {
  data::DenseMatrix p(rows, classes);
  for (double& value : p.values) value = static_cast<double>(1 + random() % (n + 1)) / static_cast<double>(n + 1);
  return p;
}

/// @param lowest  0, or -1 with rows of a class that is not known
std::vector<int> labels_of(std::size_t rows, int lowest, int classes, Random& random) {
  std::vector<int> labels(rows);
  for (int& label : labels) label = std::uniform_int_distribution(lowest, classes - 1)(random);
  return labels;
}

/// The classes that are not ruled out.
std::vector<int> left_of(const data::DenseMatrix& p, std::size_t row, const std::vector<double>& levels) {
  std::vector<int> left;
  for (std::size_t c = 0; c < p.columns; ++c)
    if (p.row(row)[c] > levels[c] + 1e-12) left.push_back(static_cast<int>(c));
  return left;
}

TEST(DecideByHand, OneClassLeftOrAsk) {
  data::DenseMatrix p(5, 3);
  p.values = {0.01, 0.9,  0.05,  //
              0.01, 0.9,  0.06,  //
              0.01, 0.1,  0.05,  //
              0.02, 0.1,  0.05,  //
              0.01, 0.11, 0.05};
  EXPECT_EQ(decide(p, std::vector<double>{0.01, 0.1, 0.05}), (std::vector<int>{1, ask, ask, 0, 1}));
  EXPECT_EQ(decide(p, std::vector<double>{0, 0, 0}), std::vector<int>(5, ask));
  EXPECT_EQ(decide(p, std::vector<double>{1 - 0.99, 0.1, 1 - 0.95}), (std::vector<int>{1, ask, ask, 0, 1}));
}

TEST(DecideVsBruteForce, DecisionsAndCounts) {
  Random random(1);
  for (int round = 0; round < 200; ++round) {
    const std::size_t classes = 2 + random() % 3;
    const data::DenseMatrix p = coarse(1 + random() % 40, classes, 19, random);
    const std::vector<int> labels = labels_of(p.rows, -1, static_cast<int>(classes), random);
    std::vector<double> levels(classes);
    for (double& level : levels) level = static_cast<double>(random() % 12) / 20;
    const std::vector<int> decisions = decide(p, levels);
    DecisionCounts expected;
    expected.rows = p.rows;
    expected.of_class.resize(classes);
    for (std::size_t i = 0; i < p.rows; ++i) {
      const std::vector<int> left = left_of(p, i, levels);
      ASSERT_EQ(decisions[i], left.size() == 1 ? left.front() : ask);
      const bool wrong = left.size() == 1 && left.front() != labels[i];
      expected.decided += left.size() == 1 ? 1U : 0U;
      expected.none += left.empty() ? 1U : 0U;
      expected.several += left.size() > 1 ? 1U : 0U;
      expected.wrong += wrong ? 1U : 0U;
      if (labels[i] < 0) continue;
      ClassDecisions& own = expected.of_class[static_cast<std::size_t>(labels[i])];
      own.rows += 1;
      own.missed += std::ranges::find(left, labels[i]) == left.end() ? 1U : 0U;
      own.decided += left.size() == 1 ? 1U : 0U;
      own.wrong += wrong ? 1U : 0U;
    }
    ASSERT_EQ(count_decisions(p, labels, levels), expected);
    for (const ClassDecisions& own : expected.of_class) ASSERT_LE(own.wrong, own.missed);
  }
}

double mean_cost(const data::DenseMatrix& p, const std::vector<int>& labels, const std::vector<double>& limits,
                 const double costs[2][2], double price) {
  double sum = 0;
  for (std::size_t i = 0; i < p.rows; ++i) {
    const std::vector<int> left = left_of(p, i, limits);
    if (left.size() != 1)
      sum += price;
    else if (labels[i] >= 0)
      sum += costs[labels[i]][left.front()];
    else
      sum += std::max(costs[0][left.front()], costs[1][left.front()]);
  }
  return sum / static_cast<double>(p.rows);
}

TEST(DecisionPointsVsBruteForce, EveryPairOfLevelsWithItsCost) {
  Random random(2);
  const data::DenseMatrix p = coarse(60, 2, 19, random);
  const std::vector<int> labels = labels_of(60, -1, 2, random);
  const std::vector<double> levels{0, 0.05, 0.1, 0.25, 0.6};
  const model::DecisionCosts costs = model::DecisionCosts::parse("sick:well=50,well:sick=2,ask=5", two);
  const double plain[2][2] = {{0, 50}, {2, 0}};
  const std::vector<DecisionPoint> points = decision_points(p, labels, levels, &costs);
  ASSERT_EQ(points.size(), 25U);
  for (std::size_t k = 0; k < points.size(); ++k) {
    const std::vector<double> limits{levels[k / 5], levels[k % 5]};
    EXPECT_EQ(points[k].limits, limits);
    EXPECT_EQ(points[k].counts, count_decisions(p, labels, limits));
    EXPECT_NEAR(points[k].cost.value(), mean_cost(p, labels, limits, plain, 5), 1e-12);
  }
  for (const DecisionPoint& point : decision_points(p, labels, levels, nullptr)) EXPECT_FALSE(point.cost.has_value());
}

/// A share of a class in place of its number of rows: the same as so many copies of the rows.
TEST(DecisionPointsVsRepeatedRows, CostsAtOtherClassShares) {
  Random random(3);
  const data::DenseMatrix p = coarse(30, 2, 19, random);
  std::vector<int> labels(30);
  for (std::size_t i = 0; i < 30; ++i) labels[i] = i < 10 ? 0 : 1;  // shares 1/3 and 2/3; wanted 6/7 and 1/7
  data::DenseMatrix repeated(120 + 20, 2);
  std::vector<int> repeated_labels;
  for (std::size_t at = 0; at < repeated.rows; ++at) {
    const std::size_t row = at < 120 ? at % 10 : 10 + (at - 120);
    std::ranges::copy(p.row(row), repeated.row(at).begin());
    repeated_labels.push_back(labels[row]);
  }
  const model::DecisionCosts costs = model::DecisionCosts::parse("sick:well=50,ask=5", two);
  const std::vector<double> levels{0.1, 0.3};
  const auto moved = decision_points(p, labels, levels, &costs, std::vector<double>{6.0 / 7, 1.0 / 7});
  const auto copied = decision_points(repeated, repeated_labels, levels, &costs);
  for (std::size_t k = 0; k < moved.size(); ++k) EXPECT_NEAR(moved[k].cost.value(), copied[k].cost.value(), 1e-12);
}

TEST(DecisionPoints, MoreClassesHaveOneLimitEach) {
  Random random(4);
  const data::DenseMatrix p = coarse(20, 3, 19, random);
  const std::vector<int> labels = labels_of(20, 0, 3, random);
  const std::vector<double> levels{0.1, 0.2, 0.4};
  const std::vector<DecisionPoint> points = decision_points(p, labels, levels, nullptr);
  ASSERT_EQ(points.size(), 3U);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(points[k].limits, std::vector<double>(3, levels[k]));
}

/// Whether every row has one class left.
bool nobody_asked(const data::DenseMatrix& p, double first, double second) {
  for (std::size_t i = 0; i < p.rows; ++i)
    if (left_of(p, i, {first, second}).size() != 1) return false;
  return true;
}

/// All pairs of p-values and 0 below 1 at which nobody is asked, without those that another pair beats in both limits.
std::vector<std::pair<double, double>> smallest_pairs(const data::DenseMatrix& p) {
  std::set<double> firsts{0};
  std::set<double> seconds{0};
  for (std::size_t i = 0; i < p.rows; ++i) {
    firsts.insert(p.row(i)[0]);
    seconds.insert(p.row(i)[1]);
  }
  std::vector<std::pair<double, double>> fitting;
  for (const double first : firsts)
    for (const double second : seconds)
      if (first < 1 && second < 1 && nobody_asked(p, first, second)) fitting.emplace_back(first, second);
  std::vector<std::pair<double, double>> smallest;
  for (const auto& one : fitting) {
    const bool beaten = std::ranges::any_of(fitting, [&](const auto& other) {
      return other != one && other.first <= one.first && other.second <= one.second;
    });
    if (!beaten) smallest.push_back(one);
  }
  return smallest;
}

TEST(LimitsWithoutAskingVsBruteForce, AllPairsOfPValues) {
  Random random(5);
  std::size_t with_pairs = 0;
  std::size_t with_several = 0;
  for (int round = 0; round < 3000; ++round) {
    const std::size_t n = 1 + random() % 9;
    data::DenseMatrix p(1 + random() % 12, 2);
    for (std::size_t i = 0; i < p.rows; ++i) {  // the classes go against each other, as they do in models
      const auto first = static_cast<int>(random() % (n + 1));
      const int noise = static_cast<int>(random() % 3) - 1;
      const int second = std::clamp(static_cast<int>(n) - first + noise, 0, static_cast<int>(n));
      p.row(i)[0] = (first + 1.0) / (static_cast<double>(n) + 1);
      p.row(i)[1] = (second + 1.0) / (static_cast<double>(n) + 1);
    }
    const auto found = limits_without_asking(p);
    const auto expected = smallest_pairs(p);
    ASSERT_EQ(found, expected) << "round " << round;
    with_pairs += expected.empty() ? 0U : 1U;
    with_several += expected.size() > 1 ? 1U : 0U;
  }
  EXPECT_GT(with_pairs, 300U);
  EXPECT_GT(with_several, 100U);
}

TEST(LimitsWithoutAsking, PValuesAtTheEnds) {
  data::DenseMatrix p(2, 2);
  p.values = {0, 0.5, 0.7, 0.2};  // a p-value of 0 is ruled out at the limit 0
  EXPECT_EQ(limits_without_asking(p), smallest_pairs(p));
  p.values = {1, 1, 1, 1};
  EXPECT_TRUE(limits_without_asking(p).empty());
  test::expect_error(ErrorCode::invalid_argument, "two classes",
                     [] { limits_without_asking(data::DenseMatrix(2, 3)); });
  test::expect_error(ErrorCode::invalid_argument, "no p-values",
                     [] { limits_without_asking(data::DenseMatrix(0, 2)); });
}

TEST(DecisionPoints, RefusesCostsWithoutAPriceAndSharesThatDoNotFit) {
  Random random(6);
  const data::DenseMatrix p = coarse(5, 2, 9, random);
  const std::vector<int> labels(5, 0);
  const std::vector<double> levels{0.1};
  const DecisionCosts unpriced = DecisionCosts::parse("sick:well=2", two);
  test::expect_error(ErrorCode::invalid_argument, "add ask=NUMBER",
                     [&] { decision_points(p, labels, levels, &unpriced); });
  const DecisionCosts priced = DecisionCosts::parse("ask=2", two);
  test::expect_error(ErrorCode::invalid_argument, "shares",
                     [&] { decision_points(p, labels, levels, &priced, std::vector<double>{1}); });
}

TEST(LimitsOfClasses, OneNumberOrOneForEach) {
  EXPECT_EQ(limits_of_classes("0.1", two), (std::vector<double>{0.1, 0.1}));
  EXPECT_EQ(limits_of_classes("well=0.1,sick=0.02", two), (std::vector<double>{0.02, 0.1}));
  std::vector<std::string> unnamed;
  EXPECT_EQ(limits_of_classes("sick=0.02", two, &unnamed), (std::vector<double>{0.02, 0.02}));
  EXPECT_EQ(unnamed, std::vector<std::string>{"well"});
  EXPECT_EQ(limits_of_classes("c=0.3,a=0.1", {"a", "b", "c"}), (std::vector<double>{0.1, 0.1, 0.3}));
  const auto refused = [](const char* text, const char* part) {
    test::expect_error(ErrorCode::invalid_argument, part, [&] { limits_of_classes(text, two); });
  };
  refused("1", "[0, 1), not 1");
  refused("-0.1", "[0, 1)");
  refused("sick=0.1,well=1.5", "[0, 1), not 1.5");
  refused("sick=0.1,ill=0.1", "'ill' is no class; the classes are sick, well");
  refused("sick=0.1,sick=0.2,well=0.1", "'sick' has two numbers");
  refused("0.1,0.2", "not a finite number");
  test::expect_error(ErrorCode::invalid_argument, "a class is called 'ask'",
                     [] { limits_of_classes("0.1", {"tell", "ask"}); });
}

TEST(Decide, RefusesLevelsAndLabelsThatDoNotFit) {
  const data::DenseMatrix p(2, 2);
  test::expect_error(ErrorCode::invalid_argument, "limits for 1", [&] { decide(p, std::vector<double>{0.1}); });
  test::expect_error(ErrorCode::invalid_argument, "", [&] { decide(p, std::vector<double>{0.1, 1}); });
  const std::vector<double> levels{0.1, 0.1};
  test::expect_error(ErrorCode::invalid_argument, "labels for 1",
                     [&] { count_decisions(p, std::vector<int>{0}, levels); });
  test::expect_error(ErrorCode::invalid_argument, "class 2",
                     [&] { count_decisions(p, std::vector<int>{0, 2}, levels); });
}

/// Nearest neighbours, split or not, of two unequal classes.
std::shared_ptr<const ConformalPredictor> fitted(const Mode& mode, std::size_t rows = 90) {
  const test::Surroundings here;
  const data::DenseMatrix x = test::random_matrix(rows, 2, 11);
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < rows; ++i) labels.push_back(i % 3 == 0 ? "sick" : "well");
  FitOptions options;
  options.mode = mode;
  options.p_values.label_conditional = true;
  return fit(data::make_dataset(data::Features(x), labels), options, here.context);
}

TEST(LevelsOfLimits, AreTheLimitsOrTheRanksOfEachClass) {
  const auto split = fitted(mode::Inductive{.calibration = 0.5});
  const std::vector<std::size_t> counts = split->machine->class_counts();
  ASSERT_EQ(counts.size(), 2U);
  ASSERT_NE(counts[0], counts[1]);
  const std::vector<double> limits{0.3, 0.2};
  EXPECT_EQ(levels_of_limits(*split, limits, {}), limits);
  const std::vector<double> levels = levels_of_limits(*split, limits, 0.9);
  for (std::size_t c = 0; c < 2; ++c) {
    EXPECT_EQ(levels[c], bounds::level_with_certainty(counts[c], limits[c], 1 - 0.9));
    EXPECT_LT(levels[c], limits[c]);
  }
}

TEST(LevelsOfLimits, RefusesACertaintyThatNothingStandsBehind) {
  const std::vector<double> limits{0.3, 0.2};
  const auto refused = [&](const model::Predictor& model, double certainty, const char* part) {
    test::expect_error(ErrorCode::invalid_argument, part, [&] { levels_of_limits(model, limits, certainty); });
  };
  refused(*fitted(mode::Transductive{}), 0.9, "compares with rows of its training");
  refused(*fitted(mode::Cross{.folds = 3}), 0.9, "compares with rows of its training");
  refused(*fitted(mode::Inductive{}), 1, "between 0 and 1");
  refused(*fitted(mode::Inductive{}), std::nan(""), "between 0 and 1");
  test::expect_error(ErrorCode::invalid_argument, "limits for 1",
                     [] { levels_of_limits(*fitted(mode::Inductive{}), std::vector<double>{0.1}, {}); });
  std::vector<int> labels(20, 0);
  std::fill_n(labels.begin(), 10, 1);
  const svm::SvmModel bare = test::trained_svm(test::random_matrix(20, 2, 3), labels);
  test::expect_error(ErrorCode::invalid_argument, "this model has none", [&] { levels_of_limits(bare, limits, {}); });
}

}  // namespace decisions_vs_brute_force_tests
}  // namespace credence::conformal
