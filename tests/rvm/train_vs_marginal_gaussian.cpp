#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "credence/rvm/train.hpp"
#include "support/context.hpp"
#include "support/random_data.hpp"
#include "support/reference_kernel.hpp"

// Given alpha and the noise, a regression is a Gaussian process with the covariance phi(x)' A^-1 phi(x'): mean and
// variance at a new row are those of a conditional normal distribution, computed here with dense matrices of the rows.
namespace credence::rvm {
namespace train_vs_marginal_gaussian_tests {

using test::Surroundings;

/// The solution of a square system, by elimination with row exchanges.
std::vector<double> solve(data::DenseMatrix a, std::vector<double> b) {
  const std::size_t n = a.rows;
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k + 1; i < n; ++i)
      if (std::abs(a.row(i)[k]) > std::abs(a.row(pivot)[k])) pivot = i;
    for (std::size_t j = 0; j < n; ++j) std::swap(a.row(k)[j], a.row(pivot)[j]);
    std::swap(b[k], b[pivot]);
    for (std::size_t i = k + 1; i < n; ++i) {
      const double factor = a.row(i)[k] / a.row(k)[k];
      for (std::size_t j = k; j < n; ++j) a.row(i)[j] -= factor * a.row(k)[j];
      b[i] -= factor * b[k];
    }
  }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t j = k + 1; j < n; ++j) b[k] -= a.row(k)[j] * b[j];
    b[k] /= a.row(k)[k];
  }
  return b;
}

double dot(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

struct Case {
  data::Dataset dataset;
  kernel::Kernel kernel;
  std::vector<std::uint32_t> columns;  ///< of the basis
  std::vector<double> alpha;
  double noise = 0.04;
};

Case random_case(const kernel::Kernel& kernel, bool bias) {
  const data::DenseMatrix x = test::random_matrix(25, 2, 6);
  std::vector<double> targets;
  for (std::size_t i = 0; i < 25; ++i) targets.push_back(std::sin(2 * x.row(i)[0]) + 0.2 * x.row(i)[1]);
  Case one{data::make_regression_dataset(data::Features(x), targets), kernel, {}, {}};
  for (std::uint32_t m = bias ? 0 : 1; m <= 25; m += m % 3 + 1) {
    one.columns.push_back(m);
    one.alpha.push_back(0.2 + 0.1 * m);
  }
  return one;
}

/// phi of a row: the bias, if it is there, and the kernels.
std::vector<double> phi_of(const Case& one, std::span<const double> row) {
  std::vector<double> phi;
  for (const std::uint32_t m : one.columns)
    phi.push_back(m == 0 ? 1 : test::reference_kernel(one.kernel, row, one.dataset.features.dense().row(m - 1)));
  return phi;
}

/// phi' A^-1 psi.
double prior_covariance(const Case& one, const std::vector<double>& phi, const std::vector<double>& psi) {
  double sum = 0;
  for (std::size_t m = 0; m < phi.size(); ++m) sum += phi[m] * psi[m] / one.alpha[m];
  return sum;
}

struct Conditional {
  double mean = 0;
  double variance = 0;
};

Conditional conditional_at(const Case& one, std::span<const double> row) {
  const data::DenseMatrix& x = one.dataset.features.dense();
  const std::vector<double> fresh = phi_of(one, row);
  data::DenseMatrix covariance(x.rows, x.rows);
  std::vector<double> cross;
  for (std::size_t i = 0; i < x.rows; ++i) {
    const std::vector<double> phi = phi_of(one, x.row(i));
    for (std::size_t j = 0; j < x.rows; ++j)
      covariance.row(i)[j] = prior_covariance(one, phi, phi_of(one, x.row(j))) + (i == j ? one.noise : 0);
    cross.push_back(prior_covariance(one, phi, fresh));
  }
  return {dot(cross, solve(covariance, one.dataset.targets)),
          one.noise + prior_covariance(one, fresh, fresh) - dot(cross, solve(covariance, cross))};
}

RvmModel model_with_given_alpha(const Case& one, const core::Context& context) {
  const Problem problem = make_problem(one.dataset, one.dataset.features, one.kernel.type, {}, 0);
  const Basis basis = basis_of(problem, one.kernel);
  KernelFit fit;
  fit.kernel = one.kernel;
  Fit& machine = fit.machines.emplace_back();
  static_cast<Posterior&>(machine) =
      posterior(basis, one.columns, one.alpha, problem.targets[0], problem.task, one.noise, true, context);
  machine.status = Status::converged;
  return model_of(problem, fit, one.dataset);
}

TEST(RvmRegression, MeanAndVarianceAreThoseOfTheMarginalGaussian) {
  Surroundings surroundings;
  const data::DenseMatrix fresh = test::random_matrix(15, 2, 60, 1.5);
  for (const kernel::Kernel& kernel :
       {kernel::Kernel{.type = kernel::KernelType::rbf, .gamma = 0.5},
        {.type = kernel::KernelType::laplacian, .gamma = 0.3},
        {.type = kernel::KernelType::polynomial, .gamma = 0.4, .coef0 = 1, .degree = 2}}) {
    for (const bool bias : {true, false}) {
      SCOPED_TRACE(testing::Message() << kernel::name(kernel.type) << ", bias " << bias);
      const Case one = random_case(kernel, bias);
      const RvmModel model = model_with_given_alpha(one, surroundings.context);
      EXPECT_EQ(model.machines[0].has_bias, bias);
      EXPECT_EQ(model.centre_count() + (bias ? 1 : 0), one.columns.size());
      EXPECT_TRUE(model.class_counts.empty());
      const auto prediction = model.predict_preprocessed(fresh, surroundings.context);
      for (std::size_t i = 0; i < fresh.rows; ++i) {
        const Conditional exact = conditional_at(one, fresh.row(i));
        EXPECT_NEAR(prediction.mean[i], exact.mean, 1e-8 * (1 + std::abs(exact.mean)));
        EXPECT_NEAR(prediction.sd[i], std::sqrt(exact.variance), 1e-8 * (1 + std::sqrt(exact.variance)));
      }
    }
  }
}

}  // namespace train_vs_marginal_gaussian_tests
}  // namespace credence::rvm
