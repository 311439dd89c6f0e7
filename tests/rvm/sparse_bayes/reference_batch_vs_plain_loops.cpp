#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "support/rvm_fits.hpp"

namespace credence::rvm {
namespace reference_batch_vs_plain_loops_tests {

using test::fit_of;
using test::KernelProblem;
using test::slow_fit;
using test::SlowModel;
using test::SparseProblem;
using test::Vector;

struct Case {
  KernelProblem data;
  double sigma = 1;
  std::string what;
};

/// Problems on which the search has one way to go: rounding errors do not decide which optimum it ends in.
std::vector<Case> small_problems() {
  std::vector<Case> cases;
  for (const data::Task task : {data::Task::classification, data::Task::regression}) {
    for (const std::size_t n : {10U, 25U, 40U, 60U}) {
      for (const double sigma : {0.4, 1.0, 2.5}) {
        cases.push_back({test::random_problem(n, 2, task, 7 * n + (n == 60 ? 2 : 1)), sigma,
                         (task == data::Task::regression ? "regression, n " : "classification, n ") +
                             std::to_string(n) + ", sigma " + std::to_string(sigma)});
      }
    }
  }
  cases.push_back({test::square_problem(), 0.05, "unit square, 0.05"});
  cases.push_back({test::square_problem(), 1, "unit square, 1"});
  return cases;
}

FitOptions exact() {
  return {.max_iterations = 3000,
          .evidence_tolerance = 1e-10,
          .alpha_tolerance = 1e-9,
          .inner_tolerance = 1e-12,
          .final_tolerance = 1e-16};
}

void expect_same(const Fit& fit, const SlowModel& slow, double evidence_tolerance, double weight_tolerance,
                 const std::string& what) {
  EXPECT_NEAR(fit.log_evidence, slow.log_evidence, evidence_tolerance) << what;
  EXPECT_EQ(fit.columns, slow.columns) << what;
  if (fit.columns != slow.columns) return;
  for (std::size_t i = 0; i < slow.columns.size(); ++i) {
    // A column on its way out is where the last iteration left it.
    const double tolerance = slow.gamma[i] > 1e-3 ? weight_tolerance : 1e-3;
    EXPECT_NEAR(fit.weights[i], slow.weights[i], tolerance * (1 + std::abs(slow.weights[i]))) << what;
    EXPECT_NEAR(fit.gamma[i], slow.gamma[i], tolerance) << what;
  }
  EXPECT_NEAR(fit.noise_variance, slow.noise, weight_tolerance * slow.noise) << what;
}

TEST(Batch, EndsWhereThePlainLoopsEnd) {
  for (const Case& one : small_problems()) {
    const SparseProblem problem = one.data.with_width(one.sigma);
    expect_same(fit_of(problem, exact()), slow_fit(problem, exact()), 1e-6, 1e-5, one.what);
  }
}

/// The default options stop early, so that only the same rule stops at the same place.
TEST(Batch, DefaultsStopWhereThePlainLoopsStop) {
  for (const Case& one : small_problems()) {
    const SparseProblem problem = one.data.with_width(one.sigma);
    FitOptions options;
    options.inner_tolerance = 1e-12;
    const Fit fit = fit_of(problem, options);
    const SlowModel slow = slow_fit(problem, options);
    EXPECT_EQ(fit.status, slow.status) << one.what;
    EXPECT_NEAR(fit.iterations, slow.iterations, 1) << one.what;
    EXPECT_NEAR(fit.log_evidence, slow.log_evidence, 1e-3) << one.what;
  }
}

TEST(Batch, FixedNoiseEndsWhereThePlainLoopsEnd) {
  FitOptions options = exact();
  for (const double noise : {0.02, 0.5}) {
    options.noise_variance = noise;
    const SparseProblem problem = test::random_problem(30, 2, data::Task::regression, 5).with_width(1);
    expect_same(fit_of(problem, options), slow_fit(problem, options), 1e-6, 1e-5, "noise " + std::to_string(noise));
  }
}

/// Other limits for alpha and another start of the noise go the same way as well.
TEST(Batch, OptionsMeanTheSame) {
  const SparseProblem classes = test::random_problem(30, 2, data::Task::classification, 9).with_width(0.7);
  const SparseProblem numbers = test::random_problem(30, 2, data::Task::regression, 9).with_width(0.7);
  FitOptions options = exact();
  options.alpha_max = 50;
  expect_same(fit_of(classes, options), slow_fit(classes, options), 1e-6, 1e-5, "alpha_max");
  options = exact();
  options.alpha_min = 0.3;
  expect_same(fit_of(classes, options), slow_fit(classes, options), 1e-6, 1e-5, "alpha_min");
  options = exact();
  options.noise_start = 0.7;
  options.max_iterations = 5;
  expect_same(fit_of(numbers, options), slow_fit(numbers, options), 1e-6, 1e-5, "noise_start");
  options = exact();
  options.max_iterations = 7;
  const Fit fit = fit_of(numbers, options);
  EXPECT_EQ(fit.status, Status::iteration_limit);
  EXPECT_EQ(fit.iterations, 7);
  EXPECT_NEAR(fit.log_evidence, slow_fit(numbers, options).log_evidence, 1e-6);
}

/// Several starts: the one with the largest evidence of alpha = 1/N^2, 0.01 and 1.
TEST(Starts, KeepTheLargestEvidence) {
  for (const double sigma : {0.05, 0.1, 0.3, 1.0, 10.0}) {
    const SparseProblem problem = test::square_problem().with_width(sigma);
    FitOptions options{.max_iterations = 1000, .evidence_tolerance = 1e-9, .inner_tolerance = 1e-12};
    double best = -1e300;
    const std::vector<std::optional<double>> firsts{std::nullopt, 0.01, 1.0};
    std::uint64_t steps = 0;
    for (int starts = 1; starts <= 3; ++starts) {
      best = std::max(best, slow_fit(problem, options, firsts[static_cast<std::size_t>(starts) - 1]).log_evidence);
      options.starts = starts;
      const Fit fit = fit_of(problem, options);
      EXPECT_NEAR(fit.log_evidence, best, 1e-5) << sigma << ", starts " << starts;
      EXPECT_LT(fit.start, starts);
      EXPECT_GT(fit.newton_steps, steps) << "counts all starts";
      steps = fit.newton_steps;
    }
  }
}

TEST(Starts, NeverLoseEvidence) {
  for (const data::Task task : {data::Task::classification, data::Task::regression}) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      const SparseProblem problem = test::random_problem(35, 3, task, seed).with_width(1.5);
      double previous = -1e300;
      for (const int starts : {1, 2, 3}) {
        const Fit fit = fit_of(problem, {.starts = starts});
        EXPECT_GE(fit.log_evidence, previous) << "seed " << seed << ", starts " << starts;
        previous = fit.log_evidence;
      }
    }
  }
}

/// Duplicated columns end in the optimum of the single ones, where there is but one.
TEST(Duplicates, EndInTheSameEvidence) {
  for (const SparseProblem& once :
       {test::square_problem().with_width(1), test::random_problem(25, 2, data::Task::regression, 4).with_width(1)}) {
    const std::size_t columns = once.phi.columns;
    SparseProblem twice{data::DenseMatrix(once.rows(), 2 * columns), once.targets, once.task};
    for (std::size_t n = 0; n < once.rows(); ++n)
      for (std::size_t m = 0; m < 2 * columns; ++m) twice.phi.row(n)[m] = once.phi.row(n)[m % columns];
    EXPECT_NEAR(fit_of(twice, exact()).log_evidence, fit_of(once, exact()).log_evidence, 1e-4);
  }
}

}  // namespace reference_batch_vs_plain_loops_tests
}  // namespace credence::rvm
