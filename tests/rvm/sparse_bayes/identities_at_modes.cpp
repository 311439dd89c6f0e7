#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include "support/column_optimum.hpp"
#include "support/rvm_fits.hpp"

namespace credence::rvm {
namespace identities_at_modes_tests {

using test::column_optimum;
using test::ColumnOptimum;
using test::Columns;
using test::columns_of;
using test::dot;
using test::evidence_with;
using test::log_determinant;
using test::posterior_of;
using test::SparseProblem;
using test::transposed_times;
using test::Vector;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// A random problem, some of its columns, random alpha for them (1e-3 to 1e3), and a noise variance.
struct Case {
  SparseProblem problem;
  Columns columns;
  Vector alpha;
  double noise = 1;
  std::string what;

  Posterior posterior() const { return posterior_of(problem, columns, alpha, noise); }
  data::DenseMatrix phi() const { return columns_of(problem.phi, columns); }
};

Case random_case(data::Task task, std::uint64_t seed) {
  core::RandomStream random(seed, 620);
  const std::size_t n = 2 + random.below(45);
  const std::size_t d = 1 + random.below(4);
  const double sigma = std::exp(2 * random.uniform() - 1);
  Case result{test::random_problem(n, d, task, seed).with_width(sigma), {}, {}, 0.01 + random.uniform(), {}};
  for (std::uint32_t m = 0; m <= n; ++m) {
    if (random.uniform() < 0.4) continue;
    result.columns.push_back(m);
    result.alpha.push_back(std::pow(10, 6 * random.uniform() - 3));
  }
  if (result.columns.empty()) {
    result.columns = {1};
    result.alpha = {1};
  }
  if (task == data::Task::classification) result.noise = 1;
  result.what = (task == data::Task::classification ? "classification, seed " : "regression, seed ") +
                std::to_string(seed) + ", n " + std::to_string(n);
  return result;
}

std::vector<Case> random_cases(data::Task task, std::uint64_t count = 25) {
  std::vector<Case> cases;
  for (std::uint64_t seed = 1; seed <= count; ++seed) cases.push_back(random_case(task, seed));
  return cases;
}

std::vector<Case> cases_of_both_tasks() {
  std::vector<Case> cases = random_cases(data::Task::classification);
  for (Case& regression : random_cases(data::Task::regression)) cases.push_back(std::move(regression));
  return cases;
}

/// Phi' g = alpha w, with the default tolerance.
TEST(Modes, TheGradientIsZero) {
  for (const Case& one : cases_of_both_tasks()) {
    const Posterior fit = posterior_of(one.problem, one.columns, one.alpha, one.noise, 1e-10);
    const Vector y = test::times(one.phi(), fit.weights);
    const Vector slope = transposed_times(one.phi(), test::slow_likelihood(one.problem, y, one.noise).g);
    for (std::size_t i = 0; i < slope.size(); ++i) {
      const double scale = 1 + std::abs(slope[i]);
      EXPECT_NEAR(slope[i], fit.alpha[i] * fit.weights[i], 1e-6 * scale) << one.what;
    }
  }
}

/// C = H^-1, gamma_i = 1 - alpha_i C_ii.
TEST(Modes, CovarianceIsTheInverseHessianAndGammaItsDiagonal) {
  for (const Case& one : cases_of_both_tasks()) {
    const Posterior fit = one.posterior();
    const Vector h = slow_likelihood(one.problem, test::times(one.phi(), fit.weights), one.noise).h;
    data::DenseMatrix hessian = test::weighted_gram(one.phi(), h);
    const std::size_t m = one.columns.size();
    ASSERT_EQ(fit.covariance.rows, m);
    ASSERT_EQ(fit.covariance.columns, m);
    for (std::size_t i = 0; i < m; ++i) hessian.row(i)[i] += one.alpha[i];
    const data::DenseMatrix expected = test::inverse(test::cholesky(hessian));
    for (std::size_t i = 0; i < m; ++i) {
      EXPECT_GE(fit.gamma[i], 0) << one.what;
      EXPECT_LE(fit.gamma[i], 1) << one.what;
      const double diagonal = fit.covariance.row(i)[i];
      EXPECT_NEAR(diagonal, (1 - fit.gamma[i]) / fit.alpha[i], 1e-10 * (1 / fit.alpha[i])) << one.what;
      for (std::size_t j = 0; j < m; ++j) {
        const double size = std::sqrt(expected.row(i)[i] * expected.row(j)[j]);
        EXPECT_NEAR(fit.covariance.row(i)[j], expected.row(i)[j], 1e-7 * size) << one.what;
      }
    }
  }
}

/// log evidence = log Q + (M/2) log 2 pi - 0.5 log |H| with everything computed anew at the weights.
TEST(Modes, EvidenceIsTheLaplaceApproximation) {
  for (const Case& one : cases_of_both_tasks()) {
    const Posterior fit = one.posterior();
    const test::SlowLikelihood there = slow_likelihood(one.problem, test::times(one.phi(), fit.weights), one.noise);
    data::DenseMatrix hessian = test::weighted_gram(one.phi(), there.h);
    double log_prior = 0;
    for (std::size_t i = 0; i < one.alpha.size(); ++i) {
      hessian.row(i)[i] += one.alpha[i];
      log_prior += 0.5 * std::log(one.alpha[i] / (2 * std::numbers::pi));
      log_prior -= 0.5 * one.alpha[i] * fit.weights[i] * fit.weights[i];
    }
    const double log_hessian = log_determinant(test::cholesky(hessian));
    const double m = static_cast<double>(one.alpha.size());
    EXPECT_NEAR(fit.log_likelihood, there.value, 1e-9 * (1 + std::abs(there.value))) << one.what;
    EXPECT_NEAR(fit.log_posterior, there.value + log_prior, 1e-8) << one.what;
    EXPECT_NEAR(fit.log_hessian, log_hessian, 1e-7) << one.what;
    EXPECT_NEAR(fit.log_evidence,
                there.value + log_prior + 0.5 * m * std::log(2 * std::numbers::pi) - 0.5 * log_hessian, 1e-7)
        << one.what;
  }
}

/// log N(t | 0, s2 I + Phi A^-1 Phi').
TEST(Modes, EvidenceOfARegressionIsTheMarginalGaussian) {
  for (const Case& one : random_cases(data::Task::regression)) {
    const std::size_t n = one.problem.rows();
    const data::DenseMatrix phi = one.phi();
    data::DenseMatrix covariance(n, n);
    for (std::size_t a = 0; a < n; ++a) {
      for (std::size_t b = 0; b < n; ++b) {
        covariance.row(a)[b] = a == b ? one.noise : 0;
        for (std::size_t i = 0; i < phi.columns; ++i)
          covariance.row(a)[b] += phi.row(a)[i] * phi.row(b)[i] / one.alpha[i];
      }
    }
    const data::DenseMatrix factor = test::cholesky(covariance);
    const Vector& t = one.problem.targets;
    const double expected = -0.5 * (static_cast<double>(n) * std::log(2 * std::numbers::pi) + log_determinant(factor) +
                                    dot(t, test::solve(factor, t)));
    EXPECT_NEAR(one.posterior().log_evidence, expected, 1e-8 * (1 + std::abs(expected))) << one.what;
  }
}

/// With S = alpha gamma, Q = alpha w: 2 dL = Q^2 / (S - alpha) - log(1 - S / alpha).
TEST(ColumnChanges, DeletionCostsWhatTheFormulaSays) {
  for (const Case& one : random_cases(data::Task::regression)) {
    const Posterior fit = one.posterior();
    for (std::size_t i = 0; i < fit.columns.size(); ++i) {
      const double S = fit.alpha[i] * fit.gamma[i];
      const double Q = fit.alpha[i] * fit.weights[i];
      const double gain = 0.5 * (Q * Q / (S - fit.alpha[i]) - std::log(1 - S / fit.alpha[i]));
      const double deleted = evidence_with(one.problem, fit, fit.columns[i], infinity);
      EXPECT_NEAR(deleted - fit.log_evidence, gain, 1e-7 * (1 + std::abs(gain))) << one.what << ", column " << i;
    }
  }
}

/// With D = 1/alpha' - 1/alpha: 2 dL = Q^2 D / (S D + 1) - log(1 + S D).
TEST(ColumnChanges, ReEstimationBringsWhatTheFormulaSays) {
  for (const Case& one : random_cases(data::Task::regression)) {
    const Posterior fit = one.posterior();
    for (std::size_t i = 0; i < fit.columns.size(); ++i) {
      const double S = fit.alpha[i] * fit.gamma[i];
      const double Q = fit.alpha[i] * fit.weights[i];
      const double changed = fit.alpha[i] * (i % 2 == 0 ? 0.6 : 3.5);
      const double D = 1 / changed - 1 / fit.alpha[i];
      const double gain = 0.5 * (Q * Q * D / (S * D + 1) - std::log(1 + S * D));
      EXPECT_NEAR(evidence_with(one.problem, fit, fit.columns[i], changed) - fit.log_evidence, gain,
                  1e-7 * (1 + std::abs(gain)))
          << one.what << ", column " << i;
    }
  }
}

/// 2 dL = (Q^2 - S) / S + log(S / Q^2) for a new column at its best alpha, S and Q from the covariance of the fit.
TEST(ColumnChanges, AdditionBringsWhatTheFormulaSays) {
  int added = 0;
  for (const Case& one : random_cases(data::Task::regression)) {
    const Posterior fit = one.posterior();
    const data::DenseMatrix phi = one.phi();
    const Vector slope = slow_likelihood(one.problem, test::times(phi, fit.weights), one.noise).g;
    for (std::uint32_t m = 0; m < one.problem.phi.columns; ++m) {
      if (std::find(one.columns.begin(), one.columns.end(), m) != one.columns.end()) continue;
      const data::DenseMatrix own = columns_of(one.problem.phi, {m});
      const Vector column(own.values.begin(), own.values.end());
      const double Q = dot(column, slope);
      const Vector projected = transposed_times(phi, column);
      const double S = dot(column, column) / one.noise -
                       dot(projected, test::times(fit.covariance, projected)) / (one.noise * one.noise);
      if (!(Q * Q > 1.01 * S) || S < 1e-3) continue;
      ++added;
      const double gain = 0.5 * ((Q * Q - S) / S + std::log(S / (Q * Q)));
      EXPECT_NEAR(evidence_with(one.problem, fit, m, S * S / (Q * Q - S)) - fit.log_evidence, gain,
                  1e-6 * (1 + std::abs(gain)))
          << one.what << ", column " << m;
    }
  }
  EXPECT_GT(added, 20);
}

/// The alpha of `column_optimum` is the best one: none around it has more evidence.
TEST(ColumnChanges, OptimumOfAColumnMaximisesTheEvidence) {
  int finite = 0;
  for (const Case& one : random_cases(data::Task::regression)) {
    const Posterior fit = one.posterior();
    for (std::size_t i = 0; i < fit.columns.size(); ++i) {
      const ColumnOptimum optimum = column_optimum(fit.alpha[i], fit.weights[i], fit.gamma[i]);
      const double best = evidence_with(one.problem, fit, fit.columns[i], optimum.alpha);
      finite += std::isfinite(optimum.alpha);
      const double around = std::isfinite(optimum.alpha) ? optimum.alpha : fit.alpha[i];
      for (const double factor : {1e-3, 0.5, 0.99, 1.01, 2.0, 1e3})
        EXPECT_LE(evidence_with(one.problem, fit, fit.columns[i], factor * around), best + 1e-9) << one.what;
    }
  }
  EXPECT_GT(finite, 50);
}

/// Two equal columns with 2 alpha each have the prior covariance of one with alpha.
TEST(Duplicates, ShareTheWeightAndLeaveTheEvidence) {
  for (const Case& one : cases_of_both_tasks()) {
    const Posterior fit = one.posterior();
    SparseProblem twice{data::DenseMatrix(one.problem.rows(), 2 * one.columns.size()), one.problem.targets,
                        one.problem.task};
    Vector alpha;
    for (std::size_t i = 0; i < one.columns.size(); ++i) {
      alpha.insert(alpha.end(), 2, 2 * one.alpha[i]);
      for (std::size_t n = 0; n < twice.rows(); ++n) {
        const double value = one.problem.phi.row(n)[one.columns[i]];
        twice.phi.row(n)[2 * i] = twice.phi.row(n)[2 * i + 1] = value;
      }
    }
    const Posterior doubled = posterior_of(twice, test::all_columns(twice), alpha, one.noise);
    EXPECT_NEAR(doubled.log_evidence, fit.log_evidence, 1e-7 * (1 + std::abs(fit.log_evidence))) << one.what;
    for (std::size_t i = 0; i < fit.weights.size(); ++i) {
      const double size = 1 + std::abs(fit.weights[i]);
      EXPECT_NEAR(doubled.weights[2 * i], fit.weights[i] / 2, 1e-6 * size) << one.what;
      EXPECT_NEAR(doubled.weights[2 * i + 1], fit.weights[i] / 2, 1e-6 * size) << one.what;
      EXPECT_NEAR(doubled.gamma[2 * i] + doubled.gamma[2 * i + 1], fit.gamma[i], 1e-7) << one.what;
    }
  }
}

/// The identities hold for whatever `fit` ends with, too.
TEST(Modes, EndOfAFitIsAMode) {
  for (const data::Task task : {data::Task::classification, data::Task::regression}) {
    for (const Algorithm algorithm : {Algorithm::batch, Algorithm::sequential}) {
      for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        const SparseProblem problem = test::random_problem(40, 2, task, seed).with_width(0.8);
        const Fit fit = test::fit_of(problem, {.algorithm = algorithm, .final_tolerance = 1e-20});
        const Posterior again = posterior_of(problem, fit.columns, fit.alpha, fit.noise_variance);
        EXPECT_TRUE(std::is_sorted(fit.columns.begin(), fit.columns.end()));
        EXPECT_NEAR(again.log_evidence, fit.log_evidence, 1e-7);
        EXPECT_NEAR(again.log_likelihood, fit.log_likelihood, 1e-7);
        EXPECT_NEAR(again.log_posterior, fit.log_posterior, 1e-7);
        EXPECT_NEAR(again.log_hessian, fit.log_hessian, 1e-7);
        ASSERT_EQ(again.weights.size(), fit.weights.size());
        ASSERT_EQ(fit.covariance.values.size(), fit.weights.size() * fit.weights.size());
        for (std::size_t i = 0; i < fit.weights.size(); ++i) {
          EXPECT_NEAR(again.weights[i], fit.weights[i], 1e-6 * (1 + std::abs(fit.weights[i])));
          EXPECT_NEAR(again.gamma[i], fit.gamma[i], 1e-7);
          EXPECT_NEAR(again.covariance.row(i)[i], fit.covariance.row(i)[i], 1e-6 * again.covariance.row(i)[i]);
        }
      }
    }
  }
}

}  // namespace identities_at_modes_tests
}  // namespace credence::rvm
