#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "credence/core/random.hpp"
#include "support/random_data.hpp"
#include "support/reference_kernel.hpp"
#include "support/reference_qp.hpp"

namespace credence::test {

/// A random classification problem on a float matrix, with labels of which some are wrong.
struct QpCase {
  MatrixRows rows;
  data::DenseMatrix k;  ///< what `rows` holds, in double
  std::vector<double> y;
  qp::Problem problem;

  QpCase(const data::DenseMatrix& matrix, std::vector<double> signs, double C)
      : rows(matrix), k(rows.matrix()), y(std::move(signs)), problem(classification_problem(y, C)) {}
};

inline std::vector<double> noisy_signs(const std::vector<int>& classes, double noise, std::uint64_t seed) {
  core::RandomStream random(seed, 103);
  std::vector<double> y;
  for (const int c : classes) y.push_back((c == 1) != (random.uniform() < noise) ? 1 : -1);
  y.front() = -1;  // both signs always occur
  y.back() = 1;
  return y;
}

inline QpCase random_case(std::size_t n, std::size_t d, const kernel::Kernel& kernel, double C, std::uint64_t seed) {
  const Clouds clouds = random_clouds(n, d, 2, 0.8, seed);
  return {reference_block(kernel, clouds.x, clouds.x), noisy_signs(clouds.classes, 0.1, seed), C};
}

/// Size of the rounding errors of K b in double.
inline double rounding(const data::DenseMatrix& k, const std::vector<double>& beta) {
  double sum = 0;
  for (const double b : beta) sum += std::abs(b);
  return 1e-11 * (1 + sum * largest(k.values));
}

inline qp::Statistics solve(QpCase& test_case, qp::State& state, const qp::Options& options) {
  const core::Monitor monitor;
  return qp::solve(test_case.rows, test_case.problem, state, options, monitor);
}

/// The state is feasible and its gradient is the true one, whatever its status.
inline void expect_feasible(const data::DenseMatrix& k, const qp::Problem& problem, const qp::State& state,
                            const std::string& what) {
  const PointReport point = report(k, problem, state.beta);
  double box = 1;
  for (std::size_t i = 0; i < k.rows; ++i) box = std::max({box, problem.upper[i], -problem.lower[i]});
  EXPECT_LE(point.sum, 1e-9 * box) << what;
  EXPECT_LE(point.outside, 1e-9 * box) << what;
  const double error = rounding(k, state.beta);
  for (std::size_t i = 0; i < k.rows; ++i)
    ASSERT_NEAR(state.gradient[i], point.gradient[i], error) << what << ", gradient of row " << i;
}

/// Feasible, stationary to the tolerance, and consistent with what the library says of it.
inline void expect_kkt(const data::DenseMatrix& k, const qp::Problem& problem, const qp::State& state,
                       const qp::Statistics& statistics, double tolerance, const std::string& what) {
  EXPECT_EQ(statistics.status, qp::Status::converged) << what;
  expect_feasible(k, problem, state, what);
  const PointReport point = report(k, problem, state.beta);
  const double error = rounding(k, state.beta);
  EXPECT_LE(point.gap, tolerance * (1 + 1e-6) + 2 * error) << what;
  EXPECT_NEAR(statistics.gap, point.gap, 2 * error) << what;
  EXPECT_NEAR(qp::kkt_gap(problem, state), point.gap, 2 * error) << what;
  EXPECT_NEAR(qp::bias(problem, state), point.bias, 2 * error) << what;
  EXPECT_NEAR(qp::objective(problem, state), point.objective, 1e-9 * (1 + std::abs(point.objective)) + error) << what;
}

/// Two solutions of one problem with positive semidefinite matrix: (Kb)_i may differ by what is left to the optimum.
inline void expect_same_solution(const data::DenseMatrix& k, const qp::Problem& problem, const std::vector<double>& a,
                                 const std::vector<double>& b, const std::string& what) {
  const PointReport one = report(k, problem, a);
  const PointReport two = report(k, problem, b);
  const double error = rounding(k, a) + rounding(k, b);
  EXPECT_NEAR(one.objective, two.objective, std::max(one.suboptimality, two.suboptimality) + error * (1 + largest(a)))
      << what;
  const double distance = one.distance_to_optimum() + two.distance_to_optimum();
  for (std::size_t i = 0; i < k.rows; ++i) {
    ASSERT_NEAR(one.product[i], two.product[i], distance * std::sqrt(k.row(i)[i]) + 1e-6 + error)
        << what << ", row " << i;
  }
}

}  // namespace credence::test
