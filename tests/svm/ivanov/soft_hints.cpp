#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "support/ivanov_problems.hpp"

namespace soft_hints_tests {

using namespace credence;
using test::exact_options;
using test::IvanovProblem;

/// A hint that says the opposite of the labels: the procedure alone stays at loss 1 there (a trial of -1).
TEST(SoftIvanovWithHint, WrongHintOfTwoPoints) {
  const IvanovProblem two{test::products(test::points(1, {1, -1})), {-1, 1}, {2, -2}};
  EXPECT_NEAR(two.exact(0.25, exact_options()).loss, 0.5, 1e-9);
  for (const bool at_hint : {true, false}) {
    svm::IvanovOptions options = exact_options();
    options.start_at_hint = at_hint;
    EXPECT_NEAR(test::soft_at(two, 0.25, options).loss, 0.5, 1e-9);
  }
}

/// Whatever the hint, a constant is in the class if w = 0 and f0 is one; with w = 0 the best bias is found.
TEST(SoftIvanovWithHint, NeverWorseThanTheHintWithItsBestBias) {
  for (const std::size_t n : {5U, 12U, 40U}) {
    for (const IvanovProblem& problem : test::random_ivanov_problems(n, 2 * n)) {
      std::vector<double> at_zero = problem.hint.empty() ? std::vector<double>(n, 0) : problem.hint;
      const double b = svm::best_bias(problem.y, at_zero, 0);
      for (double& f : at_zero) f += b;
      for (const double rho : {0.0, 1e-6, 0.01, 1.0}) {
        const svm::IvanovSolution found = test::soft_at(problem, rho, exact_options());
        EXPECT_LE(found.loss, test::mean_soft_loss(problem.y, at_zero) + 1e-12) << problem.what << ", rho " << rho;
      }
    }
  }
}

TEST(SoftIvanovWithHint, RhoZeroIsTheHintWithItsBestBias) {
  for (const IvanovProblem& problem : test::random_ivanov_problems(9, 4)) {
    std::vector<double> at_zero = problem.hint.empty() ? std::vector<double>(9, 0) : problem.hint;
    const double plain = test::mean_soft_loss(problem.y, at_zero);
    const double b = svm::best_bias(problem.y, at_zero, 0);
    for (double& f : at_zero) f += b;
    for (const bool bias : {true, false}) {
      const double expected = bias ? test::mean_soft_loss(problem.y, at_zero) : plain;
      const svm::IvanovSolution found = test::soft_at(problem, 0, exact_options(bias));
      EXPECT_NEAR(found.loss, expected, 1e-12) << problem.what;
      EXPECT_EQ(found.norm, 0) << problem.what;
      EXPECT_EQ(found.beta, std::vector<double>(9, 0)) << problem.what;
      EXPECT_NEAR(problem.exact(0, exact_options(bias)).loss, expected, 1e-12) << problem.what;
    }
  }
}

TEST(SoftIvanovWithHint, MoreStartsAreNeverWorse) {
  std::size_t better = 0;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    for (const IvanovProblem& problem : test::random_ivanov_problems(8 + 6 * seed, 50 + seed)) {
      for (const double rho : {1e-4, 0.02, 0.4, 3.0}) {
        svm::IvanovOptions one = exact_options();
        one.start_at_hint = one.start_at_last = false;
        const double loss_of_one = test::soft_at(problem, rho, one).loss;
        const double loss_of_two = test::soft_at(problem, rho, exact_options()).loss;
        EXPECT_LE(loss_of_two, loss_of_one + 1e-9) << problem.what << ", rho " << rho;
        better += loss_of_two < loss_of_one - 1e-6;
      }
    }
  }
  EXPECT_GT(better, 0U);  // or the start at the hint would do nothing
}

/// A constant hint is what the bias is.
TEST(SoftIvanovWithHint, ConstantHintChangesNothing) {
  for (IvanovProblem problem : test::random_ivanov_problems(10, 6)) {
    problem.hint.clear();
    IvanovProblem shifted = problem;
    shifted.hint.assign(10, 0.75);
    for (const double rho : {1e-4, 0.3, 4.0}) {
      const svm::IvanovSolution one = problem.exact(rho, exact_options());
      const svm::IvanovSolution other = shifted.exact(rho, exact_options());
      EXPECT_NEAR(one.loss, other.loss, 1e-8) << problem.what << ", rho " << rho;
      EXPECT_NEAR(problem.hinge(rho, exact_options()).loss, shifted.hinge(rho, exact_options()).loss, 1e-8) << rho;
    }
  }
}

/// A hint in the class: f0 = v x with |w|^2 large enough to undo it gives the loss without it.
TEST(SoftIvanovWithHint, HintInTheClassMovesItsCentre) {
  const data::DenseMatrix x = test::coarse_matrix(6, 1, 12);
  const std::vector<int> y = test::random_signs(6, 12);
  std::vector<double> hint;
  for (std::size_t i = 0; i < 6; ++i) hint.push_back(0.5 * x.row(i)[0]);
  const IvanovProblem plain{test::products(x), y};
  const IvanovProblem hinted{test::products(x), y, hint};
  for (const double radius : {0.6, 1.0, 3.0}) {
    const double around = hinted.exact(radius * radius, exact_options()).loss;
    EXPECT_GE(around, plain.exact((radius + 0.5) * (radius + 0.5), exact_options()).loss - 1e-8) << radius;
    EXPECT_LE(around, plain.exact((radius - 0.5) * (radius - 0.5), exact_options()).loss + 1e-8) << radius;
  }
}

}  // namespace soft_hints_tests
