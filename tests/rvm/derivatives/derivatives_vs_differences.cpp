#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "rvm/local_evidence.hpp"
#include "rvm/validity_problems.hpp"

namespace derivatives_vs_differences_tests {

using namespace credence;
using data::Task;
using kernel::KernelType;
using test::ValidityProblem;

struct Differences {
  double slope;
  double curvature;  ///< minus the second derivative
};

/// Central differences of fourth order.
Differences central(const ValidityProblem& problem, std::size_t i, std::size_t j) {
  constexpr long double h = 1e-3L;
  std::array<long double, 5> f{};
  for (int k = 0; k < 5; ++k) f[static_cast<std::size_t>(k)] = test::moved_log_likelihood(problem, i, j, (k - 2) * h);
  return {static_cast<double>((f[0] - 8 * f[1] + 8 * f[3] - f[4]) / (12 * h)),
          static_cast<double>((f[0] - 16 * f[1] + 30 * f[2] - 16 * f[3] + f[4]) / (12 * h * h))};
}

/// Differences of fourth and third order to one side, e = +1 or -1.
Differences to_side(const ValidityProblem& problem, std::size_t i, std::size_t j, int e) {
  constexpr long double h = 1e-4L;
  std::array<long double, 5> f{};
  for (int k = 0; k < 5; ++k) f[static_cast<std::size_t>(k)] = test::moved_log_likelihood(problem, i, j, e * k * h);
  return {static_cast<double>((-25 * f[0] + 48 * f[1] - 36 * f[2] + 16 * f[3] - 3 * f[4]) / (12 * h)),
          static_cast<double>(-(35 * f[0] - 104 * f[1] + 114 * f[2] - 56 * f[3] + 11 * f[4]) / (12 * h * h))};
}

double largest(const data::DenseMatrix& matrix) {
  double most = 0;
  for (const double value : matrix.values) most = std::max(most, std::abs(value));
  return most;
}

TEST(SmoothKernelsVsCentralDifferences, SlopeAndCurvatureOfLogQ) {
  for (const kernel::Kernel& kernel : test::validity_kernels()) {
    if (kernel.type == KernelType::laplacian) continue;
    for (const Task task : {Task::classification, Task::regression}) {
      for (const bool grid : {false, true}) {
        const ValidityProblem problem = test::random_problem(kernel, task, grid, 5);
        const rvm::Validity validity = problem.validity();
        ASSERT_EQ(validity.kernels, 9U);
        for (std::size_t i = 0; i < validity.kernels; ++i) {
          for (std::size_t j = 0; j < problem.rows.columns; ++j) {
            const Differences expected = central(problem, i, j);
            EXPECT_NEAR(validity.slope.row(i)[j], expected.slope, 1e-8 * largest(validity.slope)) << describe(problem);
            EXPECT_NEAR(validity.curvature.row(i)[j], expected.curvature, 1e-8 * largest(validity.curvature))
                << describe(problem);
          }
        }
      }
    }
  }
}

/// On the grid many rows share a coordinate with a centre; otherwise the centre does with itself alone.
TEST(LaplacianVsOneSidedDifferences, SlopeAndCurvatureToTheSideWhereLogQFallsFaster) {
  const kernel::Kernel kernel{.type = KernelType::laplacian, .gamma = 0.7};
  std::size_t falls_nowhere = 0;
  std::size_t falls_to_both = 0;
  for (const Task task : {Task::classification, Task::regression}) {
    for (const bool grid : {false, true}) {
      const ValidityProblem problem = test::random_problem(kernel, task, grid, 7);
      const rvm::Validity validity = problem.validity();
      for (std::size_t i = 0; i < validity.kernels; ++i) {
        for (std::size_t j = 0; j < problem.rows.columns; ++j) {
          const Differences right = to_side(problem, i, j, 1);
          const Differences left = to_side(problem, i, j, -1);
          const double fall = std::max({0.0, -right.slope, -left.slope});
          EXPECT_NEAR(validity.slope.row(i)[j], fall, 1e-8 * largest(validity.slope)) << describe(problem);
          EXPECT_NEAR(validity.curvature.row(i)[j], right.curvature, 1e-6 * largest(validity.curvature));
          EXPECT_NEAR(validity.curvature.row(i)[j], left.curvature, 1e-6 * largest(validity.curvature));
          falls_nowhere += fall == 0 ? 1U : 0U;
          falls_to_both += right.slope < 0 && left.slope < 0 ? 1U : 0U;
        }
      }
    }
  }
  EXPECT_GT(falls_nowhere, 0U) << "the problems should hold this case";
  EXPECT_GT(falls_to_both, 0U);
}

/// Centres that no row has: log Q is smooth there, and a its slope without sign.
TEST(LaplacianVsCentralDifferences, AwayFromKinks) {
  const kernel::Kernel kernel{.type = KernelType::laplacian, .gamma = 0.7};
  ValidityProblem problem = test::random_problem(kernel, Task::classification, true, 8);
  for (double& value : problem.centres.values) value += 0.13;
  const rvm::Validity validity = problem.validity();
  for (std::size_t i = 0; i < validity.kernels; ++i) {
    for (std::size_t j = 0; j < problem.rows.columns; ++j) {
      const Differences expected = central(problem, i, j);
      EXPECT_NEAR(validity.slope.row(i)[j], std::abs(expected.slope), 1e-8 * largest(validity.slope));
      EXPECT_NEAR(validity.curvature.row(i)[j], expected.curvature, 1e-8 * largest(validity.curvature));
    }
  }
}

/// One row, which is the centre: y = w K(x, z) and K = exp(-gamma |z_j - x_j|) along each axis, all in closed form.
TEST(Laplacian, OfASingleRowAtItsCentreFallsToBothSidesIfItsWeightHelps) {
  for (const double weight : {1.5, -1.5}) {
    ValidityProblem problem{{.type = KernelType::laplacian, .gamma = 2}, data::DenseMatrix(2, 1), {}, false, {}, {}};
    problem.rows.values = {0.25, 1000};  // the second is out of reach, but gives the feature a range
    problem.centres = test::rows_of_matrix(problem.rows, {0});
    problem.fit = {.columns = {0}, .weights = {weight}, .alpha = {1}, .gamma = {0.5}, .covariance = {}};
    problem.targets = {1, 0};
    const rvm::Validity validity = problem.validity();
    const double g = 1 / (1 + std::exp(weight));
    const double h = g * (1 - g);
    EXPECT_NEAR(validity.slope.values[0], std::max(0.0, 2 * weight * g), 1e-14) << "d/ds of w K is -gamma w";
    EXPECT_NEAR(validity.curvature.values[0], 4 * weight * weight * h - 4 * weight * g, 1e-14);
    EXPECT_NEAR(validity.log_validity, 0.5 * rvm::log_stability(validity.slope.values[0], validity.curvature.values[0]),
                1e-14);
  }
}

/// u = 0 for all rows: u^(p-1) and u^(p-2) are 0 or 1, and never 0^-1.
TEST(Polynomial, OfLowDegreeAtZeroHasFiniteDerivatives) {
  for (const int degree : {1, 2, 3}) {
    ValidityProblem problem{{.type = KernelType::polynomial, .gamma = 0.5, .coef0 = 0, .degree = degree},
                            data::DenseMatrix(2, 1),
                            {},
                            false,
                            {},
                            {},
                            Task::regression};
    problem.rows.values = {1, 3};
    problem.centres = data::DenseMatrix(1, 1);
    problem.fit = {.columns = {0}, .weights = {2}, .alpha = {1}, .gamma = {0.5}, .noise_variance = 1, .covariance = {}};
    problem.targets = {1, 1};
    const rvm::Validity validity = problem.validity();  // y = 0, g = 1, h = 1
    const double slope = degree == 1 ? 2 * 0.5 * (1 + 3) : 0;
    const double curvature = degree == 1 ? 4 * 0.25 * (1 + 9) : degree == 2 ? -2 * 2 * 0.25 * (1 + 9) : 0;
    EXPECT_NEAR(validity.slope.values[0], slope, 1e-14) << degree;
    EXPECT_NEAR(validity.curvature.values[0], curvature, 1e-14) << degree;
    EXPECT_TRUE(std::isfinite(validity.log_validity));
  }
}

}  // namespace derivatives_vs_differences_tests
