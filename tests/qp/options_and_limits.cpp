#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <string>
#include <thread>
#include <vector>

#include "credence/qp/solver.hpp"
#include "support/qp_cases.hpp"

namespace options_and_limits_tests {

using namespace credence;
using kernel::KernelType;
using test::expect_kkt;
using test::expect_same_solution;
using test::QpCase;
using test::random_case;

TEST(Options, NewtonAndShrinkingDoNotChangeTheSolution) {
  for (const std::size_t n : {3U, 33U, 128U, 400U}) {
    for (const auto& [gamma, C] : std::vector<std::pair<double, double>>{{0.2, 1}, {0.002, 512}, {5, 32}}) {
      QpCase problem = random_case(n, 5, {.type = KernelType::rbf, .gamma = gamma}, C, n);
      std::vector<double> first;
      for (const bool newton : {true, false}) {
        for (const bool shrinking : {true, false}) {
          const std::string what = "n " + std::to_string(n) + ", gamma " + std::to_string(gamma) + ", newton " +
                                   std::to_string(newton) + ", shrinking " + std::to_string(shrinking);
          qp::State state = qp::zero_state(problem.problem);
          const qp::Statistics statistics =
              test::solve(problem, state, {.tolerance = 1e-5, .newton = newton, .shrinking = shrinking});
          expect_kkt(problem.k, problem.problem, state, statistics, 1e-5, what);
          if (!newton) {
            EXPECT_EQ(statistics.factorisations, 0U) << what;
            EXPECT_EQ(statistics.newton_steps, 0U) << what;
          }
          if (first.empty()) first = state.beta;
          expect_same_solution(problem.k, problem.problem, state.beta, first, what);
        }
      }
    }
  }
}

TEST(Options, NewtonEndsTheCrawl) {
  QpCase problem = random_case(300, 8, {.type = KernelType::rbf, .gamma = 0.001}, 32768, 6);
  qp::State with = qp::zero_state(problem.problem);
  qp::State without = qp::zero_state(problem.problem);
  const qp::Statistics newton = test::solve(problem, with, {});
  const qp::Statistics plain = test::solve(problem, without, {.newton = false});
  EXPECT_GT(newton.factorisations, 0U);
  EXPECT_LT(newton.steps * 3, plain.steps);
}

/// Ten normal columns, of which three tell the noisy label: a solution with most variables at their bounds, which a
/// start from zero in large boxes does not come near.
QpCase noisy_sine(std::size_t n, double gamma, double C) {
  core::RandomStream random(5, 41);
  data::DenseMatrix x(n, 10);
  for (double& value : x.values) value = random.normal();
  std::vector<double> y;
  for (std::size_t i = 0; i < n; ++i) {
    const auto row = x.row(i);
    y.push_back(std::sin(2 * row[0]) + row[1] * row[2] + 0.5 * random.normal() > 0 ? 1 : -1);
  }
  return {test::reference_block({.type = KernelType::rbf, .gamma = gamma}, x, x), y, C};
}

TEST(Solve, AStartFarFromTheSolutionOfLargeBoxesIsThatOfSmallerOnes) {
  constexpr std::size_t n = 1500;
  QpCase problem = noisy_sine(n, 0x1p-7, 0x1p15);
  qp::State state = qp::zero_state(problem.problem);
  const qp::Statistics statistics = test::solve(problem, state, {});
  expect_kkt(problem.k, problem.problem, state, statistics, 1e-3, "from zero");
  // By the boxes of the problem alone it took 69 steps a variable.
  EXPECT_LT(statistics.steps, 40 * n);
  EXPECT_GT(statistics.steps, 4 * n);
}

TEST(Options, LargeFreeSetsAreLeftToSmo) {
  QpCase problem = random_case(200, 5, {.type = KernelType::rbf, .gamma = 0.01}, 512, 3);
  qp::State state = qp::zero_state(problem.problem);
  const qp::Statistics statistics = test::solve(problem, state, {.newton_max_free = 1});
  expect_kkt(problem.k, problem.problem, state, statistics, 1e-3, "newton_max_free 1");
  EXPECT_EQ(statistics.factorisations, 0U);
}

TEST(Options, ValidateNamesAllProblems) {
  EXPECT_TRUE(qp::Options{}.validate().empty());
  for (const double tolerance : {0.0, -1.0, std::nan("")})
    EXPECT_EQ((qp::Options{.tolerance = tolerance}.validate().size()), 1U) << tolerance;
}

TEST(Solve, IsDeterministic) {
  QpCase problem = random_case(200, 5, {.type = KernelType::rbf, .gamma = 0.05}, 64, 3);
  qp::State a = qp::zero_state(problem.problem);
  qp::State b = qp::zero_state(problem.problem);
  const qp::Statistics one = test::solve(problem, a, {});
  const qp::Statistics two = test::solve(problem, b, {});
  EXPECT_EQ(a.beta, b.beta);
  EXPECT_EQ(a.gradient, b.gradient);
  EXPECT_EQ(one.steps, two.steps);
  EXPECT_EQ(one.gap, two.gap);
}

TEST(HeldOut, EqualsTrainingWithoutTheRows) {
  for (const double C : {1.0, 256.0}) {
    for (const std::size_t n : {5U, 34U, 120U}) {
      QpCase full = random_case(n, 4, {.type = KernelType::rbf, .gamma = 0.2}, C, n);
      std::vector<std::size_t> kept;
      std::vector<double> signs;
      for (std::size_t i = 0; i < n; ++i) {
        if (i % 4 == 1) {
          full.problem.lower[i] = full.problem.upper[i] = 0;
        } else {
          kept.push_back(i);
          signs.push_back(full.y[i]);
        }
      }
      const auto kept_rows = full.rows.subset(kept);
      const qp::Problem kept_problem = test::classification_problem(signs, C);
      qp::State held = qp::zero_state(full.problem);
      qp::State apart = qp::zero_state(kept_problem);
      const core::Monitor monitor;
      const qp::Statistics statistics = qp::solve(full.rows, full.problem, held, {.tolerance = 1e-7}, monitor);
      qp::solve(*kept_rows, kept_problem, apart, {.tolerance = 1e-7}, monitor);
      expect_kkt(full.k, full.problem, held, statistics, 1e-7, "held out");

      std::vector<double> spread(n, 0);
      for (std::size_t i = 0; i < kept.size(); ++i) spread[kept[i]] = apart.beta[i];
      expect_same_solution(full.k, full.problem, held.beta, spread, "held out");
      EXPECT_NEAR(qp::bias(full.problem, held), qp::bias(kept_problem, apart), 1e-4);

      // The identity that makes resampling cheap, for every row.
      const double bias = qp::bias(full.problem, held);
      const double error = test::rounding(full.k, held.beta);
      for (std::size_t i = 0; i < n; ++i) {
        double decision = bias;
        for (const std::size_t j : kept) decision += full.k.row(i)[j] * held.beta[j];
        ASSERT_NEAR(held.gradient[i] + full.problem.linear[i] + bias, decision, error);
        if (i % 4 == 1) ASSERT_EQ(held.beta[i], 0);
      }
    }
  }
}

/// A problem that takes thousands of steps.
QpCase hard_case() {
  return random_case(600, 8, {.type = KernelType::rbf, .gamma = 0.001}, 32768, 6);
}

TEST(Limits, StepLimit) {
  QpCase problem = hard_case();
  for (const bool newton : {true, false}) {
    qp::State state = qp::zero_state(problem.problem);
    const qp::Statistics statistics = test::solve(problem, state, {.max_steps = 5, .newton = newton});
    EXPECT_EQ(statistics.status, qp::Status::step_limit);
    EXPECT_LE(statistics.steps, 5U);
    test::expect_feasible(problem.k, problem.problem, state, "after five steps");
    EXPECT_LT(qp::objective(problem.problem, state), 0);
    EXPECT_NEAR(statistics.gap, qp::kkt_gap(problem.problem, state), 1e-9);
    EXPECT_GT(statistics.gap, 1e-3);
  }
}

TEST(Limits, StepLimitWithShrinkingLeavesAllGradients) {
  QpCase problem = hard_case();
  qp::State state = qp::zero_state(problem.problem);
  const qp::Statistics statistics = test::solve(problem, state, {.max_steps = 3000, .newton = false});
  EXPECT_EQ(statistics.status, qp::Status::step_limit);
  test::expect_feasible(problem.k, problem.problem, state, "after 3000 steps");
}

TEST(Limits, CancelledAndOutOfTime) {
  QpCase problem = hard_case();
  core::Monitor cancelled;
  cancelled.cancel();
  const core::Monitor spent({}, 0.0);
  qp::State state = qp::zero_state(problem.problem);
  qp::Statistics statistics = qp::solve(problem.rows, problem.problem, state, {.newton = false}, cancelled);
  EXPECT_EQ(statistics.status, qp::Status::cancelled);
  test::expect_feasible(problem.k, problem.problem, state, "cancelled");
  state = qp::zero_state(problem.problem);
  statistics = qp::solve(problem.rows, problem.problem, state, {.newton = false}, spent);
  EXPECT_EQ(statistics.status, qp::Status::time_budget);
  test::expect_feasible(problem.k, problem.problem, state, "out of time");
}

TEST(Limits, CancelFromAnotherThreadEndsSoon) {
  QpCase problem = hard_case();
  core::Monitor monitor;
  std::thread canceller([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    monitor.cancel();
  });
  qp::State state = qp::zero_state(problem.problem);
  const auto start = std::chrono::steady_clock::now();
  const qp::Statistics statistics =
      qp::solve(problem.rows, problem.problem, state, {.tolerance = 1e-13, .newton = false}, monitor);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  canceller.join();
  EXPECT_EQ(statistics.status, qp::Status::cancelled);
  EXPECT_LT(seconds.count(), 1.0);
  test::expect_feasible(problem.k, problem.problem, state, "cancelled on the way");
}

TEST(Limits, AfterALimitTheSolveCanGoOn) {
  QpCase problem = random_case(200, 5, {.type = KernelType::rbf, .gamma = 0.05}, 64, 3);
  qp::State state = qp::zero_state(problem.problem);
  qp::Statistics statistics;
  int rounds = 0;
  do {
    statistics = test::solve(problem, state, {.max_steps = 100});
  } while (statistics.status == qp::Status::step_limit && ++rounds < 10000);
  expect_kkt(problem.k, problem.problem, state, statistics, 1e-3, "in pieces");
  EXPECT_GT(rounds, 0);
}

}  // namespace options_and_limits_tests
