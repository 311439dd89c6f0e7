#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "support/rvm_fits.hpp"

namespace credence::rvm {
namespace oracle_fits_vs_known_optima_tests {

using test::fit_of;
using test::SparseProblem;
using test::to_the_fixed_point;
using test::Vector;

std::size_t relevant_kernels(const Fit& fit) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < fit.columns.size(); ++i) count += fit.columns[i] != 0 && fit.gamma[i] > 0.1;
  return count;
}

TEST(KnownOptimum, BiasAlone) {
  SparseProblem problem{data::DenseMatrix(10, 1), Vector(10, 1), data::Task::classification};
  for (double& one : problem.phi.values) one = 1;
  problem.targets[3] = problem.targets[7] = 0;
  const Fit fit = fit_of(problem, to_the_fixed_point());
  EXPECT_NEAR(fit.weights[0], 0.9729941504, 1e-9);
  EXPECT_NEAR(fit.alpha[0], 0.7634589263, 1e-9);
  EXPECT_NEAR(fit.gamma[0], 0.7227800153, 1e-9);
  EXPECT_NEAR(fit.log_evidence, -6.1548169946, 1e-9);
  EXPECT_NEAR(fit.log_posterior, -6.5672315443, 1e-9);
  EXPECT_NEAR(std::exp(fit.log_hessian), 2.7539822826, 1e-8);
  EXPECT_EQ(fit.status, Status::converged);
  EXPECT_TRUE(fit.null_model) << "nothing but a bias";
}

/// phi = +-1 as the labels: e^w = N (1 + w expit(w)), alpha = expit(w) / (w (1 + w expit(w))).
TEST(KnownOptimum, OneSeparatingColumn) {
  for (const double n : {4.0, 10.0, 300.0}) {
    SparseProblem problem{data::DenseMatrix(static_cast<std::size_t>(n), 1), {}, data::Task::classification};
    for (std::size_t i = 0; i < problem.rows(); ++i) {
      problem.targets.push_back(i % 3 == 0 ? 1 : 0);
      problem.phi.row(i)[0] = i % 3 == 0 ? 1 : -1;
    }
    const Fit fit = fit_of(problem, to_the_fixed_point());
    const double w = fit.weights[0];
    const double p = 1 / (1 + std::exp(-w));
    EXPECT_NEAR(w, std::log(n * (1 + w * p)), 1e-7) << n;
    EXPECT_NEAR(fit.alpha[0], p / (w * (1 + w * p)), 1e-8) << n;
    if (n != 10) continue;
    EXPECT_NEAR(w, 3.8691134921, 1e-8);
    EXPECT_NEAR(fit.alpha[0], 0.0528543247, 1e-9);
    EXPECT_NEAR(fit.gamma[0], 0.7912313127, 1e-9);
    EXPECT_NEAR(fit.log_evidence, -1.3854991879, 1e-9);
  }
}

/// alpha = 1 / (t^2 - s2) of each column by itself, infinite where t^2 <= s2.
TEST(KnownOptimum, OrthonormalRegression) {
  SparseProblem problem{data::DenseMatrix(3, 3), {2, 0.3, -1.5}, data::Task::regression};
  for (std::size_t i = 0; i < 3; ++i) problem.phi.row(i)[i] = 1;
  FitOptions options = to_the_fixed_point();
  options.noise_variance = 0.25;
  for (const Algorithm algorithm : {Algorithm::batch, Algorithm::sequential}) {
    options.algorithm = algorithm;
    // A sequence of single changes ends where the best of them brings less than the tolerance.
    if (algorithm == Algorithm::sequential) options.evidence_tolerance = 1e-12;
    const double tolerance = algorithm == Algorithm::batch ? 1e-10 : 1e-5;
    const Fit fit = fit_of(problem, options);
    ASSERT_EQ(fit.columns, (test::Columns{0, 2}));
    EXPECT_NEAR(fit.alpha[0], 4.0 / 15, tolerance);
    EXPECT_NEAR(fit.alpha[1], 0.5, tolerance);
    EXPECT_NEAR(fit.weights[0], 1.875, tolerance);
    EXPECT_NEAR(fit.weights[1], -4.0 / 3, tolerance);
    EXPECT_NEAR(fit.gamma[0], 0.9375, tolerance);
    EXPECT_NEAR(fit.gamma[1], 8.0 / 9, tolerance);
    EXPECT_NEAR(fit.log_evidence, -4.342280707722, 1e-10);
    EXPECT_EQ(fit.noise_variance, 0.25);
    EXPECT_FALSE(fit.null_model);
  }
}

struct SincRow {
  double sigma, evidence, noise_deviation, rmse;
};

double rmse_of_sinc(const SparseProblem& problem, const Fit& fit) {
  const Vector y = test::fitted_values(problem, fit);
  double sum = 0;
  for (std::size_t i = 0; i < y.size(); ++i) sum += std::pow(y[i] - test::sinc((static_cast<double>(i) - 70) / 10), 2);
  return std::sqrt(sum / static_cast<double>(y.size()));
}

TEST(KnownOptimum, SincWithDeterministicNoise) {
  const std::vector<SincRow> rows{{0.5, 97.315, 0.10481, 0.01573},  {1, 107.438, 0.10310, 0.01627},
                                  {1.6, 110.105, 0.10195, 0.01016}, {2, 109.231, 0.10175, 0.00694},
                                  {2.5, 105.210, 0.10195, 0.00502}, {3, 101.190, 0.10227, 0.00879},
                                  {5, 82.375, 0.10279, 0.01169}};
  const FitOptions options{.max_iterations = 2000, .evidence_tolerance = 1e-6, .inner_tolerance = 1e-12};
  std::vector<double> evidence;
  for (const SincRow& row : rows) {
    const SparseProblem problem = test::sinc_problem().with_width(row.sigma);
    const Fit fit = fit_of(problem, options);
    EXPECT_NEAR(fit.log_evidence, row.evidence, 1.5) << row.sigma;
    EXPECT_NEAR(std::sqrt(fit.noise_variance), row.noise_deviation, 1e-3) << row.sigma;
    EXPECT_NEAR(rmse_of_sinc(problem, fit), row.rmse, 0.005) << row.sigma;
    EXPECT_FALSE(fit.null_model) << row.sigma;
    evidence.push_back(fit.log_evidence);
  }
  const auto best = std::max_element(evidence.begin(), evidence.end()) - evidence.begin();
  EXPECT_TRUE(best >= 1 && best <= 3) << "sigma " << rows[static_cast<std::size_t>(best)].sigma;
}

struct SquareRow {
  double sigma, evidence;
  std::size_t kernels;
};

FitOptions long_fit(int starts) {
  return {.starts = starts, .max_iterations = 5000, .evidence_tolerance = 1e-8};
}

/// The optima at these widths do not depend on the start.
TEST(KnownOptimum, UnitSquareWhateverTheStart) {
  for (const SquareRow& row : std::vector<SquareRow>{{0.05, -31.2199, 16}, {1, -35.3924, 2}, {3, -38.0231, 3}}) {
    const SparseProblem problem = test::square_problem().with_width(row.sigma);
    const Fit fit = fit_of(problem, long_fit(1));
    EXPECT_NEAR(fit.log_evidence, row.evidence, 0.01) << row.sigma;
    EXPECT_EQ(relevant_kernels(fit), row.kernels) << row.sigma;
    EXPECT_NEAR(fit_of(problem, long_fit(3)).log_evidence, fit.log_evidence, 1e-4) << row.sigma;
  }
}

TEST(KnownOptimum, UnitSquareAtWidthsWithSeveralOptima) {
  for (const SquareRow& row : std::vector<SquareRow>{{0.3, -31.8605, 3}, {10, -40.4664, 2}}) {
    const Fit fit = fit_of(test::square_problem().with_width(row.sigma), long_fit(1));
    EXPECT_NEAR(fit.log_evidence, row.evidence, 0.1) << row.sigma;
    EXPECT_EQ(relevant_kernels(fit), row.kernels) << row.sigma;
  }
  // Which of its optima is found at this width depends on how exact the modes on the way are.
  FitOptions exact = long_fit(3);
  exact.inner_tolerance = 1e-12;
  const Fit best = fit_of(test::square_problem().with_width(0.1), exact);
  EXPECT_NEAR(best.log_evidence, -26.29, 0.02);
  EXPECT_EQ(best.start, 2) << "from alpha = 1";
}

/// The fixed point of alpha = gamma / w^2, or what is near it: the evidence has no maximum there.
TEST(KnownOptimum, EvidenceOfTheBiasAlone) {
  const FitOptions options = to_the_fixed_point();
  Vector labels(10, 1);
  labels[3] = labels[7] = 0;
  EXPECT_NEAR(null_evidence(labels, data::Task::classification, options), -6.1548169946, 1e-4);
  const Vector balanced = test::square_problem().targets;
  EXPECT_NEAR(null_evidence(balanced, data::Task::classification, options), -60 * std::log(2), 1e-6);
}

/// The bias of a regression is the maximum of log N(t | 0, s2 I + 1 1' / alpha) over alpha and s2.
TEST(KnownOptimum, EvidenceOfTheBiasAloneInRegression) {
  const Vector targets{1.5, 2.5, 1.2, 3.1, 2.2, 1.9, 2.6};
  const double evidence = null_evidence(targets, data::Task::regression, to_the_fixed_point());
  const SparseProblem problem{data::DenseMatrix(7, 1), targets, data::Task::regression};
  SparseProblem ones = problem;
  for (double& one : ones.phi.values) one = 1;
  double best = -1e300;
  for (double alpha = 0.15; alpha < 0.35; alpha *= 1.002)
    for (double noise = 0.2; noise < 1; noise *= 1.002)
      best = std::max(best, test::SlowMode(ones, {0}, {alpha}, noise, {0}, 1e-12).log_evidence());
  EXPECT_NEAR(evidence, best, 2e-5);
  EXPECT_GE(evidence, best - 1e-10);
}

}  // namespace oracle_fits_vs_known_optima_tests
}  // namespace credence::rvm
