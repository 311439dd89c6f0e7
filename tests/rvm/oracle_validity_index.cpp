#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "credence/kernel/gram.hpp"
#include "credence/rvm/validity.hpp"
#include "support/rvm_fits.hpp"

namespace credence::rvm {
namespace oracle_validity_index_tests {

using test::KernelProblem;
using test::SparseProblem;

kernel::Kernel gaussian(double sigma) {
  return {.type = kernel::KernelType::rbf, .gamma = 1 / (2 * sigma * sigma)};
}

/// Ones and the library's own kernel values.
SparseProblem with_kernel(const KernelProblem& data, const kernel::Kernel& kernel) {
  const data::DenseMatrix block = kernel::kernel_block(kernel, data.x, data.x);
  SparseProblem problem{data::DenseMatrix(block.rows, block.columns + 1), data.targets, data.task};
  for (std::size_t n = 0; n < block.rows; ++n) {
    problem.phi.row(n)[0] = 1;
    std::copy(block.row(n).begin(), block.row(n).end(), problem.phi.row(n).begin() + 1);
  }
  return problem;
}

Validity validity_of(const KernelProblem& data, double sigma, const Posterior& fit) {
  const test::Surroundings surroundings;
  return kernel_validity(gaussian(sigma), data.x, data.x, true, fit, data.targets, data.task, {.cap = false},
                         surroundings.context);
}

struct Row {
  double sigma, evidence, validity;
};

Row row_of(const KernelProblem& data, double sigma, const FitOptions& options) {
  const Fit fit = test::fit_of(with_kernel(data, gaussian(sigma)), options);
  return {sigma, fit.log_evidence, validity_of(data, sigma, fit).log_validity};
}

TEST(ValidityIndex, FixedAlphaHasThePrintedValues) {
  KernelProblem data{data::DenseMatrix(4, 1), {0.1, 0.9, 1.1, -0.2}, data::Task::regression};
  for (std::size_t i = 0; i < 4; ++i) data.x.row(i)[0] = static_cast<double>(i);
  const test::Columns columns{0, 1, 2, 3, 4};
  const test::Vector alpha{0.5, 1, 2, 3, 4};
  EXPECT_NEAR(validity_of(data, 1, test::posterior_of(data.with_width(1), columns, alpha, 0.04)).log_validity,
              -7.807700614793, 1e-10);
  data.targets = {0, 1, 1, 0};
  data.task = data::Task::classification;
  EXPECT_NEAR(validity_of(data, 1, test::posterior_of(data.with_width(1), columns, alpha)).log_validity,
              -2.954199004035, 1e-10);
}

/// One kernel more that is as good as pruned changes nothing.
TEST(ValidityIndex, DeadColumnsChangeNothing) {
  const KernelProblem data = test::square_problem();
  const SparseProblem problem = data.with_width(0.3);
  test::Columns columns{0, 5, 9, 30};
  test::Vector alpha{0.5, 0.2, 0.1, 0.7};
  const double without = validity_of(data, 0.3, test::posterior_of(problem, columns, alpha)).log_validity;
  columns.push_back(44);
  alpha.push_back(1e14);
  EXPECT_NEAR(validity_of(data, 0.3, test::posterior_of(problem, columns, alpha)).log_validity, without, 1e-6);
}

TEST(ValidityIndex, SincWithDeterministicNoise) {
  const FitOptions options{.max_iterations = 2000, .evidence_tolerance = 1e-6, .inner_tolerance = 1e-12};
  const std::vector<Row> printed{{0.5, 97.315, 75.513}, {1, 107.438, 97.842},   {1.6, 110.105, 102.423},
                                 {2, 109.231, 101.646}, {2.5, 105.210, 94.306}, {3, 101.190, 85.993},
                                 {5, 82.375, 48.557}};
  std::vector<double> curve;
  for (const Row& expected : printed) {
    const Row row = row_of(test::sinc_problem(), expected.sigma, options);
    EXPECT_NEAR(row.evidence, expected.evidence, 1.5) << expected.sigma;
    EXPECT_NEAR(row.validity, expected.validity, 4) << expected.sigma;
    curve.push_back(row.validity);
  }
  const auto best = std::max_element(curve.begin(), curve.end()) - curve.begin();
  EXPECT_TRUE(best >= 1 && best <= 3) << "sigma " << printed[static_cast<std::size_t>(best)].sigma;
}

TEST(ValidityIndex, UnitSquare) {
  const FitOptions options{.max_iterations = 5000, .evidence_tolerance = 1e-8};
  for (const Row& expected :
       std::vector<Row>{{0.05, -31.2199, -75.6536}, {1, -35.3924, -42.1715}, {3, -38.0231, -43.6323}}) {
    const Row row = row_of(test::square_problem(), expected.sigma, options);
    EXPECT_NEAR(row.evidence, expected.evidence, 0.01) << expected.sigma;
    EXPECT_NEAR(row.validity, expected.validity, 0.1) << expected.sigma;
  }
}

}  // namespace oracle_validity_index_tests
}  // namespace credence::rvm
