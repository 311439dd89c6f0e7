#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "credence/qp/solver.hpp"
#include "support/reference_kernel.hpp"
#include "support/reference_qp.hpp"

namespace tiny_problems_vs_closed_form_tests {

using namespace credence;
using test::classification_problem;
using test::MatrixRows;

data::DenseMatrix square(const std::vector<double>& values) {
  const auto n = static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(values.size()))));
  data::DenseMatrix matrix(n, n);
  matrix.values = values;
  return matrix;
}

struct Solved {
  qp::State state;
  qp::Statistics statistics;
  double bias = 0;
};

/// Solves from zero in every way the options offer and expects the same answer of all.
Solved solved(const data::DenseMatrix& k, const qp::Problem& problem) {
  MatrixRows rows(k);
  const core::Monitor monitor;
  Solved first;
  for (const bool newton : {true, false}) {
    for (const bool shrinking : {true, false}) {
      Solved now{qp::zero_state(problem), {}, 0};
      now.statistics =
          qp::solve(rows, problem, now.state, {.tolerance = 1e-9, .newton = newton, .shrinking = shrinking}, monitor);
      now.bias = qp::bias(problem, now.state);
      EXPECT_EQ(now.statistics.status, qp::Status::converged);
      if (first.state.beta.empty()) first = now;
      for (std::size_t i = 0; i < k.rows; ++i) EXPECT_NEAR(now.state.beta[i], first.state.beta[i], 1e-7);
    }
  }
  return first;
}

TEST(TinyProblem, ZeroState) {
  const qp::Problem problem = classification_problem({1, -1, 1}, 2);
  const qp::State state = qp::zero_state(problem);
  EXPECT_EQ(state.beta, (std::vector<double>{0, 0, 0}));
  EXPECT_EQ(state.gradient, (std::vector<double>{-1, 1, -1}));
}

TEST(TinyProblem, TwoPoints) {
  // b = (-t, t) with t = min(C, 2 / (K00 + K11 - 2 K01)); free points have margin one.
  for (const double a : {0.5, 1.0, 3.0}) {
    for (const double c : {-0.25, 0.0, 0.25}) {
      for (const double C : {0.03125, 0.5, 1.0, 1000.0}) {
        const Solved solution = solved(square({a, c, c, 1}), classification_problem({-1, 1}, C));
        const double t = std::min(C, 2 / (a + 1 - 2 * c));
        EXPECT_NEAR(solution.state.beta[0], -t, 1e-7);
        EXPECT_NEAR(solution.state.beta[1], t, 1e-7);
        const double at_first = -t * a + t * c;
        const double at_second = -t * c + t;
        EXPECT_NEAR(solution.bias, -(at_first + at_second) / 2, 1e-7);  // free or not, the middle
        EXPECT_NEAR(qp::objective(classification_problem({-1, 1}, C), solution.state),
                    0.5 * t * t * (a + 1 - 2 * c) - 2 * t, 1e-7);
      }
    }
  }
}

TEST(TinyProblem, TwoEqualPointsOfDifferentClasses) {
  // K is singular along (1, -1): the objective falls without end, so both sit at C.
  const Solved solution = solved(square({1, 1, 1, 1}), classification_problem({1, -1}, 4));
  EXPECT_EQ(solution.state.beta, (std::vector<double>{4, -4}));
  EXPECT_NEAR(solution.bias, 0, 1e-12);
  EXPECT_NEAR(solution.statistics.gap, -1 - 1, 1e-9);  // -1 of the lower row minus 1 of the upper
}

TEST(TinyProblem, ZeroMatrix) {
  const Solved solution =
      solved(square({0, 0, 0, 0, 0, 0, 0, 0, 0}), classification_problem({1, -1, -1}, {1, 0.75, 0.5}));
  EXPECT_NEAR(solution.state.beta[0], 1, 1e-12);
  EXPECT_NEAR(solution.state.beta[1] + solution.state.beta[2], -1, 1e-12);
}

TEST(TinyProblem, ThreePointsOnALine) {
  // x = -1 | 1, 3: the margin lies between -1 and 1, and 3 is no support vector. f(x) = x.
  const std::vector<double> x{-1, 1, 3};
  data::DenseMatrix k(3, 3);
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) k.row(i)[j] = x[i] * x[j];
  const qp::Problem problem = classification_problem({-1, 1, 1}, 10);
  const Solved solution = solved(k, problem);
  EXPECT_NEAR(solution.state.beta[0], -0.5, 1e-7);
  EXPECT_NEAR(solution.state.beta[1], 0.5, 1e-7);
  EXPECT_EQ(solution.state.beta[2], 0);
  EXPECT_NEAR(solution.bias, 0, 1e-7);
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_NEAR(solution.state.gradient[i] + problem.linear[i] + solution.bias, x[i], 1e-6);
}

TEST(TinyProblem, AllAtBounds) {
  for (const std::size_t half : {1U, 2U, 8U, 20U}) {
    std::vector<double> y(2 * half, 1);
    std::fill(y.begin(), y.begin() + static_cast<std::ptrdiff_t>(half), -1);
    data::DenseMatrix k(2 * half, 2 * half);
    for (std::size_t i = 0; i < 2 * half; ++i) k.row(i)[i] = 1;
    const Solved solution = solved(k, classification_problem(y, 0.1));
    for (std::size_t i = 0; i < 2 * half; ++i) EXPECT_DOUBLE_EQ(solution.state.beta[i], 0.1 * y[i]);
    EXPECT_NEAR(solution.bias, 0, 1e-12);
  }
}

TEST(TinyProblem, MoreOfOneClassThanTheOtherCanBalance) {
  // K = I: the two of the smaller class sit at C, the four of the other share -2C equally and are free.
  data::DenseMatrix k(6, 6);
  for (std::size_t i = 0; i < 6; ++i) k.row(i)[i] = 1;
  const qp::Problem problem = classification_problem({1, 1, -1, -1, -1, -1}, 0.5);
  const Solved solution = solved(k, problem);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(solution.state.beta[i], 0.5, 1e-8);
  for (std::size_t i = 2; i < 6; ++i) EXPECT_NEAR(solution.state.beta[i], -0.25, 1e-8);
  EXPECT_NEAR(solution.bias, -0.75, 1e-8);  // the free ones: -0.25 + bias = -1
}

TEST(TinyProblem, WideBoxesAndAnyLinearTerm) {
  // K = I, no bound active: b = p - mean(p), bias = mean(p).
  const std::vector<double> p{3, -1, 0.5, 0, 7, -2.5, 1};
  const double mean = 8.0 / 7;
  data::DenseMatrix k(7, 7);
  for (std::size_t i = 0; i < 7; ++i) k.row(i)[i] = 1;
  const Solved solution = solved(k, {p, std::vector<double>(7, -100), std::vector<double>(7, 100)});
  for (std::size_t i = 0; i < 7; ++i) EXPECT_NEAR(solution.state.beta[i], p[i] - mean, 1e-8);
  EXPECT_NEAR(solution.bias, mean, 1e-8);
}

TEST(TinyProblem, EqualRowsShareTheirWeight) {
  // Three copies of one point of weight C act as one of weight 3C: b = +-min(3C, 2/(K00+K11-2K01)) in total.
  const std::vector<std::size_t> point{0, 0, 0, 1};
  const data::DenseMatrix two = square({1, 0.5, 0.5, 1});
  data::DenseMatrix k(4, 4);
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = 0; j < 4; ++j) k.row(i)[j] = two.row(point[i])[point[j]];
  for (const double C : {0.25, 0.5, 5.0}) {
    const Solved solution = solved(k, classification_problem({1, 1, 1, -1}, {C, C, C, 3 * C}));
    EXPECT_NEAR(solution.state.beta[3], -std::min(3 * C, 2.0), 1e-7);
  }
}

TEST(TinyProblem, NothingCanMove) {
  for (const qp::Problem& problem :
       {qp::Problem{{1, -1, 1}, {0, 0, 0}, {0, 0, 0}}, qp::Problem{{1, 1, 1}, {0, 0, 0}, {5, 5, 5}}}) {
    MatrixRows rows(square({1, 0, 0, 0, 1, 0, 0, 0, 1}));
    qp::State state = qp::zero_state(problem);
    const core::Monitor monitor;
    const qp::Statistics statistics = qp::solve(rows, problem, state, {}, monitor);
    EXPECT_EQ(statistics.status, qp::Status::converged);
    EXPECT_EQ(statistics.steps, 0U);
    EXPECT_EQ(state.beta, (std::vector<double>{0, 0, 0}));
    EXPECT_FALSE(qp::kkt_gap(problem, state) > 0);
  }
}

TEST(Status, HasNames) {
  EXPECT_EQ(qp::name(qp::Status::converged), "converged");
  EXPECT_NE(qp::name(qp::Status::step_limit), qp::name(qp::Status::time_budget));
  EXPECT_NE(qp::name(qp::Status::step_limit), qp::name(qp::Status::cancelled));
}

}  // namespace tiny_problems_vs_closed_form_tests
