#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/column_optimum.hpp"
#include "support/rvm_fits.hpp"

namespace credence::rvm {
namespace oracle_fixed_alpha_vs_closed_form_tests {

using test::column_optimum;
using test::ColumnOptimum;
using test::evidence_with;
using test::posterior_of;
using test::SparseProblem;
using test::Vector;

const Vector alpha{0.5, 1, 2, 3, 4};

/// Four rows at 0, 1, 2, 3, a bias and four Gaussians of width 1.
SparseProblem four_rows(const Vector& targets, data::Task task) {
  data::DenseMatrix x(4, 1);
  for (std::size_t i = 0; i < 4; ++i) x.row(i)[0] = static_cast<double>(i);
  return {test::gaussian_columns(x, x, 1), targets, task};
}

SparseProblem four_numbers() {
  return four_rows({0.1, 0.9, 1.1, -0.2}, data::Task::regression);
}

SparseProblem four_labels() {
  return four_rows({0, 1, 1, 0}, data::Task::classification);
}

void expect_near(const Vector& actual, const Vector& expected, double tolerance) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) EXPECT_NEAR(actual[i], expected[i], tolerance) << "entry " << i;
}

TEST(FixedAlpha, RegressionHasThePrintedValues) {
  const Posterior fit = posterior_of(four_numbers(), {0, 1, 2, 3, 4}, alpha, 0.04);
  expect_near(fit.weights, {-0.30944664811, -0.243227177112, 0.927676354916, 0.83682447356, -0.32710169814}, 1e-11);
  expect_near(fit.gamma, {0.85677189051, 0.725331461138, 0.627737796149, 0.430911561848, 0.273887604786}, 1e-11);
  EXPECT_EQ(fit.columns, (test::Columns{0, 1, 2, 3, 4}));
  EXPECT_EQ(fit.alpha, alpha);
  EXPECT_EQ(fit.noise_variance, 0.04);
  EXPECT_NEAR(fit.log_likelihood, 1.545334430759, 1e-11);
  EXPECT_NEAR(fit.log_posterior, -3.985411207867, 1e-11);
  EXPECT_NEAR(fit.log_hessian, 12.954894954963, 1e-11);
  EXPECT_NEAR(fit.log_evidence, -5.868166019325, 1e-11);
}

TEST(FixedAlpha, ClassificationHasThePrintedValues) {
  const Posterior fit = posterior_of(four_labels(), {0, 1, 2, 3, 4}, alpha);
  expect_near(fit.weights, {-0.076808541955, -0.136832871255, 0.198334167708, 0.129076982001, -0.03874089744}, 1e-10);
  expect_near(fit.gamma, {0.570340946959, 0.170894639247, 0.084719743189, 0.061510068128, 0.048925496469}, 1e-11);
  EXPECT_NEAR(fit.log_likelihood, -2.611832029816, 1e-11);
  EXPECT_NEAR(fit.log_posterior, -6.042237333576, 1e-11);
  EXPECT_NEAR(fit.log_hessian, 3.985249612400, 1e-11);
  EXPECT_NEAR(fit.log_evidence, -3.440169473752, 1e-11);
}

TEST(FixedAlpha, OptimumOfAColumnHasThePrintedValues) {
  const Posterior fit = posterior_of(four_numbers(), {0, 1, 2, 3, 4}, alpha, 0.04);
  EXPECT_NEAR(fit.alpha[2] * fit.gamma[2], 1.255475592298, 1e-10);
  EXPECT_NEAR(fit.alpha[2] * fit.weights[2], 1.855352709832, 1e-10);
  const ColumnOptimum optimum = column_optimum(fit.alpha[2], fit.weights[2], fit.gamma[2]);
  EXPECT_NEAR(optimum.s, 3.3725572441, 1e-9);
  EXPECT_NEAR(optimum.q, 4.9839943208, 1e-9);
  EXPECT_NEAR(optimum.alpha, 0.5298272762, 1e-9);
}

TEST(FixedAlpha, OptimumIsInfiniteWhereTheColumnIsIrrelevant) {
  // q^2 <= s, that is alpha w^2 <= gamma (1 - gamma)
  EXPECT_EQ(column_optimum(2, 0.3, 0.5).alpha, std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isfinite(column_optimum(2, 0.36, 0.5).alpha));
  EXPECT_EQ(column_optimum(2, 0, 0.5).alpha, std::numeric_limits<double>::infinity());
  EXPECT_EQ(column_optimum(1e9, 0, 0).alpha, std::numeric_limits<double>::infinity());
}

TEST(FixedAlpha, ChangesOfOneColumnChangeTheEvidenceByThePrintedValues) {
  const SparseProblem problem = four_numbers();
  const Posterior fit = posterior_of(problem, {0, 1, 2, 3, 4}, alpha, 0.04);
  EXPECT_NEAR(evidence_with(problem, fit, 2, 1.7) - fit.log_evidence, 0.084191975148, 1e-10);
  EXPECT_NEAR(evidence_with(problem, fit, 2, std::numeric_limits<double>::infinity()) - fit.log_evidence,
              -1.817688430240, 1e-10);
}

/// One of its alpha huge, a column must not count: the reason for the factor (2 pi)^(M/2).
TEST(FixedAlpha, DeadColumnsChangeNothing) {
  for (const SparseProblem& problem : {four_numbers(), four_labels()}) {
    const Posterior without = posterior_of(problem, {0, 1, 2, 4}, {0.5, 1, 2, 4}, 0.04);
    const Posterior with = posterior_of(problem, {0, 1, 2, 3, 4}, {0.5, 1, 2, 1e14, 4}, 0.04);
    EXPECT_NEAR(with.log_evidence, without.log_evidence, 1e-6);
    EXPECT_NEAR(with.log_posterior - 0.5 * with.log_hessian - (without.log_posterior - 0.5 * without.log_hessian),
                -0.9189385332, 1e-6);
    EXPECT_NEAR(with.gamma[3], 0, 1e-12);
    EXPECT_NEAR(with.weights[3], 0, 1e-12);
    EXPECT_NEAR(with.weights[4], without.weights[3], 1e-10);
  }
}

/// w, alpha, evidence of 60 rows of one class: the fixed point is finite.
TEST(FixedAlpha, SingleClassHasAFinitePrintedFixedPoint) {
  SparseProblem problem{data::DenseMatrix(60, 1), Vector(60, 1), data::Task::classification};
  for (double& one : problem.phi.values) one = 1;
  double one_alpha = 1.0 / 3600;
  Posterior fit;
  for (int iteration = 0; iteration < 200; ++iteration) {
    fit = posterior_of(problem, {0}, {one_alpha});
    one_alpha = fit.gamma[0] / (fit.weights[0] * fit.weights[0]);
  }
  EXPECT_NEAR(fit.weights[0], 6.0446, 5e-5);
  EXPECT_NEAR(one_alpha, 0.02348, 5e-6);
  EXPECT_NEAR(fit.log_evidence, -1.5461, 5e-5);
}

}  // namespace oracle_fixed_alpha_vs_closed_form_tests
}  // namespace credence::rvm
