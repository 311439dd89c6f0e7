#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "credence/qp/solver.hpp"
#include "support/ivanov_problems.hpp"
#include "support/reference_qp.hpp"

namespace ivanov_qps_vs_worked_values_tests {

using namespace credence;

/// The convex step at a cost C on the six points; values worked out apart from this code, and checked in the primal.
struct Step {
  double C = 1;
  bool bias = true;
  std::vector<double> hint = std::vector<double>(6, 0);
  std::vector<int> given_up = std::vector<int>(6, 0);
};

struct Solved {
  double first = 0;
  double second = 0;
  double bias = 0;
  double dual = 0;
  double norm = 0;
  std::vector<double> beta;
};

qp::Problem problem_of(const Step& step) {
  qp::Problem problem;
  for (std::size_t i = 0; i < 6; ++i) {
    const double y = test::six_labels[i];
    const double d = step.given_up[i];
    problem.linear.push_back(y - step.hint[i]);
    problem.lower.push_back(y > 0 ? -d * step.C : -(1 - d) * step.C);
    problem.upper.push_back(y > 0 ? (1 - d) * step.C : d * step.C);
  }
  return problem;
}

/// Without bias a seventh row of zeros takes up what the others sum to.
Solved solved(const Step& step) {
  qp::Problem problem = problem_of(step);
  data::DenseMatrix x = test::six_points();
  if (!step.bias) {
    x.values.insert(x.values.end(), {0, 0});
    ++x.rows;
    problem.linear.push_back(0);
    problem.lower.push_back(-12 * step.C);
    problem.upper.push_back(12 * step.C);
  }
  test::MatrixRows rows(test::products(x));
  const core::Monitor monitor;
  qp::State state = qp::zero_state(problem);
  EXPECT_EQ(qp::solve(rows, problem, state, {.tolerance = 1e-11}, monitor).status, qp::Status::converged);
  Solved result;
  result.beta = state.beta;
  for (std::size_t i = 0; i < 6; ++i) {
    result.first += state.beta[i] * x.row(i)[0];
    result.second += state.beta[i] * x.row(i)[1];
  }
  result.bias = step.bias ? qp::bias(problem, state) : 0;
  result.dual = qp::objective(problem, state);
  result.norm = result.first * result.first + result.second * result.second;
  return result;
}

void expect_solution(const Step& step, double first, double second, double bias, double dual, double norm) {
  const Solved found = solved(step);
  EXPECT_NEAR(found.first, first, 1e-9) << "C = " << step.C;
  EXPECT_NEAR(found.second, second, 1e-9) << "C = " << step.C;
  EXPECT_NEAR(found.bias, bias, 1e-9) << "C = " << step.C;
  EXPECT_NEAR(found.dual, dual, 1e-9) << "C = " << step.C;
  EXPECT_NEAR(found.norm, norm, 1e-9) << "C = " << step.C;
}

/// 1/2 |w|^2 + C (sum of xi + sum of d_i y_i (w x_i + b)), the objective of the convex step (equation 77).
double primal(const Step& step, const Solved& at) {
  const data::DenseMatrix x = test::six_points();
  double sum = 0;
  for (std::size_t i = 0; i < 6; ++i) {
    const double y = test::six_labels[i];
    const double linear = at.first * x.row(i)[0] + at.second * x.row(i)[1] + at.bias;
    sum += svm::hinge_loss(y * (step.hint[i] + linear)) + step.given_up[i] * y * linear;
  }
  return at.norm / 2 + step.C * sum;
}

TEST(ConvexStepOnSixPoints, HingeWithBias) {
  expect_solution({.C = 0.1}, -0.1, 0.3, -0.3, -0.55, 0.1);
  expect_solution({.C = 1}, -0.4, 0.8, -0.6, -3.6, 0.8);
  expect_solution({.C = 10}, -0.4, 0.8, -0.6, -32.4, 0.8);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(solved({.C = 0.1}).beta[i], 0.1 * test::six_labels[i], 1e-12);
}

TEST(ConvexStepOnSixPoints, HingeWithoutBias) {
  expect_solution({.C = 0.1, .bias = false}, -0.1, 0.3, 0, -0.55, 0.1);
  expect_solution({.C = 1, .bias = false}, -4.0 / 7, 5.0 / 7, 0, -4.1326530612, 0.8367346939);
}

TEST(ConvexStepOnSixPoints, Hint) {
  expect_solution({.hint = {0.5, -0.5, 0.2, -0.3, -0.4, 0.1}}, -0.16, 0.92, -1.04, -3.216, 0.872);
}

TEST(ConvexStepOnSixPoints, OneRowGivenUp) {
  const Step step{.C = 0.2, .given_up = {0, 0, 0, 0, 1, 0}};
  expect_solution(step, -0.08, 0.16, -0.92, -0.784, 0.032);
  EXPECT_NEAR(primal(step, solved(step)), 0.984, 1e-9);
}

TEST(ConvexStepOnSixPoints, PrimalIsMinusTheDualAndTheRowsGivenUp) {
  for (const bool bias : {true, false}) {
    for (const double C : {0.05, 0.2, 1.0, 7.0}) {
      for (std::size_t code = 0; code < 64; code += 5) {
        Step step{.C = C, .bias = bias, .hint = {0.5, -0.5, 0.2, -0.3, -0.4, 0.1}};
        double constant = 0;
        for (std::size_t i = 0; i < 6; ++i) {
          step.given_up[i] = static_cast<int>(code >> i & 1U);
          constant += C * step.given_up[i] * (1 - test::six_labels[i] * step.hint[i]);
        }
        const Solved found = solved(step);
        EXPECT_NEAR(primal(step, found), -found.dual + constant, 1e-8) << "C = " << C << ", given up " << code;
      }
    }
  }
}

TEST(ConvexStepOnTwoPoints, NormIsFourTimesTheSquareOfCUpToOne) {
  test::MatrixRows rows(test::products(test::points(1, {1, -1})));
  const core::Monitor monitor;
  for (const double C : {0.001, 0.1, 0.25, 0.49, 0.5, 0.51, 3.0, 1000.0}) {
    const qp::Problem problem = test::classification_problem({1, -1}, C);
    qp::State state = qp::zero_state(problem);
    qp::solve(rows, problem, state, {.tolerance = 1e-11}, monitor);
    const double w = state.beta[0] - state.beta[1];
    EXPECT_NEAR(w * w, std::min(4 * C * C, 1.0), 1e-9) << C;
    EXPECT_NEAR(qp::bias(problem, state), 0, 1e-9) << C;
  }
}

/// At ascending costs |w|^2 rises and |w|^2 / C^2 falls, whatever rows are given up.
TEST(ConvexStepAtAscendingCosts, NormRisesNoFasterThanTheSquareOfC) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    for (const test::IvanovProblem& one : test::random_ivanov_problems(5 + 9 * seed, seed)) {
      const std::size_t n = one.y.size();
      test::MatrixRows rows(one.k);
      const data::DenseMatrix k = rows.matrix();
      const core::Monitor monitor;
      const std::vector<int> given_up = test::random_signs(n, seed + 77);
      double last = 0;
      double last_ratio = test::infinity;
      for (double C = 1e-4; C < 1e3; C *= 2.1) {
        qp::Problem problem;
        for (std::size_t i = 0; i < n; ++i) {
          const double d = seed % 2 == 0 && given_up[i] > 0 ? 1 : 0;
          problem.linear.push_back(one.y[i] - (one.hint.empty() ? 0 : one.hint[i]));
          problem.lower.push_back(one.y[i] > 0 ? -d * C : -(1 - d) * C);
          problem.upper.push_back(one.y[i] > 0 ? (1 - d) * C : d * C);
        }
        qp::State state = qp::zero_state(problem);
        ASSERT_EQ(qp::solve(rows, problem, state, {.tolerance = 1e-9}, monitor).status, qp::Status::converged);
        const test::PointReport point = test::report(k, problem, state.beta);
        double norm = 0;
        for (std::size_t i = 0; i < n; ++i) norm += state.beta[i] * point.product[i];
        EXPECT_GE(norm, last * (1 - 1e-6)) << one.what << ", C = " << C;
        EXPECT_LE(norm / (C * C), last_ratio * (1 + 1e-6)) << one.what << ", C = " << C;
        last = norm;
        last_ratio = norm / (C * C);
      }
      EXPECT_GT(last, 0) << one.what;
    }
  }
}

}  // namespace ivanov_qps_vs_worked_values_tests
