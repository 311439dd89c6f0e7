#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "credence/core/error.hpp"
#include "credence/qp/solver.hpp"
#include "support/qp_cases.hpp"

// Problems that break solvers: each ends converged or with a named status, after a bounded number of steps, with finite
// numbers, and with the closed form where there is one.
namespace pathological_problems_tests {

using namespace credence;
using test::QpCase;

/// 1e-12, 1e-11, ..., 1e12.
std::vector<double> decades() {
  std::vector<double> costs;
  for (int power = -12; power <= 12; ++power) costs.push_back(std::pow(10.0, power));
  return costs;
}

data::DenseMatrix matrix_of(std::size_t n, const std::function<double(std::size_t, std::size_t)>& value) {
  data::DenseMatrix matrix(n, n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) matrix.row(i)[j] = value(i, j);
  return matrix;
}

data::DenseMatrix constant(std::size_t n, double value) {
  return matrix_of(n, [value](std::size_t, std::size_t) { return value; });
}

data::DenseMatrix identity(std::size_t n) {
  return matrix_of(n, [](std::size_t i, std::size_t j) { return i == j ? 1.0 : 0.0; });
}

/// The first `positive` rows are of the class +1.
std::vector<double> signs(std::size_t n, std::size_t positive) {
  std::vector<double> y(n, -1);
  std::fill_n(y.begin(), positive, 1.0);
  return y;
}

struct Outcome {
  qp::State state;
  qp::Statistics statistics;
  double bias = 0;
};

constexpr std::uint64_t most_steps = 20'000;

/// Solves with and without Newton steps: what is returned is finite, feasible, and after a bounded number of steps.
Outcome outcome(QpCase& test_case, bool newton, const std::string& what) {
  Outcome result{qp::zero_state(test_case.problem), {}, 0};
  result.statistics = test::solve(test_case, result.state, {.max_steps = most_steps, .newton = newton});
  result.bias = qp::bias(test_case.problem, result.state);
  EXPECT_LE(result.statistics.steps, most_steps) << what;
  EXPECT_TRUE(std::isfinite(result.bias)) << what;
  EXPECT_TRUE(std::isfinite(qp::objective(test_case.problem, result.state))) << what;
  test::expect_feasible(test_case.k, test_case.problem, result.state, what);
  return result;
}

void expect_converged(const Outcome& found, std::uint64_t steps, const std::string& what) {
  EXPECT_EQ(found.statistics.status, qp::Status::converged) << what;
  EXPECT_LE(found.statistics.steps, steps) << what;
}

struct Sizes {
  std::size_t n;
  std::size_t positive;
};
constexpr Sizes sizes[] = {{2, 1}, {3, 1}, {10, 5}, {40, 13}, {100, 1}, {301, 150}};

TEST(Pathological, AllRowsEqualGiveTheLargerClass) {
  // K is constant: K b = 0 on sum(b) = 0, so that the linear term alone counts, and the smaller class sits at C.
  for (const double value : {0.0, 1.0, 1e-30, 1e30}) {
    for (const auto [n, positive] : sizes) {
      for (const double C : decades()) {
        for (const bool newton : {true, false}) {
          const std::string what =
              "constant " + std::to_string(value) + ", n " + std::to_string(n) + ", C " + std::to_string(std::log10(C));
          QpCase problem(constant(n, value), signs(n, positive), C);
          const Outcome found = outcome(problem, newton, what);
          expect_converged(found, 4 * n, what);
          double ascent = 0;
          for (std::size_t i = 0; i < n; ++i) ascent += problem.y[i] * found.state.beta[i];
          const double smaller = static_cast<double>(std::min(positive, n - positive));
          // Beyond 1e9, the products K_ij b_j cancel in their last digits only.
          if (value * C >= 1e9) continue;
          EXPECT_NEAR(ascent, 2 * C * smaller, 1e-9 * C * smaller) << what;
          EXPECT_NEAR(found.bias, 2 * positive == n ? 0 : -1, 1e-3) << what;
        }
      }
    }
  }
}

TEST(Pathological, TheIdentityHasItsClosedForm) {
  // Equal shares in each class: s = sum over a class = min(2 n+ n- / n, C min(n+, n-)), bias s / n- - 1 for the larger.
  for (const auto [n, positive] : sizes) {
    for (const double C : decades()) {
      for (const bool newton : {true, false}) {
        const std::string what = "n " + std::to_string(n) + ", C " + std::to_string(std::log10(C));
        QpCase problem(identity(n), signs(n, positive), C);
        const Outcome found = outcome(problem, newton, what);
        expect_converged(found, 20 * n, what);
        const auto p = static_cast<double>(positive);
        const auto m = static_cast<double>(n - positive);
        const double free = 2 * p * m / (p + m);
        const double sum = std::min(free, C * p);
        double share = 0;
        for (std::size_t i = 0; i < positive; ++i) share += found.state.beta[i];
        EXPECT_NEAR(share, sum, 1e-3 * sum + 1e-3) << what;
        for (std::size_t i = positive; i < n; ++i) EXPECT_NEAR(found.state.beta[i], -sum / m, 1.1e-3) << what;
        const bool all_at_bounds = p == m && sum < free;
        EXPECT_NEAR(found.bias, all_at_bounds ? 0 : sum / m - 1, 1.1e-3) << what;
      }
    }
  }
}

TEST(Pathological, CostsNearZeroGiveTheConstantClassifier) {
  for (const double C : {1e-12, 1e-9, 1e-6}) {
    QpCase problem = test::random_case(60, 3, {.type = kernel::KernelType::rbf, .gamma = 0.5}, C, 3);
    for (std::size_t i = 0; i < 60; ++i) problem.y[i] = i < 20 ? 1 : -1;
    problem.problem = test::classification_problem(problem.y, C);
    const Outcome found = outcome(problem, true, "C near 0");
    expect_converged(found, 60, "C near 0");
    for (std::size_t i = 0; i < 60; ++i)
      EXPECT_LT(found.state.gradient[i] + problem.problem.linear[i] + found.bias, -0.9) << C << ", row " << i;
  }
}

TEST(Pathological, EqualRowsOfBothClassesAllSitAtTheirBounds) {
  // Two thousand rows at five places, each place with as many rows of one class as of the other: K b = 0 is possible
  // with every variable at its bound, where the objective is as low as the box allows.
  constexpr std::size_t n = 2000;
  const data::DenseMatrix places = test::random_matrix(5, 2, 3);
  const data::DenseMatrix few = test::reference_block({.type = kernel::KernelType::rbf, .gamma = 0.5}, places, places);
  const data::DenseMatrix k = matrix_of(n, [&](std::size_t i, std::size_t j) { return few.row(i / 2 % 5)[j / 2 % 5]; });
  std::vector<double> y;
  for (std::size_t i = 0; i < n; ++i) y.push_back(i % 2 == 0 ? 1 : -1);
  for (const double C : {1e-12, 1e-6, 1.0, 1e6, 1e12}) {
    const std::string what = "C " + std::to_string(std::log10(C));
    QpCase problem(k, y, C);
    const Outcome found = outcome(problem, true, what);
    expect_converged(found, 2 * n, what);
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(found.state.beta[i], C * y[i]) << what << ", row " << i;
    // A gradient is a sum of n terms of the size of C, with their rounding errors.
    EXPECT_NEAR(found.bias, 0, std::max(1e-3, static_cast<double>(n) * C * std::numeric_limits<double>::epsilon()))
        << what;
  }
}

/// Matrices without a closed form. Where `solved` is false, C or the values may be beyond what floats can hold apart:
/// the step limit and the sentence on values that are too large are outcomes too.
struct Named {
  std::string name;
  data::DenseMatrix k;
  std::vector<double> y;
  bool solved = true;
};

std::vector<Named> hostile() {
  std::vector<Named> cases;
  core::RandomStream random(7, 19);
  constexpr std::size_t n = 120;
  const data::DenseMatrix x = test::random_matrix(n, 2, 5);
  std::vector<double> y;
  for (std::size_t i = 0; i < n; ++i) y.push_back(random.uniform() < 0.5 ? -1 : 1);
  y[0] = -y[1];
  const auto rows_of = [&](double gamma) {
    return test::reference_block({.type = kernel::KernelType::rbf, .gamma = gamma}, x, x);
  };
  cases.push_back({"nearly all ones", rows_of(1e-9), y});
  cases.push_back({"ones but for rounding", rows_of(1e-7), y});
  cases.push_back({"nearly the identity", rows_of(1e9), y});
  const data::DenseMatrix dot = test::reference_block({.type = kernel::KernelType::linear}, x, x);
  for (const double scale : {1e-37, 1e-12, 1e12, 1e30}) {
    data::DenseMatrix scaled = dot;
    for (double& value : scaled.values) value *= scale;
    cases.push_back({"linear times " + std::to_string(std::log10(scale)), scaled, y, scale < 1});
  }
  const data::DenseMatrix wide = rows_of(0.5);
  cases.push_back(
      {"contradictory copies", matrix_of(n, [&](std::size_t i, std::size_t j) { return wide.row(i % 7)[j % 7]; }), y});
  cases.push_back({"one against the others", wide, signs(n, 1)});
  data::DenseMatrix indefinite = matrix_of(n, [&](std::size_t, std::size_t) { return random.normal(); });
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < i; ++j) indefinite.row(i)[j] = indefinite.row(j)[i];
  cases.push_back({"indefinite", indefinite, y});
  data::DenseMatrix negative = identity(n);
  for (double& value : negative.values) value = -value;
  cases.push_back({"minus the identity", negative, y});
  cases.push_back({"magnitudes",
                   matrix_of(n,
                             [&](std::size_t i, std::size_t j) {
                               return std::pow(
                                   10.0, 15 * std::sin(static_cast<double>(i)) + 15 * std::sin(static_cast<double>(j)));
                             }),
                   y, false});
  data::DenseMatrix endless = identity(n);
  for (std::size_t i = 0; i < n; ++i) endless.row(i)[i] = 1e300;
  cases.push_back({"beyond float on the diagonal", endless, y, false});
  data::DenseMatrix beside = identity(n);
  beside.row(0)[1] = beside.row(1)[0] = 1e300;
  cases.push_back({"beyond float beside the diagonal", beside, y, false});
  return cases;
}

TEST(Pathological, HostileMatricesEndConvergedOrAtTheNamedLimit) {
  for (const Named& one : hostile()) {
    for (const double C : decades()) {
      for (const bool newton : {true, false}) {
        const std::string what =
            one.name + ", C 1e" + std::to_string(std::lround(std::log10(C))) + (newton ? "" : ", SMO alone");
        QpCase problem(one.k, one.y, C);
        try {
          const Outcome found = outcome(problem, newton, what);
          if (one.solved) expect_converged(found, most_steps - 1, what);
          if (found.statistics.status == qp::Status::step_limit)
            EXPECT_EQ(found.statistics.steps, most_steps) << what;
          else if (found.statistics.status != qp::Status::converged)
            EXPECT_EQ(found.statistics.status, qp::Status::rounding) << what;
        } catch (const Error& error) {
          EXPECT_FALSE(one.solved) << what << ": " << error.what();
          EXPECT_EQ(error.code(), ErrorCode::invalid_data) << what;
          EXPECT_NE(std::string(error.what()).find("too large to compute with"), std::string::npos) << what;
        }
      }
    }
  }
}

TEST(Pathological, AGapWithinRoundingErrorsEndsTheSolve) {
  // The products K_ij b_j come to 1e9 .. 1e16: no step lowers the gap to 1e-9, and ten million steps in vain are not
  // waited for.
  const kernel::Kernel cubes{.type = kernel::KernelType::polynomial, .gamma = 1, .coef0 = 0, .degree = 3};
  for (const double C : {1e6, 1e9, 1e12}) {
    for (const std::size_t n : {20U, 40U, 120U}) {
      const std::string what = "C " + std::to_string(std::log10(C)) + ", n " + std::to_string(n);
      QpCase problem = test::random_case(n, 2, cubes, C, n);
      qp::State state = qp::zero_state(problem.problem);
      const qp::Statistics statistics = test::solve(problem, state, {.tolerance = 1e-9});
      EXPECT_LE(statistics.steps, 2'000'000U) << what;
      EXPECT_NE(statistics.status, qp::Status::step_limit) << what;
      if (statistics.status == qp::Status::converged) EXPECT_LE(statistics.gap, 1e-3) << what;
      test::expect_feasible(problem.k, problem.problem, state, what);
    }
  }
  EXPECT_EQ(qp::name(qp::Status::rounding), "rounding errors");
}

/// The last steps wander: one step earlier a solve is at one of their points, and no better than the best of them.
TEST(Pathological, AStalledSolveEndsAtTheSmallestGapOfItsLastSteps) {
  const kernel::Kernel cubes{.type = kernel::KernelType::polynomial, .gamma = 1, .coef0 = 0, .degree = 3};
  std::size_t stalled = 0;
  std::size_t better = 0;
  for (const std::size_t n : {20U, 40U, 60U}) {
    QpCase problem = test::random_case(n, 2, cubes, 1e12, n);
    qp::State state = qp::zero_state(problem.problem);
    const qp::Statistics ended = test::solve(problem, state, {.tolerance = 1e-9});
    if (ended.status != qp::Status::rounding) continue;
    ++stalled;
    qp::State before = qp::zero_state(problem.problem);
    const qp::Statistics earlier = test::solve(problem, before, {.tolerance = 1e-9, .max_steps = ended.steps - 1});
    EXPECT_EQ(earlier.status, qp::Status::step_limit);
    EXPECT_LE(ended.gap, earlier.gap * (1 + 1e-6));
    better += ended.gap < 0.9 * earlier.gap ? 1U : 0U;
  }
  EXPECT_GT(stalled, 0U);
  EXPECT_GT(better, 0U);
}

}  // namespace pathological_problems_tests
