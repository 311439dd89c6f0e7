#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "credence/rvm/train.hpp"
#include "support/expect_error.hpp"
#include "support/random_data.hpp"
#include "support/reference_kernel.hpp"

namespace credence::rvm {
namespace problem_contract_tests {

using kernel::KernelType;
using test::expect_error;

data::Dataset classes(int count = 2, std::size_t rows = 24) {
  return test::random_clouds(rows, 3, count, 1, 4).dataset();
}

data::Dataset regression(std::size_t rows = 24) {
  const data::DenseMatrix x = test::random_matrix(rows, 3, 5);
  std::vector<double> targets;
  for (std::size_t i = 0; i < rows; ++i) targets.push_back(x.row(i)[0] - 2 * x.row(i)[2]);
  return data::make_regression_dataset(data::Features(x), targets);
}

Problem problem_of(const data::Dataset& dataset, KernelType type = KernelType::rbf,
                   std::optional<std::size_t> centres = std::nullopt) {
  return make_problem(dataset, dataset.features, type, centres, 1);
}

TEST(MakeProblem, HasAMachineForTwoClassesAndOneForEachOfMore) {
  const data::Dataset two = classes(2);
  const Problem binary = problem_of(two);
  ASSERT_EQ(binary.machines(), 1U);
  EXPECT_EQ(binary.positive, std::vector<int>{1});
  for (std::size_t i = 0; i < two.rows(); ++i) EXPECT_EQ(binary.targets[0][i], two.labels[i]);
  const data::Dataset four = classes(4);
  const Problem many = problem_of(four);
  ASSERT_EQ(many.machines(), 4U);
  EXPECT_EQ(many.positive, (std::vector<int>{0, 1, 2, 3}));
  for (std::size_t c = 0; c < 4; ++c)
    for (std::size_t i = 0; i < four.rows(); ++i)
      EXPECT_EQ(many.targets[c][i], four.labels[i] == static_cast<int>(c) ? 1 : 0);
}

TEST(MakeProblem, KeepsTheTargetsOfARegression) {
  const data::Dataset dataset = regression();
  const Problem problem = problem_of(dataset, KernelType::laplacian, 5);
  EXPECT_EQ(problem.task, data::Task::regression);
  ASSERT_EQ(problem.machines(), 1U);
  EXPECT_EQ(problem.targets[0], dataset.targets);
  EXPECT_EQ(problem.positive, std::vector<int>{0});
  EXPECT_EQ(problem.centre_rows.size(), 5U);
}

TEST(MakeProblem, RefusesWhatCannotBeLearntFrom) {
  const auto refused = [](const data::Dataset& dataset, ErrorCode code, const char* part) {
    expect_error(code, part, [&] { problem_of(dataset); });
  };
  data::Dataset one_class = classes();
  std::ranges::fill(one_class.labels, 1);
  refused(one_class, ErrorCode::invalid_data, "at least two classes");
  data::Dataset weighted = classes();
  weighted.weights.assign(24, 1.5);
  refused(weighted, ErrorCode::invalid_data, "no sample weights");
  data::Dataset unlabelled = classes();
  unlabelled.labels.clear();
  refused(unlabelled, ErrorCode::invalid_data, "no labels");
  data::Dataset constant = regression();
  std::ranges::fill(constant.targets, 3.0);
  refused(constant, ErrorCode::invalid_data, "all");
  data::Dataset unknown = regression();
  unknown.targets[3] = std::numeric_limits<double>::quiet_NaN();
  refused(unknown, ErrorCode::invalid_data, "");
  data::Dataset untold = regression();
  untold.targets.clear();
  refused(untold, ErrorCode::invalid_data, "no targets");
  weighted = regression();
  weighted.weights.assign(24, 1.5);
  refused(weighted, ErrorCode::invalid_data, "no sample weights");
  const data::Dataset dataset = classes();
  expect_error(ErrorCode::invalid_argument, "number of preprocessed rows differs",
               [&] { make_problem(dataset, data::DenseMatrix(23, 3), KernelType::rbf, {}, 1); });
  expect_error(ErrorCode::invalid_argument, "at least 1", [&] { problem_of(dataset, KernelType::rbf, 0); });
  expect_error(ErrorCode::invalid_data, "as many columns as rows",
               [&] { problem_of(dataset, KernelType::precomputed); });
}

TEST(BasisOf, AgreesWithTheFormulas) {
  const data::Dataset dataset = classes(2, 150);
  for (const kernel::Kernel& kernel : test::formula_kernels(3)) {
    for (const std::size_t centres : {150U, 40U}) {
      for (const bool sparse : {false, true}) {
        Problem problem = problem_of(dataset, kernel.type, centres);
        const data::DenseMatrix rows = problem.rows.dense();
        if (sparse) problem.rows = data::Features(test::sparse_of(rows));
        const Basis basis = basis_of(problem, kernel);
        ASSERT_EQ(basis.rows, 150U);
        ASSERT_EQ(basis.columns, problem.centre_rows.size() + 1);
        for (std::size_t n = 0; n < 150; ++n) {
          EXPECT_EQ(basis.column(0)[n], 1);
          for (std::size_t m = 1; m < basis.columns; ++m) {
            const double exact = test::reference_kernel(kernel, rows.row(n), rows.row(problem.centre_rows[m - 1]));
            ASSERT_NEAR(basis.column(m)[n], exact, 1e-12 * (1 + std::abs(exact))) << kernel::name(kernel.type);
          }
        }
      }
    }
  }
}

/// Training and prediction see the very same kernel values.
TEST(BasisOf, IsWhatAPredictorComputes) {
  const data::Dataset dataset = classes(2, 60);
  for (const kernel::Kernel& kernel : test::formula_kernels(3)) {
    const Problem problem = problem_of(dataset, kernel.type);
    const Basis basis = basis_of(problem, kernel);
    const data::DenseMatrix block =
        kernel::kernel_block(kernel, problem.rows, problem.rows.select_rows(problem.centre_rows));
    for (std::size_t n = 0; n < 60; ++n)
      for (std::size_t m = 1; m < basis.columns; ++m) EXPECT_EQ(basis.column(m)[n], block.row(n)[m - 1]);
  }
}

TEST(BasisOf, TakesGivenValuesAsTheyAre) {
  data::Dataset dataset = classes(2, 40);
  const kernel::Kernel rbf{.type = KernelType::rbf, .gamma = 0.5};
  dataset.features = kernel::kernel_block(rbf, dataset.features, dataset.features);
  for (const bool sparse : {false, true}) {
    for (const std::size_t centres : {40U, 11U}) {
      const data::DenseMatrix values = dataset.features.dense();
      const Problem problem =
          make_problem(dataset, sparse ? data::Features(test::sparse_of(values)) : data::Features(values),
                       KernelType::precomputed, centres, 3);
      ASSERT_EQ(problem.centre_rows.size(), centres);
      const Basis basis = basis_of(problem, {.type = KernelType::precomputed});
      for (std::size_t n = 0; n < 40; ++n)
        for (std::size_t m = 0; m < centres; ++m)
          EXPECT_EQ(basis.column(m + 1)[n], values.row(n)[problem.centre_rows[m]]);
      expect_error(ErrorCode::invalid_argument, "must be precomputed", [&] { basis_of(problem, rbf); });
    }
  }
  expect_error(ErrorCode::invalid_argument, "must not be precomputed",
               [&] { basis_of(problem_of(classes()), {.type = KernelType::precomputed}); });
}

TEST(SigmaAndGamma, AreInverse) {
  EXPECT_EQ(gamma_of_sigma(1), 0.5);
  EXPECT_EQ(gamma_of_sigma(5), 0.02);
  for (const double sigma : {1e-3, 0.3, 7.0, 1e6})
    EXPECT_NEAR(sigma_of_gamma(gamma_of_sigma(sigma)), sigma, 1e-12 * sigma);
  for (const double bad :
       {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    expect_error(ErrorCode::invalid_argument, "sigma", [&] { gamma_of_sigma(bad); });
    expect_error(ErrorCode::invalid_argument, "gamma", [&] { sigma_of_gamma(bad); });
  }
}

}  // namespace problem_contract_tests
}  // namespace credence::rvm
