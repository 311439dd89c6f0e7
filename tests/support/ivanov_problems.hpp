#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "credence/core/monitor.hpp"
#include "credence/core/random.hpp"
#include "credence/svm/ivanov.hpp"
#include "credence/svm/loss.hpp"
#include "support/ivanov_primal.hpp"
#include "support/random_data.hpp"
#include "support/reference_kernel.hpp"

namespace credence::test {

inline data::DenseMatrix points(std::size_t d, const std::vector<double>& values) {
  data::DenseMatrix x(values.size() / d, d);
  x.values = values;
  return x;
}

/// X X'.
inline data::DenseMatrix products(const data::DenseMatrix& x) {
  return reference_block({.type = kernel::KernelType::linear}, x, x);
}

/// Six points that no line separates, with small whole numbers.
inline data::DenseMatrix six_points() {
  return points(2, {0, 0, 1, 0, 0, 2, 3, 1, 2, 3, -1, 1});
}
inline const std::vector<int> six_labels{1, -1, 1, -1, 1, -1};

/// Tolerances at which values agree with worked ones to eight digits.
inline svm::IvanovOptions exact_options(bool bias = true) {
  svm::IvanovOptions options;
  options.bias = bias;
  options.norm_tolerance = 1e-9;
  options.solver.tolerance = 1e-11;
  return options;
}

/// Kernel values, labels and a hint, on which functions of the solver's contract are called.
struct IvanovProblem {
  data::DenseMatrix k;
  std::vector<int> y;
  std::vector<double> hint{};
  std::string what{};

  svm::IvanovSolution hinge(double rho, const svm::IvanovOptions& options) const {
    MatrixRows rows(k);
    const core::Monitor monitor;
    return svm::ivanov_hinge(rows, y, hint, rho, options, monitor);
  }
  svm::IvanovSolution exact(double rho, const svm::IvanovOptions& options) const {
    MatrixRows rows(k);
    const core::Monitor monitor;
    return svm::ivanov_soft_exact(rows, y, hint, rho, options, monitor);
  }
};

/// A sweep over rho with all that it needs to live.
class SoftSweep {
 public:
  SoftSweep(const IvanovProblem& problem, const svm::IvanovOptions& options)
      : rows_(problem.k),
        y_(problem.y),
        hint_(problem.hint),
        options_(options),
        sweep_(rows_, y_, hint_, options_, monitor_) {}
  SoftSweep(const SoftSweep&) = delete;
  SoftSweep& operator=(const SoftSweep&) = delete;

  const svm::IvanovSolution& at(double rho) {
    sweep_.grow_to(rho);
    return sweep_.solution();
  }
  const svm::SoftIvanov& sweep() const { return sweep_; }
  core::Monitor& monitor() { return monitor_; }

 private:
  MatrixRows rows_;
  std::vector<int> y_;
  std::vector<double> hint_;
  svm::IvanovOptions options_;
  core::Monitor monitor_;
  svm::SoftIvanov sweep_;
};

/// The soft minimum found at one rho, from scratch.
inline svm::IvanovSolution soft_at(const IvanovProblem& problem, double rho, const svm::IvanovOptions& options) {
  SoftSweep sweep(problem, options);
  return sweep.at(rho);
}

inline double mean_soft_loss(const std::vector<int>& y, const std::vector<double>& decisions) {
  double sum = 0;
  for (std::size_t i = 0; i < y.size(); ++i) sum += svm::soft_loss(y[i] * decisions[i]);
  return sum / static_cast<double>(y.size());
}
inline double mean_hinge_loss(const std::vector<int>& y, const std::vector<double>& decisions) {
  double sum = 0;
  for (std::size_t i = 0; i < y.size(); ++i) sum += svm::hinge_loss(y[i] * decisions[i]);
  return sum / static_cast<double>(y.size());
}

/// The share of the rarer label: what a constant classifier loses.
inline double rarer_share(const std::vector<int>& y) {
  double positive = 0;
  for (const int label : y) positive += label > 0 ? 1 : 0;
  const auto n = static_cast<double>(y.size());
  return std::min(positive, n - positive) / n;
}

/// Bit i of `code` says whether label i is +1.
inline std::vector<int> signs_of(std::size_t code, std::size_t n) {
  std::vector<int> signs(n, -1);
  for (std::size_t i = 0; i < n; ++i) signs[i] = (code >> i & 1U) != 0 ? 1 : -1;
  return signs;
}

/// The codes of n bits of which half are set.
inline std::vector<std::size_t> half_splits(std::size_t n) {
  std::vector<std::size_t> codes;
  for (std::size_t code = 0; code < std::size_t{1} << n; ++code) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < n; ++i) count += code >> i & 1U;
    if (2 * count == n) codes.push_back(code);
  }
  return codes;
}

inline std::vector<int> flipped(std::vector<int> y, std::size_t code) {
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = (code >> i & 1U) != 0 ? -y[i] : y[i];
  return y;
}

inline std::vector<int> random_signs(std::size_t n, std::uint64_t seed) {
  core::RandomStream random(seed, 111);
  std::vector<int> y;
  for (std::size_t i = 0; i < n; ++i) y.push_back(random.below(2) == 0 ? -1 : 1);
  return y;
}

inline std::vector<double> random_hint(std::size_t n, double size, std::uint64_t seed) {
  core::RandomStream random(seed, 112);
  std::vector<double> hint;
  for (std::size_t i = 0; i < n; ++i) hint.push_back(size * random.normal());
  return hint;
}

/// Normal deviates as multiples of 1/64: products, sums and shifts are exact in float.
inline data::DenseMatrix coarse_matrix(std::size_t n, std::size_t d, std::uint64_t seed) {
  data::DenseMatrix x = random_matrix(n, d, seed);
  for (double& value : x.values) value = std::round(64 * value) / 64;
  return x;
}

/// Two dimensions and n rows: linear and rbf kernel, labels by chance or by a noisy line, without and with a hint.
inline std::vector<IvanovProblem> random_ivanov_problems(std::size_t n, std::uint64_t seed) {
  const data::DenseMatrix x = coarse_matrix(n, 2, seed);
  std::vector<int> noisy = random_signs(n, seed);
  for (std::size_t i = 0; i < n; ++i)
    if (i % 6 != 0) noisy[i] = x.row(i)[0] + 0.3 * x.row(i)[1] > 0.1 ? 1 : -1;
  const kernel::Kernel rbf{.type = kernel::KernelType::rbf, .gamma = 0.7};
  const std::string where = ", n = " + std::to_string(n) + ", seed " + std::to_string(seed);
  return {{products(x), noisy, {}, "linear, noisy line" + where},
          {products(x), random_signs(n, seed + 1), random_hint(n, 1.2, seed), "linear, chance, hint" + where},
          {reference_block(rbf, x, x), random_signs(n, seed + 2), {}, "rbf, chance" + where},
          {reference_block(rbf, x, x), noisy, random_hint(n, 1.2, seed + 1), "rbf, noisy line, hint" + where}};
}

/// decisions = K beta + bias + hint, |w|^2 = beta'K beta <= rho (1 + tolerance), sum(beta) = 0 with bias.
inline void expect_consistent(const IvanovProblem& problem, const svm::IvanovSolution& found, double rho,
                              const svm::IvanovOptions& options, const std::string& what) {
  const std::size_t n = problem.y.size();
  ASSERT_EQ(found.beta.size(), n) << what;
  ASSERT_EQ(found.decisions.size(), n) << what;
  ASSERT_TRUE(std::isfinite(found.bias)) << what;
  const data::DenseMatrix k = MatrixRows(problem.k).matrix();
  double norm = 0;
  double sum = 0;
  double size = 0;
  double squares = 0;
  for (std::size_t i = 0; i < n; ++i) {
    double product = 0;
    double terms = 0;
    for (std::size_t j = 0; j < n; ++j) {
      product += k.row(i)[j] * found.beta[j];
      terms += std::abs(k.row(i)[j] * found.beta[j]);
    }
    const double f = product + found.bias + (problem.hint.empty() ? 0 : problem.hint[i]);
    ASSERT_NEAR(found.decisions[i], f, 1e-12 + 1e-9 * (terms + std::abs(f))) << what << ", row " << i;
    norm += product * found.beta[i];
    sum += found.beta[i];
    size += std::abs(found.beta[i]);
    squares += std::abs(found.beta[i]) * terms;
  }
  const double accuracy = std::max(1e-6, options.norm_tolerance / 10);
  EXPECT_NEAR(found.norm, norm, accuracy * std::abs(norm) + 1e-10 * rho + 1e-12 * squares) << what;
  EXPECT_LE(found.norm, rho * (1 + options.norm_tolerance) + 1e-300) << what;
  if (options.bias)
    EXPECT_LE(std::abs(sum), 1e-6 * size) << what;
  else
    EXPECT_EQ(found.bias, 0) << what;
}

}  // namespace credence::test
