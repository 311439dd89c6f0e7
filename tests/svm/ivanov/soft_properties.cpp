#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "support/ivanov_problems.hpp"

namespace soft_properties_tests {

using namespace credence;
using test::exact_options;
using test::IvanovProblem;

const std::vector<double> rhos{1e-6, 1e-4, 5e-3, 0.05, 0.3, 1, 4, 20};

/// Calls check(problem, options) on random problems of several sizes, with and without bias.
template <class Check>
void on_random_problems(const svm::IvanovOptions& base, Check&& check) {
  const std::vector<std::size_t> sizes{5, 8, 13, 25, 60};
  for (const std::size_t n : sizes) {
    for (std::uint64_t seed = 1; seed <= 2; ++seed) {
      for (const IvanovProblem& problem : test::random_ivanov_problems(n, 31 * seed + n)) {
        for (const bool bias : {true, false}) {
          svm::IvanovOptions options = base;
          options.bias = bias;
          check(problem, options);
        }
      }
    }
  }
}

std::string at(const IvanovProblem& problem, double rho, const svm::IvanovOptions& options) {
  return problem.what + ", rho " + std::to_string(rho) + (options.bias ? "" : ", no bias");
}

TEST(SoftIvanovProperties, SolutionIsWhatItSays) {
  for (const bool tight : {true, false}) {
    on_random_problems(tight ? exact_options() : svm::IvanovOptions{}, [&](const IvanovProblem& problem,
                                                                           const svm::IvanovOptions& options) {
      test::SoftSweep sweep(problem, options);
      for (const double rho : rhos) {
        const svm::IvanovSolution& found = sweep.at(rho);
        const std::string what = at(problem, rho, options);
        test::expect_consistent(problem, found, rho, options, what);
        EXPECT_NEAR(found.loss, test::mean_soft_loss(problem.y, found.decisions), 1e-12) << what;
        EXPECT_EQ(sweep.sweep().peeled_loss(), found.loss) << what;
        if (options.bias)
          EXPECT_LE(found.loss, test::rarer_share(problem.y) + (problem.hint.empty() ? 1e-12 : 1)) << what;
      }
    });
  }
}

TEST(SoftIvanovProperties, RoundsNeverRiseAndTheBestIsKept) {
  std::size_t falls = 0;
  on_random_problems(exact_options(), [&](const IvanovProblem& problem, const svm::IvanovOptions& options) {
    test::SoftSweep sweep(problem, options);
    bool served = false;  // by a solution that no larger rho changes
    for (const double rho : rhos) {
      const double loss = sweep.at(rho).loss;
      const std::vector<std::vector<double>>& all = sweep.sweep().rounds();
      EXPECT_TRUE(served || (!all.empty() && !all.front().empty())) << at(problem, rho, options);
      served = !sweep.sweep().solution().binding;
      for (const std::vector<double>& rounds : all) {
        for (std::size_t r = 0; r < rounds.size(); ++r) {
          EXPECT_LE(loss, rounds[r] + 1e-9) << at(problem, rho, options);
          if (r == 0) continue;
          EXPECT_LE(rounds[r], rounds[r - 1] + 1e-7) << at(problem, rho, options);
          falls += rounds[r] < rounds[r - 1] - 1e-6;
        }
      }
    }
  });
  EXPECT_GT(falls, 100U);  // the procedure did something
}

TEST(SoftIvanovProperties, LossNeverRisesWithRho) {
  on_random_problems(exact_options(), [](const IvanovProblem& problem, const svm::IvanovOptions& options) {
    test::SoftSweep sweep(problem, options);
    double last = 1;
    for (const double rho : rhos) {
      const double loss = sweep.at(rho).loss;
      EXPECT_LE(loss, last + 1e-6) << at(problem, rho, options);
      last = loss;
    }
  });
}

TEST(SoftIvanovProperties, LowerLimitIsBelowTheLoss) {
  for (const bool tight : {true, false}) {
    on_random_problems(tight ? exact_options() : svm::IvanovOptions{}, [](const IvanovProblem& problem,
                                                                          const svm::IvanovOptions& options) {
      test::SoftSweep sweep(problem, options);
      for (const double rho : rhos) {
        // Norms may be above rho by the tolerance, so losses below what rho allows.
        const double loss = sweep.at(rho).loss;
        EXPECT_LE(sweep.sweep().lower_limit(), loss + options.norm_tolerance) << at(problem, rho, options);
        EXPECT_GE(sweep.sweep().lower_limit(), 0) << at(problem, rho, options);
      }
    });
  }
}

TEST(SoftIvanovProperties, OppositeLabelsLoseTheSame) {
  on_random_problems(exact_options(), [](const IvanovProblem& problem, const svm::IvanovOptions& options) {
    if (!problem.hint.empty()) return;
    IvanovProblem opposite = problem;
    for (int& label : opposite.y) label = -label;
    for (const double rho : {1e-4, 0.05, 1.0}) {
      EXPECT_NEAR(test::soft_at(problem, rho, options).loss, test::soft_at(opposite, rho, options).loss, 1e-6)
          << at(problem, rho, options);
    }
  });
}

/// Every x plus a constant: with a bias the class is the same. Whole numbers keep the kernel values exact.
TEST(SoftIvanovProperties, ShiftChangesNothing) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const std::size_t n = 6 + 7 * seed;
    const data::DenseMatrix x = test::coarse_matrix(n, 2, seed);
    data::DenseMatrix shifted = x;
    for (std::size_t i = 0; i < n; ++i) {
      shifted.row(i)[0] += 2;
      shifted.row(i)[1] -= 3;
    }
    const std::vector<int> y = test::random_signs(n, seed);
    const std::vector<double> hint = seed % 2 == 0 ? std::vector<double>{} : test::random_hint(n, 1, seed);
    const IvanovProblem here{test::products(x), y, hint};
    const IvanovProblem there{test::products(shifted), y, hint};
    for (const double rho : {1e-6, 0.01, 0.5}) {
      const svm::IvanovSolution one = here.hinge(rho, exact_options());
      const svm::IvanovSolution other = there.hinge(rho, exact_options());
      EXPECT_NEAR(one.loss, other.loss, 1e-8) << seed << ", rho " << rho;
      EXPECT_NEAR(test::soft_at(here, rho, exact_options()).loss, test::soft_at(there, rho, exact_options()).loss, 1e-6)
          << seed << ", rho " << rho;
      if (n <= 13)
        EXPECT_NEAR(here.exact(rho, exact_options()).loss, there.exact(rho, exact_options()).loss, 1e-8) << rho;
    }
  }
}

/// K -> cK with rho -> rho / c: the same functions. A power of two keeps the kernel values exact.
TEST(SoftIvanovProperties, ScaleOfTheKernelIsTheScaleOfRho) {
  on_random_problems(exact_options(), [](const IvanovProblem& problem, const svm::IvanovOptions& options) {
    for (const double c : {0x1p-12, 64.0}) {
      IvanovProblem scaled = problem;
      for (double& value : scaled.k.values) value *= c;
      for (const double rho : {1e-4, 0.05, 1.0}) {
        const svm::IvanovSolution one = test::soft_at(problem, rho, options);
        const svm::IvanovSolution other = test::soft_at(scaled, rho / c, options);
        EXPECT_NEAR(one.loss, other.loss, 1e-6) << at(problem, rho, options) << ", c = " << c;
        EXPECT_NEAR(problem.hinge(rho, options).loss, scaled.hinge(rho / c, options).loss, 1e-7)
            << at(problem, rho, options) << ", c = " << c;
      }
    }
  });
}

/// The function found before is a candidate too, so a sweep has the least loss of all starts afresh up to its rho.
TEST(SoftIvanovProperties, SweepIsTheLeastOfStartsAfresh) {
  svm::IvanovOptions base = exact_options();
  base.start_at_last = false;
  on_random_problems(base, [](const IvanovProblem& problem, const svm::IvanovOptions& options) {
    test::SoftSweep sweep(problem, options);
    double least = 1;
    for (const double rho : rhos) {
      least = std::min(least, test::soft_at(problem, rho, options).loss);
      EXPECT_NEAR(sweep.at(rho).loss, least, 1e-6) << at(problem, rho, options);
    }
  });
}

/// In a sweep there are more starts: what was found before, beside all that there are afresh.
TEST(SoftIvanovProperties, SweepIsNoWorseThanStartingAfresh) {
  on_random_problems(exact_options(), [](const IvanovProblem& problem, const svm::IvanovOptions& options) {
    test::SoftSweep sweep(problem, options);
    for (const double rho : rhos)
      EXPECT_LE(sweep.at(rho).loss, test::soft_at(problem, rho, options).loss + 1e-6) << at(problem, rho, options);
  });
}

TEST(SoftIvanovProperties, SameRhoAgainIsTheSame) {
  for (const IvanovProblem& problem : test::random_ivanov_problems(20, 8)) {
    test::SoftSweep sweep(problem, exact_options());
    const double first = sweep.at(0.2).loss;
    EXPECT_LE(sweep.at(0.2).loss, first + 1e-9) << problem.what;
  }
}

TEST(SoftIvanovProperties, WorkIsCounted) {
  for (const IvanovProblem& problem : test::random_ivanov_problems(30, 2)) {
    test::SoftSweep sweep(problem, svm::IvanovOptions{});
    std::uint64_t last = 0;
    for (const double rho : {1e-4, 0.05, 0.3}) {
      sweep.at(rho);
      const svm::IvanovWork& work = sweep.sweep().work();
      EXPECT_GT(work.convex_steps, last) << problem.what;
      EXPECT_GE(work.solves, work.convex_steps) << problem.what;
      EXPECT_EQ(work.unconverged, 0U) << problem.what;
      last = work.convex_steps;
    }
  }
}

/// Rows peeled count 0: never above half the hinge losses, and equal to them where no row is worth peeling.
TEST(SoftIvanovPeeling, PeelsOnlyWhereAHingeLossIsAboveTwo) {
  std::size_t peeled = 0;
  std::size_t kept = 0;
  svm::IvanovOptions base = exact_options();
  base.peel = true;
  on_random_problems(base, [&](const IvanovProblem& problem, const svm::IvanovOptions& options) {
    for (const double rho : {1e-4, 0.05, 1.0}) {
      test::SoftSweep sweep(problem, options);
      const svm::IvanovSolution found = sweep.at(rho);
      const svm::IvanovSolution hinge = problem.hinge(rho, options);
      const std::string what = at(problem, rho, options);
      test::expect_consistent(problem, found, rho, options, what);
      EXPECT_NEAR(found.loss, test::mean_soft_loss(problem.y, found.decisions), 1e-12) << what;
      EXPECT_LE(sweep.sweep().peeled_loss(), hinge.loss / 2 + 1e-7) << what;
      double worst = 0;
      for (std::size_t i = 0; i < problem.y.size(); ++i)
        worst = std::max(worst, svm::hinge_loss(problem.y[i] * hinge.decisions[i]));
      if (worst < 2 - 1e-6) {
        ++kept;
        EXPECT_NEAR(sweep.sweep().peeled_loss(), hinge.loss / 2, 1e-7) << what;
        EXPECT_LE(found.loss, hinge.loss / 2 + 1e-7) << what;
      } else if (worst > 2.1) {
        ++peeled;
        EXPECT_LT(sweep.sweep().peeled_loss(), hinge.loss / 2 - 1e-6) << what;
      }
    }
  });
  EXPECT_GT(peeled, 20U);
  EXPECT_GT(kept, 20U);
}

}  // namespace soft_properties_tests
