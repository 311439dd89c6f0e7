#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "credence/qp/solver.hpp"
#include "qp/workspace.hpp"
#include "support/qp_cases.hpp"

namespace warm_equals_cold_tests {

using namespace credence;
using kernel::KernelType;
using test::classification_problem;
using test::expect_kkt;
using test::expect_same_solution;
using test::QpCase;
using test::random_case;

/// Carries a solution to boxes that are `ratio` times as large: K b = gradient + linear scales.
void rescale(const qp::Problem& old_problem, double ratio, qp::State& state) {
  for (std::size_t i = 0; i < state.beta.size(); ++i) {
    state.beta[i] *= ratio;
    state.gradient[i] = ratio * (state.gradient[i] + old_problem.linear[i]) - old_problem.linear[i];
  }
}

TEST(WarmStart, AlongCEqualsCold) {
  for (const std::size_t n : {2U, 9U, 40U, 150U}) {
    for (const double gamma : {0.01, 0.3, 10.0}) {
      QpCase problem = random_case(n, 4, {.type = KernelType::rbf, .gamma = gamma}, 0.03125, n);
      qp::State warm = qp::zero_state(problem.problem);
      for (double C = 0.03125; C <= 2048; C *= 4) {
        const std::string what =
            "n " + std::to_string(n) + ", gamma " + std::to_string(gamma) + ", C " + std::to_string(C);
        if (C > 0.03125) {
          if (qp::meets_bound(problem.problem, warm)) rescale(problem.problem, 4, warm);
          problem.problem = classification_problem(problem.y, C);
          test::expect_feasible(problem.k, problem.problem, warm, "rescaled, " + what);
        }
        const qp::Statistics warm_statistics = test::solve(problem, warm, {.tolerance = 1e-5});
        expect_kkt(problem.k, problem.problem, warm, warm_statistics, 1e-5, "warm, " + what);
        qp::State cold = qp::zero_state(problem.problem);
        const qp::Statistics cold_statistics = test::solve(problem, cold, {.tolerance = 1e-5});
        expect_kkt(problem.k, problem.problem, cold, cold_statistics, 1e-5, "cold, " + what);
        expect_same_solution(problem.k, problem.problem, warm.beta, cold.beta, what);
      }
    }
  }
}

TEST(WarmStart, FromASolutionNeedsNoStep) {
  QpCase problem = random_case(80, 4, {.type = KernelType::rbf, .gamma = 0.3}, 4, 1);
  qp::State state = qp::zero_state(problem.problem);
  test::solve(problem, state, {});
  const qp::State before = state;
  const qp::Statistics again = test::solve(problem, state, {});
  EXPECT_EQ(again.steps, 0U);
  EXPECT_EQ(again.status, qp::Status::converged);
  EXPECT_EQ(state.beta, before.beta);
}

TEST(WarmStart, FromAnyFeasiblePoint) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    QpCase problem = random_case(70, 4, {.type = KernelType::rbf, .gamma = 0.3}, 8, seed);
    core::RandomStream random(seed, 9);
    qp::State warm = qp::zero_state(problem.problem);
    std::vector<std::size_t> positive;
    std::vector<std::size_t> negative;
    for (std::size_t i = 0; i < 70; ++i) (problem.y[i] > 0 ? positive : negative).push_back(i);
    for (std::size_t pair = 0; pair < std::min(positive.size(), negative.size()); ++pair) {
      const double t = random.below(2) == 0 ? 8.0 : 8 * random.uniform();
      warm.beta[positive[pair]] = t;
      warm.beta[negative[pair]] = -t;
    }
    warm.gradient = test::report(problem.k, problem.problem, warm.beta).gradient;
    const qp::Statistics statistics = test::solve(problem, warm, {.tolerance = 1e-6});
    expect_kkt(problem.k, problem.problem, warm, statistics, 1e-6, "warm");
    qp::State cold = qp::zero_state(problem.problem);
    test::solve(problem, cold, {.tolerance = 1e-6});
    expect_same_solution(problem.k, problem.problem, warm.beta, cold.beta, "any feasible point");
  }
}

TEST(WarmStart, StatesWithinTheirBoundsSolveTheLargerProblem) {
  // Separable clouds: from some C on nothing sits at its bound and the rest of the path is free.
  const test::Clouds clouds = test::random_clouds(40, 3, 2, 6.0, 2);
  std::vector<double> y;
  for (const int c : clouds.classes) y.push_back(c == 1 ? 1 : -1);
  QpCase problem(test::reference_block({.gamma = 0.1}, clouds.x, clouds.x), y, 4096);
  qp::State state = qp::zero_state(problem.problem);
  test::solve(problem, state, {.tolerance = 1e-6});
  ASSERT_FALSE(qp::meets_bound(problem.problem, state));
  problem.problem = classification_problem(y, 4 * 4096.0);
  const qp::Statistics statistics = test::solve(problem, state, {.tolerance = 1e-6});
  EXPECT_EQ(statistics.steps, 0U);
  expect_kkt(problem.k, problem.problem, state, statistics, 1e-6, "kept");
}

TEST(ScaledProblem, HasTheScaledSolution) {
  // K / 4 with boxes times 4: b is four times as large, decisions are the same.
  QpCase one = random_case(60, 4, {.type = KernelType::rbf, .gamma = 0.3}, 2, 5);
  data::DenseMatrix quarter = one.k;
  for (double& value : quarter.values) value /= 4;
  QpCase four(quarter, one.y, 8);
  qp::State a = qp::zero_state(one.problem);
  qp::State b = qp::zero_state(four.problem);
  test::solve(one, a, {.tolerance = 1e-8});
  test::solve(four, b, {.tolerance = 1e-8});
  for (double& beta : b.beta) beta /= 4;
  expect_same_solution(one.k, one.problem, a.beta, b.beta, "scaled");
}

}  // namespace warm_equals_cold_tests
