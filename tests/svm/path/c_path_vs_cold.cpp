#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "credence/core/error.hpp"
#include "credence/kernel/gram.hpp"
#include "credence/svm/train.hpp"
#include "support/qp_cases.hpp"

namespace c_path_vs_cold_tests {

using namespace credence;
using kernel::KernelType;
using test::largest;
using test::random_clouds;

const std::vector<double> ascending{0.03125, 0.125, 0.5, 2, 8, 32, 128, 512, 2048};

struct Visit {
  qp::Problem problem;
  qp::State state;
  double bias;
  qp::Statistics statistics;
  std::size_t support_count;
};

std::vector<Visit> visits(kernel::Rows& rows, const qp::Problem& unit, const std::vector<double>& C,
                          const qp::Options& options) {
  std::vector<Visit> result;
  const core::Monitor monitor;
  svm::c_path(rows, unit, C, options, monitor, [&](const svm::PathPoint& point) {
    EXPECT_EQ(point.index, result.size());  // each once, ascending
    result.push_back({point.problem, point.state, point.bias, point.statistics, point.support_count});
    return true;
  });
  EXPECT_EQ(result.size(), C.size());
  return result;
}

struct PathCase {
  test::Clouds clouds;
  kernel::Kernel kernel;
  qp::Problem unit;

  /// @param stride  every stride-th row is held out; 0: none
  PathCase(std::size_t n, double gamma, std::size_t stride, std::uint64_t seed)
      : clouds(random_clouds(n, 4, 2, 0.8, seed)), kernel{.type = KernelType::rbf, .gamma = gamma} {
    unit = test::classification_problem(test::noisy_signs(clouds.classes, 0.1, seed), 1.0);
    for (std::size_t i = 1; stride > 0 && i < n; i += stride) unit.lower[i] = unit.upper[i] = 0;
  }
};

TEST(CPath, EachCEqualsAColdSolve) {
  for (const std::size_t n : {4U, 31U, 120U}) {
    for (const std::size_t stride : {0U, 3U, 10U}) {
      for (const double gamma : {0.02, 0.5}) {
        const PathCase one(n, gamma, stride, n);
        const kernel::Gram gram(one.kernel, kernel::Base(one.kernel.type, data::Features(one.clouds.x)));
        const auto rows = kernel::rows_of(gram);
        data::DenseMatrix k(n, n);
        for (std::size_t i = 0; i < n; ++i)
          for (std::size_t j = 0; j < n; ++j) k.row(i)[j] = static_cast<double>(gram.matrix().row(i)[j]);
        const std::vector<Visit> path = visits(*rows, one.unit, ascending, {.tolerance = 1e-5});
        for (std::size_t c = 0; c < path.size(); ++c) {
          const std::string what = "n " + std::to_string(n) + ", stride " + std::to_string(stride) + ", gamma " +
                                   std::to_string(gamma) + ", C " + std::to_string(ascending[c]);
          qp::Problem problem = one.unit;
          for (std::size_t i = 0; i < n; ++i) {
            problem.lower[i] *= ascending[c];
            problem.upper[i] *= ascending[c];
            ASSERT_DOUBLE_EQ(path[c].problem.lower[i], problem.lower[i]) << what;
            ASSERT_DOUBLE_EQ(path[c].problem.upper[i], problem.upper[i]) << what;
            ASSERT_EQ(path[c].problem.linear[i], problem.linear[i]) << what;
          }
          // Held-out rows have their true gradient too: that is their decision value.
          test::expect_kkt(k, problem, path[c].state, path[c].statistics, 1e-5, what);
          EXPECT_NEAR(path[c].bias, qp::bias(problem, path[c].state), test::rounding(k, path[c].state.beta)) << what;
          std::size_t support = 0;
          for (const double beta : path[c].state.beta) support += beta != 0 ? std::size_t{1} : 0;
          EXPECT_EQ(path[c].support_count, support) << what;

          qp::State cold = qp::zero_state(problem);
          const core::Monitor monitor;
          qp::solve(*rows, problem, cold, {.tolerance = 1e-5}, monitor);
          test::expect_same_solution(k, problem, path[c].state.beta, cold.beta, what);
        }
      }
    }
  }
}

TEST(CPath, CachedRowsOfTinyBudgetEqualTheGram) {
  const std::size_t n = 90;
  const PathCase one(n, 0.2, 4, 2);
  const kernel::Gram gram(one.kernel, kernel::Base(one.kernel.type, data::Features(one.clouds.x)));
  const auto all = kernel::rows_of(gram);
  const auto few = kernel::cached_rows(one.kernel, data::Features(one.clouds.x), 5 * kernel::padded(n) * sizeof(float));
  const std::vector<Visit> a = visits(*all, one.unit, ascending, {.tolerance = 1e-5});
  const std::vector<Visit> b = visits(*few, one.unit, ascending, {.tolerance = 1e-5});
  const data::DenseMatrix k = test::reference_block(one.kernel, one.clouds.x, one.clouds.x);
  for (std::size_t c = 0; c < a.size(); ++c) {
    EXPECT_EQ(b[c].statistics.status, qp::Status::converged);
    const test::PointReport x = test::report(k, a[c].problem, a[c].state.beta);
    const test::PointReport y = test::report(k, b[c].problem, b[c].state.beta);
    EXPECT_NEAR(x.objective, y.objective, 1e-5 * std::abs(x.objective)) << ascending[c];
    const double distance = x.distance_to_optimum() + y.distance_to_optimum() + 1e-4;
    for (std::size_t i = 0; i < n; ++i) {
      ASSERT_NEAR(x.product[i], y.product[i], distance) << ascending[c] << ", row " << i;
      // The gradient that was handed out is that of the solution, up to the float kernel.
      ASSERT_NEAR(b[c].state.gradient[i], y.gradient[i], 1e-5 * (1 + ascending[c])) << ascending[c] << ", row " << i;
    }
  }
}

TEST(CPath, FourCachedRowsAreEnough) {
  // Shrinking takes subsets of subsets; each must find its room in the same small budget.
  for (const std::size_t n : {65U, 70U, 97U, 150U, 209U, 300U}) {
    for (const double gamma : {0.02, 0.5, 5.0}) {
      const PathCase one(n, gamma, 0, n);
      const std::size_t budget = 4 * kernel::padded(n) * sizeof(float);
      const auto few = kernel::cached_rows(one.kernel, data::Features(one.clouds.x), budget);
      const data::DenseMatrix k = test::reference_block(one.kernel, one.clouds.x, one.clouds.x);
      try {
        for (const Visit& visit : visits(*few, one.unit, ascending, {})) {
          EXPECT_EQ(visit.statistics.status, qp::Status::converged);
          EXPECT_LE(test::report(k, visit.problem, visit.state.beta).gap, 1e-3 + 1e-5 * largest(visit.state.beta));
        }
      } catch (const Error& error) {
        ADD_FAILURE() << "n " << n << ", gamma " << gamma << ": " << error.what();
      }
    }
  }
}

TEST(CPath, WarmStartsSaveSteps) {
  const PathCase one(300, 0.01, 0, 5);
  const kernel::Gram gram(one.kernel, kernel::Base(one.kernel.type, data::Features(one.clouds.x)));
  const auto rows = kernel::rows_of(gram);
  std::uint64_t warm = 0;
  std::uint64_t cold = 0;
  for (const Visit& visit : visits(*rows, one.unit, ascending, {.newton = false})) warm += visit.statistics.steps;
  for (const double C : ascending) cold += visits(*rows, one.unit, {C}, {.newton = false}).front().statistics.steps;
  EXPECT_LT(warm, cold);
}

TEST(CPath, SeparableDataAreFreeFromSomeCOn) {
  const test::Clouds clouds = random_clouds(60, 3, 2, 6.0, 2);
  const kernel::Kernel kernel{.type = KernelType::rbf, .gamma = 0.1};
  const kernel::Gram gram(kernel, kernel::Base(kernel.type, data::Features(clouds.x)));
  std::vector<double> y;
  for (const int c : clouds.classes) y.push_back(c == 1 ? 1 : -1);
  const auto rows = kernel::rows_of(gram);
  const std::vector<Visit> path = visits(*rows, test::classification_problem(y, 1.0), {1, 64, 4096, 16384, 65536}, {});
  EXPECT_EQ(path[3].statistics.steps, 0U);
  EXPECT_EQ(path[4].statistics.steps, 0U);
  EXPECT_EQ(path[4].state.beta, path[3].state.beta);
}

TEST(CPath, StopsWhenTheMonitorSaysSo) {
  const PathCase one(60, 0.1, 0, 5);
  const kernel::Gram gram(one.kernel, kernel::Base(one.kernel.type, data::Features(one.clouds.x)));
  const auto rows = kernel::rows_of(gram);
  core::Monitor monitor;
  std::size_t visited = 0;
  svm::c_path(*rows, one.unit, ascending, {}, monitor, [&](const svm::PathPoint& point) {
    EXPECT_EQ(point.index, visited);
    if (++visited == 2) monitor.cancel();
    return true;
  });
  EXPECT_EQ(visited, 2U);
}

}  // namespace c_path_vs_cold_tests
