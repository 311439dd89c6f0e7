#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "credence/kernel/gram.hpp"
#include "credence/qp/solver.hpp"
#include "support/qp_cases.hpp"
#include "support/real_data.hpp"

namespace close_box_vs_cold_tests {

using namespace credence;
using test::classification_problem;
using test::QpCase;
using test::random_case;

double sum(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

struct Steps {
  std::uint64_t warm = 0;
  std::uint64_t cold = 0;
  std::size_t closings = 0;
  double ratio() const { return static_cast<double>(cold) / static_cast<double>(warm); }
};

/// Leaves out each support vector of a solved problem, warm and cold.
Steps leave_each_out(kernel::Rows& rows, const qp::Problem& problem, const qp::State& solution) {
  const core::Monitor monitor;
  Steps steps;
  for (std::size_t i = 0; i < solution.beta.size(); ++i) {
    if (solution.beta[i] == 0) continue;
    qp::Problem without = problem;
    qp::State state = solution;
    EXPECT_TRUE(qp::close_box(rows, without, state, i));
    steps.warm += qp::solve(rows, without, state, {}, monitor).steps;
    qp::State cold = qp::zero_state(without);
    steps.cold += qp::solve(rows, without, cold, {}, monitor).steps;
    ++steps.closings;
  }
  return steps;
}

TEST(CloseBox, LeavesAFeasiblePointWithItsExactGradient) {
  for (const std::size_t n : {2U, 3U, 9U, 40U, 150U}) {
    for (const double C : {0.03125, 1.0, 300.0}) {
      QpCase one = random_case(n, 4, {.gamma = 0.3}, C, n);
      qp::State solution = qp::zero_state(one.problem);
      test::solve(one, solution, {});
      for (std::size_t i = 0; i < n; ++i) {
        const std::string what = "n " + std::to_string(n) + ", C " + std::to_string(C) + ", row " + std::to_string(i);
        qp::Problem problem = one.problem;
        qp::State state = solution;
        ASSERT_TRUE(qp::close_box(one.rows, problem, state, i)) << what;
        EXPECT_EQ(state.beta[i], 0) << what;
        EXPECT_EQ(problem.lower[i], 0) << what;
        EXPECT_EQ(problem.upper[i], 0) << what;
        EXPECT_NEAR(sum(state.beta), sum(solution.beta), 1e-12 * C * static_cast<double>(n)) << what;
        const test::PointReport point = test::report(one.k, problem, state.beta);
        EXPECT_LE(point.outside, 0) << what;
        double scale = 1;
        for (const double g : point.gradient) scale = std::max(scale, std::abs(g));
        for (std::size_t k = 0; k < n; ++k)
          ASSERT_NEAR(state.gradient[k], point.gradient[k], 1e-9 * scale) << what << ", gradient " << k;
        for (std::size_t k = 0; k < n; ++k) {
          if (k != i) {
            ASSERT_EQ(problem.upper[k], one.problem.upper[k]);
            ASSERT_EQ(problem.lower[k], one.problem.lower[k]);
          }
        }
      }
    }
  }
}

TEST(CloseBox, SolvesToTheProblemWithoutTheRow) {
  for (const std::size_t n : {9U, 40U, 120U}) {
    for (const double gamma : {0.05, 1.0}) {
      for (const double C : {0.1, 2.0, 100.0}) {
        QpCase one = random_case(n, 4, {.gamma = gamma}, C, n);
        qp::State solution = qp::zero_state(one.problem);
        test::solve(one, solution, {.tolerance = 1e-6});
        for (std::size_t i = 0; i < n; i += 5) {
          const std::string what = "n " + std::to_string(n) + ", gamma " + std::to_string(gamma) + ", C " +
                                   std::to_string(C) + ", row " + std::to_string(i);
          const core::Monitor monitor;
          qp::Problem problem = one.problem;
          qp::State warm = solution;
          ASSERT_TRUE(qp::close_box(one.rows, problem, warm, i)) << what;
          const qp::Statistics statistics = qp::solve(one.rows, problem, warm, {.tolerance = 1e-6}, monitor);
          test::expect_kkt(one.k, problem, warm, statistics, 1e-6, what);
          qp::State cold = qp::zero_state(problem);
          qp::solve(one.rows, problem, cold, {.tolerance = 1e-6}, monitor);
          test::expect_same_solution(one.k, problem, warm.beta, cold.beta, what);
        }
      }
    }
  }
}

TEST(CloseBox, ManyRowsOneAfterAnother) {
  QpCase one = random_case(80, 4, {.gamma = 0.3}, 2, 7);
  qp::State state = qp::zero_state(one.problem);
  test::solve(one, state, {});
  for (std::size_t i = 0; i < 79; ++i) {
    ASSERT_TRUE(qp::close_box(one.rows, one.problem, state, i)) << i;
    test::expect_feasible(one.k, one.problem, state, "after row " + std::to_string(i));
    EXPECT_EQ(state.beta[i], 0);
  }
  // The last row has the sum of all that moved, which is 0 up to rounding. No row is left to take it.
  EXPECT_NEAR(state.beta[79], 0, 80 * 2 * std::numeric_limits<double>::epsilon());
}

TEST(CloseBox, TakesTheCheapestPartnerInClosedForm) {
  // K = I and g = (0, 1, 0.2, 0.3) at beta = (0.5, 0, -0.5, 0): the half of row 0 goes where
  // (g_j - g_0) / 2 + (1/2)^2 / 2 (K_00 + K_jj) is least among those that may grow, which is row 2.
  data::DenseMatrix identity(4, 4);
  for (std::size_t i = 0; i < 4; ++i) identity.row(i)[i] = 1;
  test::MatrixRows rows(identity);
  qp::Problem problem{{0.5, -1, -0.7, -0.3}, {0, 0, -1, 0}, {1, 1, 1, 1}};
  qp::State state{{0.5, 0, -0.5, 0}, {0, 1, 0.2, 0.3}};
  ASSERT_TRUE(qp::close_box(rows, problem, state, 0));
  EXPECT_EQ(state.beta, (std::vector<double>{0, 0, 0, 0}));
  EXPECT_DOUBLE_EQ(state.gradient[0], -0.5);
  EXPECT_DOUBLE_EQ(state.gradient[2], 0.7);

  // Curvature decides between equal slopes: row 3 resembles row 0.
  data::DenseMatrix similar = identity;
  similar.row(0)[3] = similar.row(3)[0] = 0.9;
  test::MatrixRows similar_rows(similar);
  problem = {{0, -0.5, 0, -0.05}, {0, 0, -1, 0}, {1, 1, -0.5, 1}};
  state = {{0.5, 0, -0.5, 0}, {0.5, 0.5, -0.5, 0.5}};
  ASSERT_TRUE(qp::close_box(similar_rows, problem, state, 0));
  EXPECT_EQ(state.beta, (std::vector<double>{0, 0, -0.5, 0.5}));
}

TEST(CloseBox, GoesOnWhereAPartnerIsFull) {
  QpCase one(test::reference_block({.gamma = 0.3}, test::random_matrix(5, 2, 1), test::random_matrix(5, 2, 1)),
             {1, 1, -1, -1, -1}, 1);
  qp::State state{{1, 0.75, -1, -0.5, -0.25}, {}};
  state.gradient = test::report(one.k, one.problem, state.beta).gradient;
  // Row 0 gives 1; no other row can take more than that alone, and rows 1, 3 and 4 only a part.
  one.problem.upper[2] = -1;
  one.problem.lower[2] = -1;
  ASSERT_TRUE(qp::close_box(one.rows, one.problem, state, 0));
  EXPECT_EQ(state.beta, (std::vector<double>{0, 1, -1, 0, 0}));
}

TEST(CloseBox, RefusesWhatTheOthersCannotTakeUp) {
  QpCase one(test::reference_block({.gamma = 0.3}, test::random_matrix(4, 2, 1), test::random_matrix(4, 2, 1)),
             {1, 1, -1, -1}, 1);
  qp::State state{{0.5, 0.5, -0.5, -0.5}, {}};
  state.gradient = test::report(one.k, one.problem, state.beta).gradient;
  one.problem.lower[1] = one.problem.upper[1] = 0.5;  // boxes that do not hold 0
  one.problem.lower[2] = one.problem.upper[2] = -0.5;
  one.problem.upper[3] = -0.25;
  const qp::Problem problem = one.problem;
  const qp::State before = state;
  EXPECT_FALSE(qp::close_box(one.rows, one.problem, state, 0));
  EXPECT_EQ(one.problem.lower, problem.lower);
  EXPECT_EQ(one.problem.upper, problem.upper);
  EXPECT_EQ(state.beta, before.beta);
  EXPECT_EQ(state.gradient, before.gradient);
}

TEST(CloseBox, OfAVariableAtZeroChangesNothingElse) {
  QpCase one = random_case(30, 4, {.gamma = 0.3}, 50, 3);
  qp::State state = qp::zero_state(one.problem);
  test::solve(one, state, {});
  const qp::State before = state;
  for (std::size_t i = 0; i < 30; ++i) {
    if (state.beta[i] != 0) continue;
    ASSERT_TRUE(qp::close_box(one.rows, one.problem, state, i));
    EXPECT_EQ(one.problem.upper[i], one.problem.lower[i]);
  }
  EXPECT_EQ(state.beta, before.beta);
  EXPECT_EQ(state.gradient, before.gradient);
}

TEST(CloseBox, SavesMostStepsOnRandomProblems) {
  Steps all;
  for (const std::size_t n : {60U, 150U, 300U}) {
    for (const double gamma : {0.02, 0.1}) {
      for (const double C : {0.1, 1.0}) {
        QpCase one = random_case(n, 4, {.gamma = gamma}, C, n);
        qp::State solution = qp::zero_state(one.problem);
        test::solve(one, solution, {});
        const Steps some = leave_each_out(one.rows, one.problem, solution);
        all.warm += some.warm;
        all.cold += some.cold;
        all.closings += some.closings;
      }
    }
  }
  RecordProperty("warm_steps", std::to_string(all.warm));
  RecordProperty("cold_steps", std::to_string(all.cold));
  RecordProperty("ratio", std::to_string(all.ratio()));
  EXPECT_GT(all.closings, 500U);
  EXPECT_GT(all.ratio(), 5) << all.warm << " against " << all.cold;
}

TEST(CloseBox, SavesMostStepsOnPima) {
  CREDENCE_NEEDS_SHARED_DATA("pima.csv.gz");
  const test::Clouds pima = test::real_data("pima");
  std::vector<double> y;
  for (const int c : pima.classes) y.push_back(c == 1 ? 1 : -1);
  struct Setting {
    double gamma, C, least_ratio;
  };
  // The more ill-conditioned the problem, the more of a solve is spent near its end, where no start helps.
  for (const Setting& setting : {Setting{0.01, 0.1, 20}, Setting{0.01, 1, 5}, Setting{0.125, 1, 3}}) {
    const kernel::Kernel kernel{.gamma = setting.gamma};
    const kernel::Gram gram(kernel, kernel::Base(kernel.type, data::Features(pima.x)));
    const std::unique_ptr<kernel::Rows> rows = kernel::rows_of(gram);
    const qp::Problem problem = classification_problem(y, setting.C);
    qp::State solution = qp::zero_state(problem);
    const core::Monitor monitor;
    qp::solve(*rows, problem, solution, {}, monitor);
    const Steps steps = leave_each_out(*rows, problem, solution);
    RecordProperty("ratio_gamma_" + std::to_string(setting.gamma) + "_C_" + std::to_string(setting.C),
                   std::to_string(steps.ratio()));
    EXPECT_GT(steps.ratio(), setting.least_ratio)
        << "gamma " << setting.gamma << ", C " << setting.C << ": " << steps.warm << " against " << steps.cold;
  }
}

}  // namespace close_box_vs_cold_tests
