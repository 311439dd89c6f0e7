#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "credence/rvm/validity.hpp"
#include "rvm/validity_problems.hpp"

namespace validity_printed_values_tests {

using namespace credence;
using data::Task;
using test::ValidityProblem;

/// x = 0, 1, 2, 3, all of them centres, sigma = 1, with a bias; alpha = 0.5, 1, 2, 3, 4.
ValidityProblem four_points(Task task) {
  ValidityProblem problem{
      {.type = kernel::KernelType::rbf, .gamma = 0.5}, data::DenseMatrix(4, 1), {}, true, {}, {}, task};
  problem.rows.values = {0, 1, 2, 3};
  problem.centres = problem.rows;
  problem.fit.columns = {0, 1, 2, 3, 4};
  problem.fit.alpha = {0.5, 1, 2, 3, 4};
  return problem;
}

ValidityProblem regression() {
  ValidityProblem problem = four_points(Task::regression);
  problem.targets = {0.1, 0.9, 1.1, -0.2};
  problem.fit.noise_variance = 0.04;
  problem.fit.weights = {-0.30944664811, -0.243227177112, 0.927676354916, 0.83682447356, -0.32710169814};
  problem.fit.gamma = {0.85677189051, 0.725331461138, 0.627737796149, 0.430911561848, 0.273887604786};
  problem.fit.log_evidence = -5.868166019325;
  return problem;
}

ValidityProblem classification() {
  ValidityProblem problem = four_points(Task::classification);
  problem.targets = {0, 1, 1, 0};
  problem.fit.weights = {-0.076808541955, -0.136832871255, 0.198334167708, 0.129076982001, -0.03874089744};
  problem.fit.gamma = {0.570340946959, 0.170894639247, 0.084719743189, 0.061510068128, 0.048925496469};
  problem.fit.log_evidence = -3.440169473752;
  return problem;
}

void expect_values(const data::DenseMatrix& matrix, const std::vector<double>& expected, const char* what) {
  ASSERT_EQ(matrix.rows, expected.size()) << what;
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(matrix.row(i)[0], expected[i], 1e-9) << what << i;
}

TEST(KernelValidity, OfFourRegressionPointsTakesThePrintedValues) {
  const rvm::Validity validity = regression().validity({.cap = false});
  expect_values(validity.slope, {-0.232433446335, 2.45279842434, -1.91743309085, 1.116102560923}, "a");
  expect_values(validity.curvature, {1.264209155079, 18.442686970162, 19.377560388143, 2.641125154364}, "b");
  expect_values(validity.log_A, {-0.048921083594, -1.63424961344, -1.572170257469, -0.732796954234}, "log A");
  EXPECT_NEAR(validity.stability, -1.939534595468, 1e-9);
  EXPECT_NEAR(validity.log_validity, -7.807700614793, 1e-9);
  EXPECT_NEAR(regression().validity({.literal = true, .cap = false}).log_validity, -12.402393280816, 1e-9);
  EXPECT_NEAR(validity.effective, 0.725331461138 + 0.627737796149 + 0.430911561848 + 0.273887604786, 1e-12);
  EXPECT_EQ(validity.kernels, 4U);
  EXPECT_EQ(validity.relevant, 4U);
  EXPECT_EQ(validity.capped, 0U);
  EXPECT_EQ(validity.saddles, 0U);
  EXPECT_EQ(regression().validity().log_validity, validity.log_validity) << "the cap, 3, is not met";
}

TEST(KernelValidity, OfFourClassifiedPointsTakesThePrintedValues) {
  const rvm::Validity validity = classification().validity({.cap = false});
  expect_values(validity.slope, {-0.05422875669, 0.087400082545, -0.059071399794, 0.01531283684}, "a");
  expect_values(validity.curvature, {0.087793541247, 0.141597788775, 0.088900008177, 0.025190461952}, "b");
  expect_values(validity.log_A, {1.302014810375, 1.027213382642, 1.284693055824, 1.991115350278}, "log A");
  EXPECT_NEAR(validity.stability, 0.485970469717, 1e-9);
  EXPECT_NEAR(validity.log_validity, -2.954199004035, 1e-9);
  EXPECT_NEAR(classification().validity({.literal = true, .cap = false}).log_validity, -7.548891670058, 1e-9);
  EXPECT_EQ(validity.relevant, 1U);
  EXPECT_EQ(validity.capped, 0U);
}

TEST(KernelValidity, OfFourClassifiedPointsIsCappedAtTheirRange) {
  const rvm::Validity validity = classification().validity();
  const double cap = 1.098612288668;
  expect_values(validity.log_A, {cap, 1.027213382642, cap, cap}, "log A");
  EXPECT_NEAR(validity.stability, 0.396098073094, 1e-9);
  EXPECT_NEAR(validity.log_validity, -3.044071400658, 1e-9);
  EXPECT_EQ(validity.capped, 3U);
}

/// x and sigma in other units: every A changes with the unit, nothing else does.
TEST(KernelValidity, FollowsTheUnitsOfTheFeatures) {
  for (const Task task : {Task::classification, Task::regression}) {
    const ValidityProblem problem = test::random_problem({.gamma = 0.4}, task, false, 11);
    const rvm::Validity before = problem.validity({.cap = false});
    for (const double c : {0.25, 3.7, 1000.0}) {
      ValidityProblem scaled = problem;
      for (double& value : scaled.rows.values) value *= c;
      for (double& value : scaled.centres.values) value *= c;
      scaled.kernel.gamma /= c * c;
      const double shift = static_cast<double>(problem.rows.columns) * std::log(c) * before.effective;
      EXPECT_NEAR(scaled.validity({.cap = false}).log_validity, before.log_validity + shift, 1e-9) << c;
      EXPECT_NEAR(scaled.validity().log_validity, problem.validity().log_validity + shift, 1e-9) << c;
    }
  }
}

/// The basis of the four points, and its posterior for the given columns.
rvm::Posterior posterior_of(const ValidityProblem& problem, const std::vector<std::uint32_t>& columns,
                            const std::vector<double>& alpha) {
  rvm::Basis basis(problem.rows.rows, problem.centres.rows + 1);
  const auto block =
      kernel::kernel_block(problem.kernel, data::Features(problem.rows), data::Features(problem.centres));
  for (std::size_t n = 0; n < basis.rows; ++n) {
    basis.column(0)[n] = 1;
    for (std::size_t i = 0; i < problem.centres.rows; ++i) basis.column(i + 1)[n] = block.row(n)[i];
  }
  const test::Surroundings surroundings;
  return rvm::posterior(basis, columns, alpha, problem.targets, problem.task, problem.fit.noise_variance, false,
                        surroundings.context);
}

TEST(KernelValidity, DoesNotNoticeADeadColumnWhileTheLiteralFormIsOffByHalfLogTwoPi) {
  for (ValidityProblem problem : {regression(), classification()}) {
    problem.fit = posterior_of(problem, {0, 1, 2, 3}, {0.5, 1, 2, 3});
    const double without = problem.validity({.cap = false}).log_validity;
    const double literal = problem.validity({.literal = true, .cap = false}).log_validity;
    problem.fit = posterior_of(problem, {0, 1, 2, 3, 4}, {0.5, 1, 2, 3, 1e14});
    EXPECT_NEAR(problem.validity({.cap = false}).log_validity, without, 1e-6);
    EXPECT_NEAR(problem.validity({.literal = true, .cap = false}).log_validity,
                literal - 0.5 * std::log(2 * std::numbers::pi), 1e-6);
  }
}

/// At a mode sum_n g_n K_ni = alpha_i w_i: the third term of b is alpha_i w_i^2 / sigma^2.
TEST(KernelValidity, AtAModeTheThirdTermOfTheCurvatureIsAlphaTimesTheSquaredWeight) {
  for (ValidityProblem problem : {regression(), classification()}) {
    problem.fit = posterior_of(problem, {0, 1, 2, 3, 4}, {0.5, 1, 2, 3, 4});
    const rvm::Validity validity = problem.validity();
    for (std::size_t i = 0; i < 4; ++i) {
      const double weight = problem.fit.weights[i + 1];
      double others = 0;
      for (std::size_t n = 0; n < 4; ++n) {
        double y = problem.fit.weights[0];
        for (std::size_t k = 0; k < 4; ++k) {
          y += problem.fit.weights[k + 1] *
               std::exp(-0.5 * std::pow(problem.rows.values[n] - problem.rows.values[k], 2));
        }
        const double p = 1 / (1 + std::exp(-y));
        const bool numbers = problem.task == Task::regression;
        const double g = numbers ? (problem.targets[n] - y) / 0.04 : problem.targets[n] - p;
        const double h = numbers ? 1 / 0.04 : p * (1 - p);
        const double step = problem.rows.values[n] - problem.rows.values[i];
        const double value = std::exp(-0.5 * step * step);
        others += weight * weight * h * value * value * step * step - weight * g * value * step * step;
      }
      EXPECT_NEAR(validity.curvature.row(i)[0] - others, problem.fit.alpha[i + 1] * weight * weight, 1e-8) << i;
    }
  }
}

}  // namespace validity_printed_values_tests
