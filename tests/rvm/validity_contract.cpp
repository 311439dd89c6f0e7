#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "rvm/validity_problems.hpp"
#include "support/expect_error.hpp"

namespace validity_contract_tests {

using namespace credence;
using data::Task;
using kernel::KernelType;
using test::ValidityProblem;

constexpr Task tasks[] = {Task::classification, Task::regression};

void expect_same(const rvm::Validity& a, const rvm::Validity& b, const std::string& what) {
  EXPECT_EQ(a.log_validity, b.log_validity) << what;
  EXPECT_EQ(a.stability, b.stability) << what;
  EXPECT_EQ(a.capped, b.capped) << what;
  EXPECT_EQ(a.saddles, b.saddles) << what;
  EXPECT_EQ(a.slope.values, b.slope.values) << what;
  EXPECT_EQ(a.curvature.values, b.curvature.values) << what;
  EXPECT_EQ(a.log_A.values, b.log_A.values) << what;
}

void drop_kernels(ValidityProblem& problem) {
  problem.fit.columns.resize(1);
  problem.fit.weights.resize(1);
  problem.fit.alpha.resize(1);
  problem.fit.gamma.resize(1);
}

TEST(HasValidity, IsTrueOfTheThreeKernelsWithDerivatives) {
  for (const KernelType type : {KernelType::rbf, KernelType::laplacian, KernelType::polynomial})
    EXPECT_TRUE(rvm::has_validity(type)) << kernel::name(type);
  for (const KernelType type : {KernelType::linear, KernelType::sigmoid, KernelType::precomputed}) {
    EXPECT_FALSE(rvm::has_validity(type)) << kernel::name(type);
    ValidityProblem problem = test::random_problem({.gamma = 0.4}, Task::classification, false, 1);
    problem.kernel.type = type;
    test::expect_error(ErrorCode::invalid_argument, std::string(kernel::name(type)), [&] { problem.validity(); });
  }
}

/// 5,000 rows of 40 features: several blocks of rows. The expected slope is summed in one pass.
TEST(KernelValidity, DoesNotDependOnTheNumberOfThreadsOrOnBlocksOfRows) {
  for (const KernelType type : {KernelType::rbf, KernelType::laplacian}) {
    ValidityProblem problem = test::random_problem({.type = type, .gamma = 0.02}, Task::classification, false, 2);
    problem.rows = test::random_matrix(5000, 40, 3);
    problem.centres = test::random_matrix(12, 40, 4);
    problem.targets.assign(5000, 1);
    std::fill_n(problem.targets.begin(), 2000, 0.0);
    const rvm::Validity one = problem.validity({}, 1);
    expect_same(one, problem.validity({}, 2), "2 threads");
    expect_same(one, problem.validity({}, 5), "5 threads");
    double slope = 0;  // of the first kernel along the first feature, without blocks
    for (std::size_t n = 0; n < 5000; ++n) {
      double y = problem.fit.weights[0];
      double first = 0;
      for (std::size_t i = 0; i < one.kernels; ++i) {
        const auto centre = problem.centres.row(problem.centre_of(i));
        const std::vector<long double> z(centre.begin(), centre.end());
        const double value = static_cast<double>(test::precise_kernel(problem.kernel, problem.rows.row(n), z));
        y += problem.fit.weights[i + 1] * value;
        if (i > 0) continue;
        const double step = problem.rows.row(n)[0] - centre[0];
        first = value * problem.kernel.gamma * (type == KernelType::rbf ? 2 * step : step > 0 ? 1 : -1);
      }
      slope += problem.fit.weights[1] * (problem.targets[n] - 1 / (1 + std::exp(-y))) * first;
    }
    const double expected = type == KernelType::rbf ? slope : std::abs(slope);
    EXPECT_NEAR(one.slope.values[0], expected, 1e-10 * std::abs(expected));
  }
}

TEST(KernelValidity, OfSparseRowsIsThatOfTheSameNumbersDense) {
  const test::Surroundings surroundings;
  for (const kernel::Kernel& kernel : test::validity_kernels()) {
    ValidityProblem problem = test::random_problem(kernel, Task::regression, false, 3);
    problem.rows = test::random_thin_matrix(24, 3, 3);
    problem.centres = test::rows_of_matrix(problem.rows, {0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22});
    const data::Features rows(test::sparse_of(problem.rows));
    const data::Features centres(test::sparse_of(problem.centres));
    expect_same(rvm::kernel_validity(kernel, rows, centres, true, problem.fit, problem.targets, problem.task, {},
                                     surroundings.context),
                problem.validity(), describe(problem));
    expect_same(rvm::kernel_validity(kernel, rows, data::Features(problem.centres), true, problem.fit, problem.targets,
                                     problem.task, {}, surroundings.context),
                problem.validity(), describe(problem));
  }
}

TEST(KernelValidity, DoesNotDependOnTheOrderOfTheFeatures) {
  for (const kernel::Kernel& kernel : test::validity_kernels()) {
    for (const Task task : tasks) {
      const ValidityProblem problem = test::random_problem(kernel, task, true, 4);
      ValidityProblem turned = problem;
      for (data::DenseMatrix* matrix : {&turned.rows, &turned.centres}) {
        for (std::size_t i = 0; i < matrix->rows; ++i) {
          const std::span<double> row = matrix->row(i);
          std::rotate(row.begin(), row.begin() + 1, row.end());
        }
      }
      const rvm::Validity expected = problem.validity();
      const rvm::Validity validity = turned.validity();
      EXPECT_NEAR(validity.log_validity, expected.log_validity, 1e-9) << describe(problem);
      for (std::size_t i = 0; i < expected.kernels; ++i) {
        EXPECT_NEAR(validity.log_A.row(i)[0], expected.log_A.row(i)[1], 1e-9) << describe(problem);
        EXPECT_NEAR(validity.slope.row(i)[2], expected.slope.row(i)[0], 1e-9) << describe(problem);
      }
    }
  }
}

TEST(KernelValidity, LeavesOutFeaturesThatAreConstantOnTheRows) {
  for (const KernelType type : {KernelType::rbf, KernelType::laplacian}) {
    const ValidityProblem problem = test::random_problem({.type = type, .gamma = 0.4}, Task::classification, false, 5);
    ValidityProblem wider = problem;
    for (data::DenseMatrix* matrix : {&wider.rows, &wider.centres}) {
      const data::DenseMatrix narrow = *matrix;
      *matrix = data::DenseMatrix(narrow.rows, narrow.columns + 1);
      for (std::size_t i = 0; i < narrow.rows; ++i) {
        matrix->row(i)[0] = 7;
        for (std::size_t j = 0; j < narrow.columns; ++j) matrix->row(i)[j + 1] = narrow.row(i)[j];
      }
    }
    for (const bool cap : {false, true}) {
      const rvm::Validity expected = problem.validity({.cap = cap});
      const rvm::Validity validity = wider.validity({.cap = cap});
      EXPECT_NEAR(validity.log_validity, expected.log_validity, 1e-12);
      EXPECT_EQ(validity.capped, expected.capped);
      EXPECT_EQ(validity.saddles, expected.saddles);
      for (std::size_t i = 0; i < validity.kernels; ++i) EXPECT_EQ(validity.log_A.row(i)[0], 0);
    }
  }
}

TEST(KernelValidity, CountsCapsAndSaddlesOfRetainedKernels) {
  ValidityProblem problem = test::random_problem({.gamma = 0.4}, Task::classification, false, 6);
  for (double& weight : problem.fit.weights) weight *= 0.2;
  const rvm::Validity free = problem.validity({.cap = false});
  const rvm::Validity validity = problem.validity();
  std::size_t capped = 0;
  std::size_t saddles = 0;
  for (std::size_t j = 0; j < 3; ++j) {
    double least = problem.rows.values[j];
    double largest = least;
    for (std::size_t n = 0; n < problem.rows.rows; ++n) {
      least = std::min(least, problem.rows.row(n)[j]);
      largest = std::max(largest, problem.rows.row(n)[j]);
    }
    for (std::size_t i = 0; i < free.kernels; ++i) {
      const bool met = free.log_A.row(i)[j] > std::log(largest - least);
      EXPECT_EQ(validity.log_A.row(i)[j], met ? std::log(largest - least) : free.log_A.row(i)[j]);
      capped += met ? 1U : 0U;
      saddles += free.curvature.row(i)[j] <= 0 ? 1U : 0U;
    }
  }
  EXPECT_GT(capped, 0U);
  EXPECT_LT(capped, 27U);
  EXPECT_GT(saddles, 0U);
  EXPECT_EQ(validity.capped, capped);
  EXPECT_EQ(validity.saddles, saddles);
  EXPECT_EQ(free.capped, 0U);
}

TEST(KernelValidity, DoesNotCountKernelsWhoseGammaIsZero) {
  ValidityProblem problem = test::random_problem({.gamma = 0.4}, Task::classification, false, 7);
  problem.fit.gamma[3] = 0;
  problem.fit.weights[3] = 0;  // flat: a = b = 0, and A infinite if it is not capped
  const rvm::Validity validity = problem.validity({.cap = false});
  EXPECT_EQ(validity.log_A.row(2)[0], std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isfinite(validity.log_validity));
  double stability = 0;
  for (std::size_t i = 0; i < validity.kernels; ++i) {
    if (i == 2) continue;
    const auto row = validity.log_A.row(i);
    stability += problem.fit.gamma[i + 1] * std::accumulate(row.begin(), row.end(), 0.0);
  }
  EXPECT_NEAR(validity.stability, stability, 1e-12);
}

TEST(KernelValidity, IsTheEvidenceWithoutKernels) {
  for (const bool bias : {false, true}) {
    ValidityProblem problem = test::random_problem({.gamma = 0.4}, Task::classification, false, 8);
    drop_kernels(problem);
    if (!bias) {
      problem.bias = false;
      problem.fit = {};
      problem.fit.log_evidence = -20;
    }
    const rvm::Validity validity = problem.validity();
    EXPECT_EQ(validity.log_validity, -20);
    EXPECT_EQ(validity.kernels, 0U);
    EXPECT_EQ(validity.effective, 0);
    EXPECT_EQ(validity.slope.rows, 0U);
    EXPECT_NEAR(problem.validity({.literal = true}).log_validity,
                bias ? -20 - 0.5 * std::log(2 * std::numbers::pi) : -20, 1e-13);
  }
}

/// The centres follow the bias in the basis, whether the bias was pruned or never there.
TEST(KernelValidity, FindsTheCentresOfColumnsWithAndWithoutBias) {
  ValidityProblem pruned = test::random_problem({.gamma = 0.4}, Task::regression, false, 9);
  for (auto* values : {&pruned.fit.weights, &pruned.fit.alpha, &pruned.fit.gamma}) values->erase(values->begin());
  pruned.fit.columns.erase(pruned.fit.columns.begin());
  ValidityProblem without = pruned;
  without.bias = false;
  for (std::uint32_t& column : without.fit.columns) --column;
  ValidityProblem zero = pruned;
  zero.fit.columns.insert(zero.fit.columns.begin(), 0);
  for (auto* values : {&zero.fit.weights, &zero.fit.alpha, &zero.fit.gamma}) values->insert(values->begin(), 0.0);
  EXPECT_EQ(pruned.validity().kernels, 9U);
  expect_same(pruned.validity(), without.validity(), "no bias in the basis");
  expect_same(pruned.validity(), zero.validity(), "a bias of 0");
}

TEST(KernelValidity, OfAnExtremeWidthIsFinite) {
  for (const KernelType type : {KernelType::rbf, KernelType::laplacian}) {
    for (const double gamma : {1e-37, 1e-12, 1e12, 1e37}) {
      for (const Task task : tasks) {
        const ValidityProblem problem = test::random_problem({.type = type, .gamma = gamma}, task, false, 10);
        EXPECT_TRUE(std::isfinite(problem.validity().log_validity)) << gamma << " " << describe(problem);
      }
    }
  }
}

TEST(KernelValidity, NeedsTheMemoryThatIsSaid) {
  test::Surroundings surroundings;
  for (const KernelType type : {KernelType::rbf, KernelType::laplacian}) {
    const ValidityProblem problem = test::random_problem({.type = type, .gamma = 0.4}, Task::classification, false, 8);
    const auto within = [&](std::size_t bytes) {
      const core::Context context{surroundings.threads, surroundings.monitor, bytes};
      return rvm::kernel_validity(problem.kernel, data::Features(problem.rows), data::Features(problem.centres), true,
                                  problem.fit, problem.targets, problem.task, {}, context);
    };
    const std::size_t matrices = type == KernelType::laplacian ? 5 : 4;
    const std::size_t needed = rvm::validity_memory(type, 24, 3, 9);
    EXPECT_EQ(needed, 8 * (matrices * 9 * 3 + 24 * (3 + 9)));
    EXPECT_EQ(within(needed).kernels, 9U);
    test::expect_error(ErrorCode::memory, "9 kernels with 3 features", [&] { within(needed - 1); });
  }
}

class KernelValidityRefuses : public testing::Test {
 protected:
  void expect(const std::string& part, ErrorCode code = ErrorCode::invalid_argument) {
    test::expect_error(code, part, [this] { problem_.validity(); });
  }
  ValidityProblem problem_ = test::random_problem({.gamma = 0.4}, Task::classification, false, 12);
};

TEST_F(KernelValidityRefuses, AKernelOutOfRange) {
  problem_.kernel.gamma = -1;
  expect("gamma");
}

TEST_F(KernelValidityRefuses, TooFewTargets) {
  problem_.targets.pop_back();
  expect("23 for 24 rows");
}

TEST_F(KernelValidityRefuses, TargetsThatAreNotOfTheTask) {
  problem_.targets[4] = 2;
  expect("target 2 of row 5 is not 0 or 1");
  problem_.task = Task::regression;
  problem_.targets[4] = std::nan("");
  expect("row 5 is not a finite number");
}

TEST_F(KernelValidityRefuses, NoRows) {
  problem_.rows = data::DenseMatrix(0, 3);
  problem_.targets.clear();
  expect("0 rows");
}

TEST_F(KernelValidityRefuses, CentresOfAnotherNumberOfFeatures) {
  problem_.centres = data::DenseMatrix(12, 2);
  expect("2 features and the rows 3");
}

TEST_F(KernelValidityRefuses, ColumnsBehindTheLastCentre) {
  problem_.fit.columns.back() = 13;
  expect("column 13");
  problem_.fit.columns.back() = 12;
  problem_.validity();
}

TEST_F(KernelValidityRefuses, ColumnsThatDoNotAscend) {
  std::swap(problem_.fit.columns[2], problem_.fit.columns[3]);
  expect("ascend");
}

TEST_F(KernelValidityRefuses, MissingWeightsOrGamma) {
  problem_.fit.weights.pop_back();
  expect("9 weights");
  problem_.fit.weights.push_back(1);
  problem_.fit.gamma.pop_back();
  expect("9 gamma");
}

TEST_F(KernelValidityRefuses, WeightsGammaAndNoiseThatCannotBe) {
  problem_.fit.gamma[1] = 1.5;
  expect("gamma of column 1");
  problem_.fit.gamma[1] = 0.5;
  problem_.fit.weights[2] = std::numeric_limits<double>::infinity();
  expect("weight of column 2");
  problem_.fit.weights[2] = 1;
  problem_.task = Task::regression;
  problem_.fit.noise_variance = 0;
  expect("noise variance");
}

TEST_F(KernelValidityRefuses, DerivativesThatOverflow) {
  problem_.kernel = {.type = KernelType::polynomial, .gamma = 1, .coef0 = 0, .degree = 3};
  problem_.task = Task::regression;
  for (double& value : problem_.rows.values) value *= 1e90;
  expect("not finite", ErrorCode::invalid_data);
}

}  // namespace validity_contract_tests
