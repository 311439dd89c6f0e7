#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "credence/svm/train.hpp"
#include "support/expect_error.hpp"
#include "support/random_data.hpp"

namespace machines_and_factors_tests {

using namespace credence;
using svm::BinaryMachine;
using svm::machine_layout;
using svm::vote;

std::vector<std::pair<int, int>> pairs(const std::vector<BinaryMachine>& machines) {
  std::vector<std::pair<int, int>> result;
  for (const BinaryMachine& machine : machines) {
    result.emplace_back(machine.positive, machine.negative);
    EXPECT_TRUE(machine.support.empty());
    EXPECT_TRUE(machine.coefficients.empty());
  }
  return result;
}

TEST(MachineLayout, TwoClassesSpeakForTheSecond) {
  EXPECT_EQ(pairs(machine_layout(2)), (std::vector<std::pair<int, int>>{{1, 0}}));
}

TEST(MachineLayout, MoreClassesGoInLibsvmsOrder) {
  EXPECT_EQ(pairs(machine_layout(3)), (std::vector<std::pair<int, int>>{{0, 1}, {0, 2}, {1, 2}}));
  EXPECT_EQ(pairs(machine_layout(4)),
            (std::vector<std::pair<int, int>>{{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}}));
}

TEST(Vote, TwoClasses) {
  const auto machines = machine_layout(2);
  EXPECT_EQ(vote(std::vector<double>{0.5}, machines, 2), 1);
  EXPECT_EQ(vote(std::vector<double>{-0.5}, machines, 2), 0);
  EXPECT_EQ(vote(std::vector<double>{0.0}, machines, 2), 0);  // only a positive decision speaks for the second
}

TEST(Vote, MostVotesAndTiesToTheLowest) {
  const auto machines = machine_layout(3);
  EXPECT_EQ(vote(std::vector<double>{1, 1, 1}, machines, 3), 0);
  EXPECT_EQ(vote(std::vector<double>{-1, 1, 1}, machines, 3), 1);
  EXPECT_EQ(vote(std::vector<double>{1, -1, -1}, machines, 3), 2);
  EXPECT_EQ(vote(std::vector<double>{1, -1, 1}, machines, 3), 0);     // a cycle: one vote each
  EXPECT_EQ(vote(std::vector<double>{-1, 1, -1}, machines, 3), 0);    // the other cycle
  EXPECT_EQ(vote(std::vector<double>{-9, 0.1, -9}, machines, 3), 0);  // sizes do not count
  // 0: one vote; 1, 2: two votes each; 3: one.
  EXPECT_EQ(vote(std::vector<double>{-1, -1, 1, 1, -1, 1}, machine_layout(4), 4), 1);
}

TEST(BoxFactors, BalancedCountsTrainingRowsOnly) {
  test::Clouds clouds{test::random_matrix(6, 2, 1), {}, {"a", "a", "a", "b", "b", "c"}};
  const data::Dataset dataset = clouds.dataset();
  svm::ClassWeights weights;
  weights.balanced = true;
  const auto all = svm::box_factors(dataset, weights, std::vector<bool>(6, true));
  const std::vector<double> expected{6.0 / 9, 6.0 / 9, 6.0 / 9, 1, 1, 2};
  for (std::size_t i = 0; i < 6; ++i) EXPECT_DOUBLE_EQ(all[i], expected[i]) << i;
  const std::vector<bool> training{true, false, true, true, false, true};
  const auto some = svm::box_factors(dataset, weights, training);
  const std::vector<double> on_training{4.0 / 6, 0, 4.0 / 6, 4.0 / 3, 0, 4.0 / 3};
  for (std::size_t i = 0; i < 6; ++i)
    if (training[i]) EXPECT_DOUBLE_EQ(some[i], on_training[i]) << i;
}

TEST(BoxFactors, NamedAndSampleWeightsMultiply) {
  test::Clouds clouds{test::random_matrix(4, 2, 1), {}, {"a", "b", "a", "b"}};
  data::Dataset dataset = clouds.dataset();
  const std::vector<bool> training(4, true);
  svm::ClassWeights weights;
  EXPECT_EQ(svm::box_factors(dataset, weights, training), (std::vector<double>{1, 1, 1, 1}));
  weights.named["b"] = 3;
  EXPECT_EQ(svm::box_factors(dataset, weights, training), (std::vector<double>{1, 3, 1, 3}));
  dataset.weights = {1, 2, 0.5, 0.25};
  EXPECT_EQ(svm::box_factors(dataset, weights, training), (std::vector<double>{1, 6, 0.5, 0.75}));
}

TEST(BoxFactors, UnknownClassNameIsRefused) {
  test::Clouds clouds{test::random_matrix(4, 2, 1), {}, {"a", "b", "a", "b"}};
  const data::Dataset dataset = clouds.dataset();
  svm::ClassWeights weights;
  weights.named["z"] = 3;
  test::expect_error(ErrorCode::invalid_argument, "z",
                     [&] { svm::box_factors(dataset, weights, std::vector<bool>(4, true)); });
}

TEST(MachineProblem, HoldsOutOtherClassesAndZeroFactors) {
  const std::vector<int> labels{0, 1, 2, 0, 2, 1};
  const std::vector<double> factors{1, 2, 3, 0, 0.5, 7};
  BinaryMachine machine;
  machine.positive = 0;
  machine.negative = 2;
  const qp::Problem problem = svm::machine_problem(labels, machine, factors);
  EXPECT_EQ(problem.upper, (std::vector<double>{1, 0, 0, 0, 0, 0}));
  EXPECT_EQ(problem.lower, (std::vector<double>{0, 0, -3, 0, -0.5, 0}));
  for (const std::size_t i : {0U, 2U, 4U}) EXPECT_EQ(problem.linear[i], labels[i] == 0 ? 1 : -1);
}

}  // namespace machines_and_factors_tests
