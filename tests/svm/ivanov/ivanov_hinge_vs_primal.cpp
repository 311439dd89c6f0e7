#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "support/ivanov_problems.hpp"

namespace ivanov_hinge_vs_primal_tests {

using namespace credence;
using test::exact_options;
using test::IvanovProblem;

const std::vector<double> rhos{1e-12, 1e-6, 1e-3, 0.03, 0.3, 1, 4, 30, 1e3};

IvanovProblem six() {
  return {test::products(test::six_points()), test::six_labels};
}

double primal_hinge(const data::DenseMatrix& x, const IvanovProblem& problem, double rho, bool bias) {
  test::PrimalProblem primal{x, problem.y, problem.hint, rho, bias};
  primal.cap = std::numeric_limits<double>::infinity();
  return primal.minimum().value;
}

// Worked out apart from this code; a simplex search in the primal agrees to 1e-10.
TEST(IvanovHingeOnSixPoints, WorkedValues) {
  const svm::IvanovSolution small = six().hinge(0.1, exact_options());
  EXPECT_NEAR(small.C, 0.1, 1e-8);
  EXPECT_NEAR(small.norm, 0.1, 1e-9);
  EXPECT_NEAR(small.bias, -0.3, 1e-7);  // the middle of [-0.9, 0.3]
  EXPECT_TRUE(small.binding);
  const svm::IvanovSolution large = six().hinge(0.5, exact_options());
  EXPECT_NEAR(large.C, 0.2236067977, 1e-8);
  EXPECT_NEAR(large.bias, -0.6708203932, 1e-8);
  EXPECT_NEAR(test::mean_soft_loss(test::six_labels, large.decisions), 0.3136610019, 1e-9);
  EXPECT_TRUE(large.binding);
}

TEST(IvanovHingeOnSixPoints, NoBiasMeetsTheWorkedQP) {
  const svm::IvanovSolution found = six().hinge(0.8367346938775511, exact_options(false));
  EXPECT_EQ(found.bias, 0);
  EXPECT_NEAR(found.norm / 2 + 6 * found.loss, 4.1326530612, 1e-7);
}

TEST(IvanovHingeOnSixPoints, InactiveConstraintIsRecognised) {
  for (const double rho : {0.81, 1.0, 10.0, 1e3, 1e12}) {
    const svm::IvanovSolution found = six().hinge(rho, exact_options());
    EXPECT_FALSE(found.binding) << rho;
    EXPECT_NEAR(found.norm, 0.8, 1e-4) << rho;
    EXPECT_NEAR(found.bias, -0.6, 1e-5) << rho;
    EXPECT_NEAR(found.loss, 3.2 / 6, 1e-6) << rho;
  }
  EXPECT_TRUE(six().hinge(0.79, exact_options()).binding);
}

TEST(IvanovHingeOnTwoPoints, ClosedForm) {
  const IvanovProblem two{test::products(test::points(1, {1, -1})), {1, -1}};
  for (const double rho : {1e-12, 1e-6, 0.01, 0.25, 0.81, 1.5, 1e12}) {
    for (const bool bias : {true, false}) {
      const svm::IvanovSolution found = two.hinge(rho, exact_options(bias));
      EXPECT_NEAR(test::mean_soft_loss(two.y, found.decisions), std::max(0.0, (1 - std::sqrt(rho)) / 2), 1e-9) << rho;
      EXPECT_NEAR(found.loss, std::max(0.0, 1 - std::sqrt(rho)), 1e-9) << rho;
      EXPECT_NEAR(found.bias, 0, 1e-8) << rho;
      EXPECT_NEAR(found.norm, std::min(rho, 1.0), 2e-9 * rho) << rho;
      EXPECT_EQ(found.binding, rho < 1) << rho;
      if (rho < 1) EXPECT_NEAR(found.C / (std::sqrt(rho) / 2), 1, 1e-8) << rho;
    }
  }
}

TEST(IvanovHingeOnTwoPoints, OneLabelOnly) {
  const IvanovProblem two{test::products(test::points(1, {1, -1})), {1, 1}};
  for (const double rho : {0.0, 1e-12, 0.25, 1e6}) {
    const svm::IvanovSolution found = two.hinge(rho, exact_options());
    EXPECT_NEAR(found.loss, 0, 1e-9) << rho;
    EXPECT_NEAR(found.bias, 1, 1e-9) << rho;  // the finite end of [1, infinity)
    EXPECT_EQ(found.norm, 0) << rho;
    EXPECT_NEAR(test::mean_soft_loss(two.y, two.hinge(rho, exact_options(false)).decisions), 0.5, 1e-9) << rho;
  }
}

TEST(IvanovHinge, SameAsThePrimalMinimum) {
  for (std::size_t n = 2; n <= 9; ++n) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      for (const std::size_t d : {1U, 2U}) {
        const data::DenseMatrix x = test::coarse_matrix(n, d, 100 * n + seed);
        IvanovProblem problem{test::products(x), test::random_signs(n, seed + n)};
        if (seed != 1) problem.hint = test::random_hint(n, 1.5, seed);
        for (const double rho : rhos) {
          for (const bool bias : {true, false}) {
            const svm::IvanovOptions options = exact_options(bias);
            const svm::IvanovSolution found = problem.hinge(rho, options);
            const std::string what = std::to_string(d) + " dimensions, " + std::to_string(n) + " rows, seed " +
                                     std::to_string(seed) + ", rho " + std::to_string(rho);
            const double least = primal_hinge(x, problem, rho, bias);
            // Without a bias the least loss may ask for coefficients whose sum float kernel values cannot carry.
            const double accuracy = bias ? 2e-8 * (1 + std::sqrt(rho)) : 2e-4;
            EXPECT_NEAR(found.loss, least, accuracy) << what << (bias ? "" : ", no bias");
            EXPECT_NEAR(test::mean_hinge_loss(problem.y, found.decisions), found.loss, 1e-12) << what;
            test::expect_consistent(problem, found, rho, options, what);
          }
        }
      }
    }
  }
}

/// At a minimum the hinge losses are the dual value (p's - sqrt(rho s'Ks)) / (n C): no reference is needed.
TEST(IvanovHinge, HasNoDualityGap) {
  const std::vector<std::size_t> sizes{5, 13, 30, 60};
  for (const std::size_t n : sizes) {
    for (const IvanovProblem& problem : test::random_ivanov_problems(n, n)) {
      for (const double rho : {1e-6, 1e-2, 0.5, 5.0, 100.0}) {
        for (const bool bias : {true, false}) {
          const svm::IvanovOptions options = exact_options(bias);
          const svm::IvanovSolution found = problem.hinge(rho, options);
          test::expect_consistent(problem, found, rho, options, problem.what);
          double value = -std::sqrt((found.binding ? rho : found.norm) * found.norm);
          for (std::size_t i = 0; i < n; ++i)
            value += found.beta[i] * (problem.y[i] - (problem.hint.empty() ? 0 : problem.hint[i]));
          ASSERT_GT(found.C, 0) << problem.what << ", rho " << rho;
          const double tolerance = 1e-7 * (1 + std::sqrt(rho)) + (found.binding ? 0 : found.norm / found.C);
          EXPECT_NEAR(found.loss, value / (found.C * static_cast<double>(n)), tolerance)
              << problem.what << ", rho " << rho << (bias ? "" : ", no bias");
        }
      }
    }
  }
}

TEST(IvanovHinge, LossFallsAndNormRisesWithRho) {
  for (const IvanovProblem& problem : test::random_ivanov_problems(25, 9)) {
    double last_loss = std::numeric_limits<double>::infinity();
    double last_norm = 0;
    for (const double rho : rhos) {
      const svm::IvanovSolution found = problem.hinge(rho, exact_options());
      EXPECT_LE(found.loss, last_loss + 1e-8) << problem.what << ", rho " << rho;
      EXPECT_GE(found.norm, last_norm * (1 - 1e-6)) << problem.what << ", rho " << rho;
      last_loss = found.loss;
      last_norm = found.norm;
    }
  }
}

/// With the default tolerances too the norm is what was asked for, and the loss nearly least.
TEST(IvanovHinge, DefaultTolerances) {
  for (const std::size_t n : {13U, 60U}) {
    for (const IvanovProblem& problem : test::random_ivanov_problems(n, 5)) {
      for (const double rho : rhos) {
        if (rho < 1e-6) continue;  // decision values would be below the solver's tolerance
        const svm::IvanovOptions options;
        const svm::IvanovSolution found = problem.hinge(rho, options);
        test::expect_consistent(problem, found, rho, options, problem.what);
        if (found.binding) EXPECT_GE(found.norm, rho * (1 - options.norm_tolerance)) << problem.what << ", rho " << rho;
        EXPECT_NEAR(found.loss, problem.hinge(rho, exact_options()).loss, 2e-3) << problem.what << ", rho " << rho;
        // Rows that no w separates stay at C however large: C must not grow until beta'K beta is rounding errors.
        double norm = 0;
        for (std::size_t i = 0; i < n; ++i)
          norm += found.beta[i] * (found.decisions[i] - found.bias - (problem.hint.empty() ? 0 : problem.hint[i]));
        EXPECT_NEAR(norm, found.norm, 1e-3 * rho) << problem.what << ", rho " << rho;
      }
    }
  }
}

}  // namespace ivanov_hinge_vs_primal_tests
