#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "support/expect_error.hpp"
#include "support/ivanov_problems.hpp"

namespace ivanov_errors_tests {

using namespace credence;
using test::expect_error;
using test::IvanovProblem;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double endless = std::numeric_limits<double>::infinity();

IvanovProblem six() {
  return {test::products(test::six_points()), test::six_labels};
}

/// All three ways in refuse it.
void expect_refused(const IvanovProblem& problem, const svm::IvanovOptions& options, const std::string& part) {
  expect_error(ErrorCode::invalid_argument, part, [&] { problem.hinge(0.5, options); });
  expect_error(ErrorCode::invalid_argument, part, [&] { problem.exact(0.5, options); });
  expect_error(ErrorCode::invalid_argument, part, [&] { test::SoftSweep(problem, options).at(0.5); });
}

TEST(IvanovErrors, Labels) {
  IvanovProblem problem = six();
  problem.y.pop_back();
  expect_refused(problem, {}, "label");
  for (const int bad : {0, 2, -3}) {
    problem = six();
    problem.y[4] = bad;
    expect_refused(problem, {}, "label");
  }
}

TEST(IvanovErrors, Hint) {
  IvanovProblem problem = six();
  problem.hint = {0, 0, 0, 0, 0};
  expect_refused(problem, {}, "hint");
  for (const double bad : {nan, endless, -endless}) {
    problem.hint = {0, 0, 0, bad, 0, 0};
    expect_refused(problem, {}, "hint");
  }
}

TEST(IvanovErrors, NoRows) {
  expect_refused({data::DenseMatrix(0, 0), {}, {}, {}}, {}, "");
}

TEST(IvanovErrors, Options) {
  for (const double bad : {0.0, -1e-3, nan}) {
    svm::IvanovOptions options;
    options.norm_tolerance = bad;
    EXPECT_EQ(options.validate().size(), 1U) << bad;
    expect_refused(six(), options, "norm");
  }
  svm::IvanovOptions options;
  options.norm_tolerance = 0;
  options.solver.tolerance = -1;
  EXPECT_EQ(options.validate().size(), 2U);
  EXPECT_TRUE(svm::IvanovOptions{}.validate().empty());
}

TEST(IvanovErrors, Rho) {
  for (const double bad : {-1e-9, -1.0, nan, -endless}) {
    expect_error(ErrorCode::invalid_argument, "rho", [&] { six().hinge(bad, {}); });
    expect_error(ErrorCode::invalid_argument, "rho", [&] { six().exact(bad, {}); });
    expect_error(ErrorCode::invalid_argument, "rho", [&] { test::SoftSweep(six(), {}).at(bad); });
  }
}

TEST(IvanovErrors, DescendingRhoLeavesTheSolution) {
  test::SoftSweep sweep(six(), {});
  const svm::IvanovSolution before = sweep.at(0.5);
  expect_error(ErrorCode::invalid_argument, "rho", [&] { sweep.at(0.4999); });
  expect_error(ErrorCode::invalid_argument, "rho", [&] { sweep.at(nan); });
  EXPECT_EQ(sweep.sweep().solution().beta, before.beta);
  EXPECT_EQ(sweep.sweep().solution().loss, before.loss);
  EXPECT_LE(sweep.at(0.6).loss, before.loss + 1e-3);
}

TEST(IvanovErrors, TooManyRowsToEnumerate) {
  const std::size_t most = svm::most_rows_enumerated;
  EXPECT_EQ(most, 14U);
  IvanovProblem problem{test::products(test::coarse_matrix(most + 1, 1, 1)), test::random_signs(most + 1, 1)};
  expect_error(ErrorCode::invalid_argument, "14", [&] { problem.exact(0.5, {}); });
  const data::DenseMatrix x = test::coarse_matrix(most, 1, 1);
  problem = {test::products(x), test::random_signs(most, 1)};
  const test::PrimalProblem primal{x, problem.y, {}, 0.5};
  EXPECT_NEAR(problem.exact(0.5, test::exact_options()).loss, primal.minimum().value / 2, 1e-7);
}

TEST(IvanovErrors, CancelledByTheMonitor) {
  const IvanovProblem problem = six();
  test::MatrixRows rows(problem.k);
  core::Monitor monitor;
  svm::SoftIvanov sweep(rows, problem.y, {}, {}, monitor);
  monitor.cancel();
  expect_error(ErrorCode::interrupted, "", [&] { sweep.grow_to(0.5); });
  expect_error(ErrorCode::interrupted, "", [&] { svm::ivanov_hinge(rows, problem.y, {}, 0.5, {}, monitor); });
  expect_error(ErrorCode::interrupted, "", [&] { svm::ivanov_soft_exact(rows, problem.y, {}, 0.5, {}, monitor); });
}

TEST(IvanovErrors, TimeBudgetEnds) {
  IvanovProblem problem{test::products(test::coarse_matrix(14, 2, 3)), test::random_signs(14, 3)};
  test::MatrixRows rows(problem.k);
  const core::Monitor spent(core::Monitor::Callback{}, 0.0);
  expect_error(ErrorCode::interrupted, "",
               [&] { svm::ivanov_soft_exact(rows, problem.y, {}, 0.5, test::exact_options(), spent); });
}

}  // namespace ivanov_errors_tests
