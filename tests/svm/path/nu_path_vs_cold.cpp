#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "credence/kernel/gram.hpp"
#include "credence/svm/train.hpp"
#include "support/context.hpp"
#include "support/expect_error.hpp"
#include "support/qp_cases.hpp"
#include "support/train_options.hpp"

namespace nu_path_vs_cold_tests {

using namespace credence;
using kernel::KernelType;
using test::random_clouds;

struct Visit {
  std::size_t index;
  double C;
  qp::Problem problem;
  qp::State state;
  double bias;
  qp::Statistics statistics;
};

std::vector<Visit> visits(kernel::Rows& rows, const qp::Problem& unit, const std::vector<double>& nu,
                          const qp::Options& options = {.tolerance = 1e-6}) {
  std::vector<Visit> result;
  const core::Monitor monitor;
  svm::nu_path(rows, unit, nu, options, monitor, [&](const svm::PathPoint& point) {
    result.push_back({point.index, point.C, point.problem, point.state, point.bias, point.statistics});
  });
  return result;
}

double mass_share(const Visit& visit, const qp::Problem& unit) {
  double mass = 0;
  double factors = 0;
  for (std::size_t i = 0; i < visit.state.beta.size(); ++i) {
    mass += std::abs(visit.state.beta[i]);
    factors += unit.upper[i] - unit.lower[i];
  }
  return mass / (visit.C * factors);
}

/// Clouds with noisy labels, some rows held out, some weighted.
struct NuCase {
  test::Clouds clouds;
  test::MatrixRows rows;
  data::DenseMatrix k;
  qp::Problem unit;

  NuCase(std::size_t n, const kernel::Kernel& kernel, std::size_t stride, std::uint64_t seed)
      : clouds(random_clouds(n, 4, 2, 0.8, seed)),
        rows(test::reference_block(kernel, clouds.x, clouds.x)),
        k(rows.matrix()),
        unit(test::classification_problem(test::noisy_signs(clouds.classes, 0.1, seed), 1.0)) {
    for (std::size_t i = 0; i < n; ++i) {
      const double factor = stride > 0 && i % stride == 1 ? 0 : 1 + static_cast<double>(i % 3) / 2;
      unit.lower[i] *= factor;
      unit.upper[i] *= factor;
    }
  }
};

TEST(NuPath, EachNuHasItsMassAndSolvesItsCSvc) {
  const std::vector<double> nu{0.9, 0.7, 0.5, 0.3, 0.29999, 0.1, 0.03};
  for (const std::size_t n : {12U, 60U, 150U}) {
    for (const std::size_t stride : {0U, 3U, 10U}) {
      for (const double gamma : {0.1, 0.5}) {
        NuCase one(n, {.gamma = gamma}, stride, n);
        const double largest = svm::largest_nu(one.unit);
        const std::vector<Visit> path = visits(one.rows, one.unit, nu);
        std::size_t next = 0;
        double last_C = 0;
        for (const Visit& visit : path) {
          while (next < nu.size() && nu[next] > largest) ++next;
          const std::string what = "n " + std::to_string(n) + ", stride " + std::to_string(stride) + ", gamma " +
                                   std::to_string(gamma) + ", nu " + std::to_string(nu[next]);
          ASSERT_EQ(visit.index, next++) << what;
          EXPECT_NEAR(mass_share(visit, one.unit), nu[visit.index], 1e-3 * nu[visit.index]) << what;
          EXPECT_GE(visit.C, last_C * (1 - 1e-2)) << what;
          last_C = visit.C;
          for (std::size_t i = 0; i < n; ++i) {
            ASSERT_DOUBLE_EQ(visit.problem.upper[i], one.unit.upper[i] * visit.C);
            ASSERT_DOUBLE_EQ(visit.problem.lower[i], one.unit.lower[i] * visit.C);
          }
          test::expect_kkt(one.k, visit.problem, visit.state, visit.statistics, 1e-6, what);
        }
        EXPECT_EQ(next, nu.size()) << "n " << n << ": not all were visited";
      }
    }
  }
}

TEST(NuPath, WarmEqualsColdDecisions) {
  const std::vector<double> nu{0.8, 0.6, 0.4, 0.2, 0.1, 0.05};
  for (const double gamma : {0.02, 0.5}) {
    NuCase one(120, {.gamma = gamma}, 5, 3);
    const std::vector<Visit> warm = visits(one.rows, one.unit, nu);
    ASSERT_EQ(warm.size(), nu.size());
    for (const Visit& visit : warm) {
      const std::vector<Visit> cold = visits(one.rows, one.unit, {nu[visit.index]});
      ASSERT_EQ(cold.size(), 1U);
      double scale = 1;
      for (std::size_t i = 0; i < 120; ++i) scale = std::max(scale, std::abs(visit.state.gradient[i]));
      for (std::size_t i = 0; i < 120; ++i) {
        ASSERT_NEAR(visit.state.gradient[i] + visit.bias, cold[0].state.gradient[i] + cold[0].bias, 3e-3 * scale)
            << "nu " << nu[visit.index] << ", row " << i;
      }
    }
  }
}

TEST(NuPath, TooLargeNuIsSkippedAndTheRestIsVisited) {
  NuCase one(40, {.gamma = 0.3}, 0, 5);
  const double largest = svm::largest_nu(one.unit);
  const std::vector<Visit> path = visits(one.rows, one.unit, {1, largest * 1.0001, largest, 0.3});
  ASSERT_EQ(path.size(), 2U);
  EXPECT_EQ(path[0].index, 2U);
  EXPECT_EQ(path[1].index, 3U);
}

/// At the largest nu, any C up to the end of the plateau has that mass; the end is meant, whatever the kernel's scale.
TEST(NuPath, LargestNuIsTheEndOfThePlateau) {
  for (const double scale : {1e-6, 1.0, 1e6}) {
    test::Clouds clouds = random_clouds(60, 3, 2, 0.8, 2);
    data::DenseMatrix k = test::reference_block({.gamma = 0.2}, clouds.x, clouds.x);
    for (double& value : k.values) value *= scale;
    test::MatrixRows rows(k);
    const qp::Problem unit = test::classification_problem(test::noisy_signs(clouds.classes, 0.0, 1), 1.0);
    const std::vector<Visit> path = visits(rows, unit, {svm::largest_nu(unit)});
    ASSERT_EQ(path.size(), 1U) << scale;
    // Twice the C has left the plateau, half of it has not.
    for (const double factor : {0.5, 2.0}) {
      qp::Problem problem = unit;
      for (double& bound : problem.upper) bound *= factor * path[0].C;
      for (double& bound : problem.lower) bound *= factor * path[0].C;
      qp::State state = qp::zero_state(problem);
      const core::Monitor monitor;
      qp::solve(rows, problem, state, {.tolerance = 1e-8}, monitor);
      const Visit visit{0, factor * path[0].C, problem, state, 0, {}};
      const double share = mass_share(visit, unit) / svm::largest_nu(unit);
      EXPECT_EQ(share > 1 - 1e-4, factor < 1) << "scale " << scale << ", factor " << factor << ", share " << share;
    }
  }
}

TEST(LargestNu, ClosedForm) {
  EXPECT_DOUBLE_EQ(svm::largest_nu(test::classification_problem({1, 1, -1, -1}, 1.0)), 1);
  EXPECT_DOUBLE_EQ(svm::largest_nu(test::classification_problem({1, -1, -1, -1}, 1.0)), 0.5);
  EXPECT_DOUBLE_EQ(svm::largest_nu(test::classification_problem({1, 1, -1}, {0.5, 1.5, 3})), 2 * 2.0 / 5);
  EXPECT_DOUBLE_EQ(svm::largest_nu(test::classification_problem({1, 1, -1}, {0.5, 0, 3})), 2 * 0.5 / 3.5);
  EXPECT_EQ(svm::largest_nu(test::classification_problem({1, 1}, 1.0)), 0);
  EXPECT_EQ(svm::largest_nu(test::classification_problem({1, -1}, {1, 0})), 0);
}

/// As C grows, nu falls to the smallest mean hinge loss that any line has: that decides which nu have a margin.
TEST(NuPath, VisitsExactlyTheNuAboveTheSmallestHingeLoss) {
  const std::vector<double> nu{0.95, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 0.01};
  std::size_t refused = 0;
  for (const double distance : {0.0, 0.3, 0.8, 1.5}) {
    const test::Clouds clouds = random_clouds(200, 2, 2, distance, 1);
    test::MatrixRows rows(test::reference_block({.type = KernelType::linear}, clouds.x, clouds.x));
    const qp::Problem unit = test::classification_problem(test::noisy_signs(clouds.classes, 0.0, 1), 1.0);
    double loss = 0;
    const core::Monitor monitor;
    const std::vector<double> large_C{1e4};
    svm::c_path(rows, unit, large_C, {.tolerance = 1e-5}, monitor, [&](const svm::PathPoint& point) {
      for (std::size_t i = 0; i < 200; ++i) {
        const double f = point.state.gradient[i] + unit.linear[i] + point.bias;
        loss += std::max(0.0, 1 - unit.linear[i] * f) / 200;
      }
      return true;
    });
    std::size_t possible = 0;
    for (const double value : nu) possible += value > loss ? 1 : 0;
    refused += nu.size() - possible;
    EXPECT_EQ(visits(rows, unit, nu).size(), possible) << "distance " << distance << ", loss " << loss;
  }
  EXPECT_GT(refused, 10U);
}

/// A far row leaves its bound at a C that is too small for the others by orders of magnitude.
TEST(NuPath, FarOutliersDoNotEndTheSearch) {
  for (const double far : {1e2, 1e4}) {
    test::Clouds clouds = random_clouds(200, 2, 2, 1.5, 1);
    clouds.x.row(2)[0] *= far;
    test::MatrixRows rows(test::reference_block({.type = KernelType::linear}, clouds.x, clouds.x));
    const qp::Problem unit = test::classification_problem(test::noisy_signs(clouds.classes, 0.0, 1), 1.0);
    const std::vector<Visit> path = visits(rows, unit, {svm::largest_nu(unit), 0.9, 0.5, 0.3});
    ASSERT_EQ(path.size(), 4U) << far;
    EXPECT_LT(path[0].C, 1e-2 * path[1].C);
    for (const Visit& visit : path) EXPECT_LE(visit.statistics.gap, 1e-6);
  }
}

TEST(NuPath, ConstantKernelHasNoMarginAtAll) {
  test::MatrixRows rows(data::DenseMatrix(6, 6));
  const qp::Problem unit = test::classification_problem({1, 1, 1, -1, -1, -1}, 1.0);
  EXPECT_TRUE(visits(rows, unit, {1, 0.5}).empty());
}

TEST(NuPath, SeparableDataTakeAnyNu) {
  test::Clouds clouds = random_clouds(60, 3, 2, 6.0, 2);
  test::MatrixRows rows(test::reference_block({.type = KernelType::linear}, clouds.x, clouds.x));
  const qp::Problem unit = test::classification_problem(test::noisy_signs(clouds.classes, 0.0, 1), 1.0);
  const std::vector<double> nu{0.5, 0.1, 1e-2, 1e-4, 1e-8};
  const std::vector<Visit> path = visits(rows, unit, nu);
  ASSERT_EQ(path.size(), nu.size());
  for (const Visit& visit : path) EXPECT_NEAR(mass_share(visit, unit), nu[visit.index], 1e-3 * nu[visit.index]);
}

TEST(NuPath, StopsWhenTheMonitorSaysSo) {
  NuCase one(80, {.gamma = 0.3}, 3, 5);
  core::Monitor monitor;
  std::size_t visited = 0;
  const std::vector<double> nu{0.6, 0.4, 0.2};
  svm::nu_path(one.rows, one.unit, nu, {}, monitor, [&](const svm::PathPoint&) {
    ++visited;
    monitor.cancel();
  });
  EXPECT_EQ(visited, 1U);
}

TEST(NuTraining, NoMarginIsAnError) {
  const test::Clouds clouds = random_clouds(200, 2, 2, 0.0, 1);
  svm::TrainOptions options = test::train_options({.type = KernelType::linear}, 1);
  options.nu = 0.01;
  test::Surroundings surroundings;
  test::expect_error(ErrorCode::invalid_data, "leaves no margin between the classes 'a' and 'b'",
                     [&] { svm::train(clouds.dataset(), options, surroundings.context); });
}

TEST(NuTraining, CancelledWithoutAResultIsAnInterruption) {
  const test::Clouds clouds = random_clouds(100, 3, 2, 0.5, 1);
  svm::TrainOptions options = test::train_options({.gamma = 0.3}, 1);
  options.nu = 0.3;
  test::Surroundings surroundings;
  surroundings.monitor.cancel();
  test::expect_error(ErrorCode::interrupted, "stopped",
                     [&] { svm::train(clouds.dataset(), options, surroundings.context); });
}

TEST(NuTraining, NuIsValidated) {
  svm::TrainOptions options;
  for (const double nu : {0.0, -0.5, 1.0001, std::nan("")}) {
    options.nu = nu;
    ASSERT_EQ(options.validate().size(), 1U) << nu;
    EXPECT_NE(options.validate()[0].find("nu"), std::string::npos);
  }
  options.nu = 1;
  options.C = -1;  // not looked at
  EXPECT_TRUE(options.validate().empty());
}

TEST(NuTraining, WeightsCountInNu) {
  test::Clouds clouds = random_clouds(90, 3, 2, 0.6, 1);
  data::Dataset dataset = clouds.dataset();
  for (std::size_t i = 0; i < 90; ++i) dataset.weights.push_back(1 + static_cast<double>(i % 4));
  svm::TrainOptions options = test::train_options({.gamma = 0.3}, 1, 1e-5);
  options.class_weights.named["b"] = 2;
  options.nu = 0.3;
  test::Surroundings surroundings;
  const svm::TrainResult result = svm::train(dataset, options, surroundings.context);
  double factors = 0;
  for (const double f : svm::box_factors(dataset, options.class_weights, std::vector<bool>(90, true))) factors += f;
  double mass = 0;
  for (const double beta : result.model.machines[0].coefficients) mass += std::abs(beta);
  EXPECT_NEAR(mass / (result.model.record.C * factors), 0.3, 3e-4);
}

}  // namespace nu_path_vs_cold_tests
