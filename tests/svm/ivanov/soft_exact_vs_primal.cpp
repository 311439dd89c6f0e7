#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "support/ivanov_problems.hpp"

namespace soft_exact_vs_primal_tests {

using namespace credence;
using test::exact_options;
using test::IvanovProblem;

struct Case {
  data::DenseMatrix x;
  IvanovProblem problem;
};

std::vector<Case> cases() {
  std::vector<Case> result;
  for (std::size_t n = 1; n <= 6; ++n) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      for (const std::size_t d : {1U, 2U}) {
        const data::DenseMatrix x = test::coarse_matrix(n, d, 10 * n + seed);
        IvanovProblem problem{test::products(x), test::random_signs(n, seed + n)};
        if (seed % 2 == 0) problem.hint = test::random_hint(n, 1.5, seed);
        problem.what = std::to_string(d) + " dimensions, " + std::to_string(n) + " rows, seed " + std::to_string(seed);
        result.push_back({x, problem});
      }
    }
  }
  return result;
}

double primal_soft(const Case& one, double rho, bool bias) {
  return test::PrimalProblem{one.x, one.problem.y, one.problem.hint, rho, bias}.minimum().value / 2;
}

const std::vector<double> rhos{0, 1e-6, 0.01, 0.3, 1.5, 20, 1e3};

TEST(SoftExact, SameAsThePrimalMinimum) {
  for (const Case& one : cases()) {
    for (const double rho : rhos) {
      for (const bool bias : {true, false}) {
        const svm::IvanovOptions options = exact_options(bias);
        const svm::IvanovSolution found = one.problem.exact(rho, options);
        const std::string what = one.problem.what + ", rho " + std::to_string(rho) + (bias ? "" : ", no bias");
        EXPECT_NEAR(found.loss, primal_soft(one, rho, bias), 1e-7) << what;
        EXPECT_NEAR(found.loss, test::mean_soft_loss(one.problem.y, found.decisions), 1e-12) << what;
        test::expect_consistent(one.problem, found, rho, options, what);
      }
    }
  }
}

/// Repeated points with unlike labels, points on a line, all points at one place, one label only.
TEST(SoftExact, DegenerateCasesAreThePrimalMinimum) {
  const std::vector<data::DenseMatrix> places{
      test::points(2, {1, 2, 1, 2, -1, 0, -1, 0, 1, 2}), test::points(2, {0, 0, 1, 1, 2, 2, 3, 3, -1, -1}),
      test::points(2, {1, 1, 1, 1, 1, 1, 1, 1, 1, 1}), test::points(2, std::vector<double>(10, 0))};
  for (std::size_t place = 0; place < places.size(); ++place) {
    for (const std::size_t code : {0U, 31U, 5U, 9U, 22U}) {
      for (const double rho : {0.0, 1e-12, 0.05, 1.0, 1e8}) {
        for (const bool bias : {true, false}) {
          const Case one{places[place], {test::products(places[place]), test::signs_of(code, 5)}};
          const double least = primal_soft(one, rho, bias);
          const std::string what = "place " + std::to_string(place) + ", labels " + std::to_string(code) + ", rho " +
                                   std::to_string(rho) + (bias ? "" : ", no bias");
          const svm::IvanovSolution exact = one.problem.exact(rho, exact_options(bias));
          EXPECT_NEAR(exact.loss, least, 1e-7) << what;
          test::expect_consistent(one.problem, exact, rho, exact_options(bias), what);
          const svm::IvanovSolution found = test::soft_at(one.problem, rho, exact_options(bias));
          EXPECT_GE(found.loss, least - 1e-7) << what;
          if (bias) EXPECT_LE(found.loss, test::rarer_share(one.problem.y) + 1e-12) << what;
          test::expect_consistent(one.problem, found, rho, exact_options(bias), what);
        }
      }
    }
  }
}

TEST(SoftIvanov, LiesBetweenItsLowerLimitAndWhatItFound) {
  for (const Case& one : cases()) {
    for (const bool bias : {true, false}) {
      test::SoftSweep sweep(one.problem, exact_options(bias));
      for (const double rho : rhos) {
        const double found = sweep.at(rho).loss;
        const double least = primal_soft(one, rho, bias);
        const std::string what = one.problem.what + ", rho " + std::to_string(rho) + (bias ? "" : ", no bias");
        EXPECT_LE(least, found + 1e-8) << what;
        EXPECT_LE(sweep.sweep().lower_limit(), least + 1e-9) << what;
        EXPECT_GE(sweep.sweep().lower_limit(), 0) << what;
      }
    }
  }
}

/// With rbf kernels there is no primal to enumerate: the exact minimum stands between the limits.
TEST(SoftIvanov, LiesAroundTheExactMinimumOfOtherKernels) {
  for (std::size_t n = 4; n <= 10; n += 2) {
    for (const IvanovProblem& problem : test::random_ivanov_problems(n, n)) {
      for (const bool bias : {true, false}) {
        test::SoftSweep sweep(problem, exact_options(bias));
        double last = 1;
        for (const double rho : {1e-6, 0.05, 0.8, 6.0}) {
          const double least = problem.exact(rho, exact_options(bias)).loss;
          const double found = sweep.at(rho).loss;
          EXPECT_LE(sweep.sweep().lower_limit(), least + 1e-9) << problem.what << ", rho " << rho;
          EXPECT_LE(least, found + 1e-8) << problem.what << ", rho " << rho;
          EXPECT_LE(least, last + 1e-8) << problem.what << ", rho " << rho;
          last = least;
        }
      }
    }
  }
}

/// What the limit is made of: the least hinge loss over 1 + max(1, B), B by its formula.
TEST(SoftIvanov, LowerLimitIsTheHingeMinimumOverTheLargestDecision) {
  for (const IvanovProblem& problem : test::random_ivanov_problems(20, 3)) {
    const std::size_t n = problem.y.size();
    const auto f0 = [&](std::size_t i) { return problem.hint.empty() ? 0 : problem.hint[i]; };
    for (const bool bias : {true, false}) {
      for (const double rho : {1e-4, 0.05, 0.8}) {
        double largest = 0;
        double widest = 0;
        double range = 0;
        for (std::size_t i = 0; i < n; ++i) {
          largest = std::max(largest, std::sqrt(rho * problem.k.row(i)[i]) + std::abs(f0(i)));
          for (std::size_t j = 0; j < n; ++j) {
            widest = std::max(widest, problem.k.row(i)[i] + problem.k.row(j)[j] - 2 * problem.k.row(i)[j]);
            range = std::max(range, f0(i) - f0(j));
          }
        }
        largest = bias ? 1 + std::sqrt(rho * widest) + range : largest;
        const double limit = problem.hinge(rho, exact_options(bias)).loss / (1 + std::max(1.0, largest));
        test::SoftSweep sweep(problem, exact_options(bias));
        sweep.at(rho);
        EXPECT_GE(sweep.sweep().lower_limit(), limit * (1 - 1e-5))
            << problem.what << ", rho " << rho << (bias ? "" : ", no bias");
      }
    }
  }
}

/// Larger classes are no less complex.
TEST(SoftExact, ComplexityRisesWithRho) {
  for (const std::size_t n : {5U, 7U}) {
    const data::DenseMatrix k = test::random_ivanov_problems(n, n)[2].k;
    for (const bool bias : {true, false}) {
      double last = 0;
      for (const double rho : {1e-6, 0.01, 0.1, 0.7, 3.0}) {
        double complexity = 0;
        for (std::size_t code = 0; code < std::size_t{1} << (n - 1); ++code)
          complexity += 1 - 2 * IvanovProblem{k, test::signs_of(code, n)}.exact(rho, exact_options(bias)).loss;
        complexity /= static_cast<double>(std::size_t{1} << (n - 1));
        EXPECT_GE(complexity, last - 1e-8) << n << " rows, rho " << rho;
        EXPECT_LE(complexity, 1 + 1e-12) << n << " rows, rho " << rho;
        last = complexity;
      }
    }
  }
}

}  // namespace soft_exact_vs_primal_tests
