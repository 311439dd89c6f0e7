#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "support/rvm_fits.hpp"

namespace credence::rvm {
namespace sequential_vs_brute_force_tests {

using test::columns_of;
using test::dot;
using test::evidence_with;
using test::fit_of;
using test::KernelProblem;
using test::SparseProblem;
using test::transposed_times;

constexpr double infinity = std::numeric_limits<double>::infinity();

FitOptions sequential() {
  return {.algorithm = Algorithm::sequential};
}

/// The most that one column can bring, by trying values of its alpha (and none at all).
double best_single_change(const SparseProblem& problem, const Posterior& fit, std::uint32_t column) {
  double best = evidence_with(problem, fit, column, infinity);
  for (double exponent = -8; exponent <= 8; exponent += 0.25)
    best = std::max(best, evidence_with(problem, fit, column, std::pow(10, exponent)));
  return best - fit.log_evidence;
}

void expect_fixed_point(const SparseProblem& problem, const Fit& fit, double tolerance, const std::string& what) {
  for (std::uint32_t m = 0; m < problem.phi.columns; ++m)
    EXPECT_LE(best_single_change(problem, fit, m), tolerance) << what << ", column " << m;
}

double null_of(const SparseProblem& problem, const FitOptions& options) {
  return null_evidence(problem.targets, problem.task, options);
}

TEST(Sequential, NoSingleChangeImprovesARegressionWithFixedNoise) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    for (const double sigma : {0.5, 1.0}) {
      const SparseProblem problem = test::random_problem(30, 2, data::Task::regression, seed).with_width(sigma);
      FitOptions options = sequential();
      options.noise_variance = 0.16;
      const Fit fit = fit_of(problem, options);
      expect_fixed_point(problem, fit, 1.01e-4, "seed " + std::to_string(seed));
      EXPECT_GE(fit.log_evidence, null_of(problem, options) - 1e-7) << seed;
    }
  }
}

TEST(Sequential, NoSingleChangeImprovesARegression) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const SparseProblem problem = test::random_problem(30, 2, data::Task::regression, seed).with_width(1);
    const Fit fit = fit_of(problem, sequential());
    expect_fixed_point(problem, fit, 2e-4, "seed " + std::to_string(seed));
    for (const double factor : {0.95, 1.05}) {
      const double other =
          test::posterior_of(problem, fit.columns, fit.alpha, factor * fit.noise_variance).log_evidence;
      EXPECT_LT(other, fit.log_evidence) << "noise variance times " << factor << ", seed " << seed;
    }
    EXPECT_GE(fit.log_evidence, null_of(problem, sequential()) - 1e-7) << seed;
  }
}

/// S and Q of every column at the end, from scratch: what its best change would bring if the curvature of the
/// likelihood stayed, which is what the algorithm goes by. (It does not stay: other alpha may have more evidence.)
TEST(Sequential, NoSingleChangeImprovesAClassificationOfFixedCurvature) {
  int converged = 0;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const SparseProblem problem = test::random_problem(40, 2, data::Task::classification, seed).with_width(0.7);
    const Fit fit = fit_of(problem, sequential());
    EXPECT_GE(fit.log_evidence, null_of(problem, sequential()) - 1e-7) << seed;
    if (fit.status != Status::converged) continue;  // it returned to more evidence, which is no fixed point
    ++converged;
    const data::DenseMatrix phi = columns_of(problem.phi, fit.columns);
    const test::SlowLikelihood there = slow_likelihood(problem, test::fitted_values(problem, fit), 1);
    for (std::uint32_t m = 0; m < problem.phi.columns; ++m) {
      const data::DenseMatrix own = columns_of(problem.phi, {m});
      const test::Vector column(own.values.begin(), own.values.end());
      test::Vector weighted = column;
      for (std::size_t n = 0; n < weighted.size(); ++n) weighted[n] *= there.h[n];
      const test::Vector projected = transposed_times(phi, weighted);
      const double S = dot(column, weighted) - dot(projected, test::times(fit.covariance, projected));
      const double Q = dot(column, there.g);
      const auto at = std::find(fit.columns.begin(), fit.columns.end(), m);
      const double alpha =
          at == fit.columns.end() ? infinity : fit.alpha[static_cast<std::size_t>(at - fit.columns.begin())];
      const double s = std::isinf(alpha) ? S : alpha * S / (alpha - S);
      const double q = std::isinf(alpha) ? Q : alpha * Q / (alpha - S);
      const double best = q * q > s ? s * s / (q * q - s) : infinity;
      // log evidence as a function of this alpha: 0.5 (log alpha - log(alpha + s) + q^2 / (alpha + s))
      const auto part = [&](double a) { return std::isinf(a) ? 0 : 0.5 * (-std::log1p(s / a) + q * q / (a + s)); };
      EXPECT_LE(part(best) - part(alpha), 1.01e-4) << "seed " << seed << ", column " << m;
    }
  }
  EXPECT_GE(converged, 5);
}

TEST(Sequential, StartsFromAlphaOfTheBiasAndReachesTheOptimumOfTheBatchOnAnEasyProblem) {
  const SparseProblem problem = test::sinc_problem().with_width(1.6);
  const Fit fit = fit_of(problem, sequential());
  EXPECT_NEAR(fit.log_evidence, 110.105, 4);
  EXPECT_LT(fit.columns.size(), 15U);
  EXPECT_FALSE(fit.null_model);
  EXPECT_GT(fit.iterations, 0);
  EXPECT_LE(fit.iterations, 20 * sequential().max_iterations);
}

TEST(NullModel, ContradictoryRowsAreFlagged) {
  for (const Algorithm algorithm : {Algorithm::batch, Algorithm::sequential}) {
    for (const double sigma : {0.1, 1.0, 30.0}) {
      const SparseProblem problem = test::contradictory_rows(20, 2, 3).with_width(sigma);
      FitOptions options;
      options.algorithm = algorithm;
      const Fit fit = fit_of(problem, options);
      EXPECT_TRUE(fit.null_model) << sigma;
      ASSERT_GE(fit.columns.size(), 1U) << sigma;
      EXPECT_NEAR(fit.log_evidence, -40 * std::log(2), 1e-3) << sigma;
      for (const double w : fit.weights) EXPECT_NEAR(w, 0, 1e-4) << sigma;
    }
  }
}

double kernel_gamma(const Fit& fit) {
  double sum = 0;
  for (std::size_t i = 0; i < fit.columns.size(); ++i) sum += fit.columns[i] == 0 ? 0 : fit.gamma[i];
  return sum;
}

TEST(NullModel, FlagSaysThatNoKernelSaysAnything) {
  int null_models = 0;
  for (const Algorithm algorithm : {Algorithm::batch, Algorithm::sequential}) {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      for (const double sigma : {1.0, 20.0}) {
        const SparseProblem problem = test::random_labels(40, 3, seed).with_width(sigma);
        FitOptions options;
        options.algorithm = algorithm;
        const Fit fit = fit_of(problem, options);
        ASSERT_GE(fit.columns.size(), 1U);
        EXPECT_EQ(fit.null_model, kernel_gamma(fit) < 1e-3) << "seed " << seed << ", sigma " << sigma;
        null_models += fit.null_model;
        if (fit.null_model) EXPECT_GE(fit.log_evidence, -40 * std::log(2) - 1e-3);
        if (algorithm == Algorithm::sequential)
          EXPECT_GE(fit.log_evidence, null_of(problem, options) - 1e-7) << "seed " << seed << ", sigma " << sigma;
      }
    }
  }
  EXPECT_GT(null_models, 5);
}

/// At large widths no single column helps; the sequential algorithm may stay where it is, but must say so.
TEST(NullModel, TrapOfTheSequentialAlgorithmIsFlagged) {
  for (const double sigma : {20.0, 100.0}) {
    const SparseProblem problem = test::sinc_problem().with_width(sigma);
    const Fit fit = fit_of(problem, sequential());
    EXPECT_EQ(fit.null_model, kernel_gamma(fit) < 1e-3) << sigma;
    EXPECT_GE(fit.log_evidence, null_of(problem, sequential()) - 1e-7) << sigma;
  }
}

TEST(NullModel, NoBiasColumnMeansThatAllColumnsCount) {
  const test::Surroundings surroundings;
  SparseProblem problem{data::DenseMatrix(10, 1), {}, data::Task::classification};
  for (std::size_t i = 0; i < 10; ++i) {
    problem.phi.row(i)[0] = i < 5 ? -1 : 1;
    problem.targets.push_back(i < 5 ? 0 : 1);
  }
  const auto flag = [&](bool bias) {
    return fit(test::basis_of(problem.phi), bias, problem.targets, problem.task, {}, false, surroundings.context)
        .null_model;
  };
  EXPECT_FALSE(flag(false));
  EXPECT_TRUE(flag(true));
}

}  // namespace sequential_vs_brute_force_tests
}  // namespace credence::rvm
