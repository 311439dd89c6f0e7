#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "credence/qp/solver.hpp"
#include "support/qp_cases.hpp"

namespace random_problems_vs_reference_tests {

using namespace credence;
using kernel::KernelType;
using test::expect_kkt;
using test::QpCase;
using test::random_case;

const std::vector<kernel::Kernel> definite_kernels{
    {.type = KernelType::rbf, .gamma = 0.3},
    {.type = KernelType::rbf, .gamma = 20},
    {.type = KernelType::linear},
    {.type = KernelType::polynomial, .gamma = 0.5, .coef0 = 1, .degree = 2},
    {.type = KernelType::laplacian, .gamma = 0.4}};

class RandomProblem : public testing::TestWithParam<std::size_t> {};

TEST_P(RandomProblem, IsStationaryAndAsGoodAsTheReference) {
  const std::size_t n = GetParam();
  for (std::size_t which = 0; which < definite_kernels.size(); ++which) {
    for (const double C : {0.03125, 1.0, 32.0}) {
      QpCase problem = random_case(n, 3, definite_kernels[which], C, 31 * n + which);
      const std::string what =
          "n " + std::to_string(n) + ", kernel " + std::to_string(which) + ", C " + std::to_string(C);
      const test::PointReport reference =
          test::report(problem.k, problem.problem, test::reference_solution(problem.k, problem.problem, 1e-8, 300000));
      for (const double tolerance : {1e-3, 1e-6}) {
        qp::State state = qp::zero_state(problem.problem);
        const qp::Statistics statistics = test::solve(problem, state, {.tolerance = tolerance});
        expect_kkt(problem.k, problem.problem, state, statistics, tolerance, what);
        const test::PointReport point = test::report(problem.k, problem.problem, state.beta);
        // Between the optimum and what the tolerance may leave.
        const double rounding = 1e-9 * (1 + std::abs(reference.objective));
        EXPECT_LE(point.objective, reference.objective + point.suboptimality + rounding) << what;
        EXPECT_GE(point.objective, reference.objective - reference.suboptimality - rounding) << what;
        const double relative = tolerance == 1e-3 ? 2e-3 : 2e-6;
        EXPECT_NEAR(point.objective, reference.objective,
                    relative * (1 + std::abs(reference.objective)) + reference.suboptimality)
            << what;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, RandomProblem,
                         testing::Values(2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 200));

TEST(AnyBoxes, AreStationaryAndAsGoodAsTheReference) {
  // p and the boxes as hints, multiplicities and the concave-convex procedure make them.
  for (const std::size_t n : {2U, 6U, 17U, 60U, 150U}) {
    core::RandomStream random(n, 5);
    QpCase problem = random_case(n, 4, {.type = KernelType::rbf, .gamma = 0.2}, 1, n);
    for (std::size_t i = 0; i < n; ++i) {
      problem.problem.linear[i] = 2 * random.normal();
      problem.problem.lower[i] = random.below(3) == 0 ? 0 : -3 * random.uniform();
      problem.problem.upper[i] = random.below(3) == 0 ? 0 : 3 * random.uniform();
    }
    for (const bool newton : {true, false}) {
      qp::State state = qp::zero_state(problem.problem);
      const qp::Statistics statistics = test::solve(problem, state, {.tolerance = 1e-7, .newton = newton});
      expect_kkt(problem.k, problem.problem, state, statistics, 1e-7, "n " + std::to_string(n));
      test::expect_same_solution(problem.k, problem.problem, state.beta,
                                 test::reference_solution(problem.k, problem.problem), "n " + std::to_string(n));
    }
  }
}

TEST(Duplicates, SingularMatricesAreSolved) {
  for (const double C : {1.0, 1024.0}) {
    const test::Clouds few = test::random_clouds(12, 3, 2, 0.3, 4);
    std::vector<std::size_t> repeats;
    for (std::size_t i = 0; i < 90; ++i) repeats.push_back(i * i % 12);
    const data::DenseMatrix x = test::rows_of_matrix(few.x, repeats);
    std::vector<double> y;
    for (std::size_t i = 0; i < 90; ++i) y.push_back(i % 3 == 0 ? 1 : -1);  // equal rows of both classes
    QpCase problem(test::reference_block({.gamma = 0.5}, x, x), y, C);
    qp::State state = qp::zero_state(problem.problem);
    const qp::Statistics statistics = test::solve(problem, state, {.tolerance = 1e-5});
    expect_kkt(problem.k, problem.problem, state, statistics, 1e-5, "C " + std::to_string(C));
    test::expect_same_solution(problem.k, problem.problem, state.beta,
                               test::reference_solution(problem.k, problem.problem, 1e-7), "duplicates");
  }
}

TEST(IllConditioned, LargeCAndSmallGammaConverge) {
  for (const double gamma : {std::ldexp(1.0, -15), std::ldexp(1.0, -9), std::ldexp(1.0, -3)}) {
    for (const double C : {1.0, 1024.0, 32768.0}) {
      for (const std::size_t n : {50U, 300U}) {
        QpCase problem = random_case(n, 8, {.type = KernelType::rbf, .gamma = gamma}, C, n);
        qp::State state = qp::zero_state(problem.problem);
        const qp::Statistics statistics = test::solve(problem, state, {});
        expect_kkt(problem.k, problem.problem, state, statistics, 1e-3,
                   "gamma " + std::to_string(gamma) + ", C " + std::to_string(C) + ", n " + std::to_string(n));
        EXPECT_LT(statistics.steps, 1000000U) << gamma << " " << C;
      }
    }
  }
}

TEST(Sigmoid, IndefiniteMatricesEndInAStationaryPoint) {
  for (const std::size_t n : {2U, 10U, 65U, 200U}) {
    for (const double coef0 : {-2.0, 0.0, 1.0}) {
      for (const double C : {1.0, 1024.0}) {
        QpCase problem = random_case(n, 5, {.type = KernelType::sigmoid, .gamma = 1, .coef0 = coef0}, C, n);
        qp::State state = qp::zero_state(problem.problem);
        const qp::Statistics statistics = test::solve(problem, state, {});
        expect_kkt(problem.k, problem.problem, state, statistics, 1e-3,
                   "n " + std::to_string(n) + ", coef0 " + std::to_string(coef0) + ", C " + std::to_string(C));
        EXPECT_LE(qp::objective(problem.problem, state), 1e-12);  // never worse than the start
      }
    }
  }
}

TEST(Random, IndefiniteMatricesEndInAStationaryPoint) {
  for (const std::size_t n : {5U, 40U, 120U}) {
    const data::DenseMatrix half = test::random_matrix(n, n, n);
    data::DenseMatrix k(n, n);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) k.row(i)[j] = half.row(i)[j] + half.row(j)[i];
    std::vector<double> y;
    for (std::size_t i = 0; i < n; ++i) y.push_back(i % 2 == 0 ? 1 : -1);
    QpCase problem(k, y, 10);
    qp::State state = qp::zero_state(problem.problem);
    expect_kkt(problem.k, problem.problem, state, test::solve(problem, state, {}), 1e-3, "n " + std::to_string(n));
  }
}

TEST(Large, TwoThousandRows) {
  QpCase problem = random_case(2000, 6, {.type = KernelType::rbf, .gamma = 0.1}, 32, 8);
  qp::State state = qp::zero_state(problem.problem);
  const qp::Statistics statistics = test::solve(problem, state, {});
  expect_kkt(problem.k, problem.problem, state, statistics, 1e-3, "n 2000");
}

}  // namespace random_problems_vs_reference_tests
