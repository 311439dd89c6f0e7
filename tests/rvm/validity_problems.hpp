#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <span>
#include <string>
#include <vector>

#include "credence/core/random.hpp"
#include "credence/data/dataset.hpp"
#include "credence/data/features.hpp"
#include "credence/kernel/kernel.hpp"
#include "credence/rvm/sparse_bayes.hpp"
#include "credence/rvm/validity.hpp"
#include "support/context.hpp"
#include "support/random_data.hpp"

namespace credence::test {

/// A kernel machine whose numbers need not come from a fit: what the index is computed from.
struct ValidityProblem {
  kernel::Kernel kernel;
  data::DenseMatrix rows;
  data::DenseMatrix centres;
  bool bias = true;
  rvm::Posterior fit;
  std::vector<double> targets;
  data::Task task = data::Task::classification;

  /// Row of `centres` of the i-th retained kernel.
  std::size_t centre_of(std::size_t i) const {
    const bool kept_bias = bias && !fit.columns.empty() && fit.columns.front() == 0;
    return fit.columns[i + (kept_bias ? 1 : 0)] - (bias ? 1U : 0U);
  }
  rvm::Validity validity(const rvm::ValidityOptions& options = {}, int threads = 1) const {
    const Surroundings surroundings(threads);
    return rvm::kernel_validity(kernel, data::Features(rows), data::Features(centres), bias, fit, targets, task,
                                options, surroundings.context);
  }
};

/// Rows 0, 2, 4, ... are the centres, three of four of them retained; weights and gamma are random. On a grid many
/// coordinates of different rows are equal.
inline ValidityProblem random_problem(const kernel::Kernel& kernel, data::Task task, bool grid, std::uint64_t seed) {
  constexpr std::size_t n = 24;
  ValidityProblem problem{kernel, random_matrix(n, 3, seed), {}, true, {}, {}, task};
  if (grid)
    for (double& value : problem.rows.values) value = 0.5 * std::round(2 * value);
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < n; i += 2) chosen.push_back(i);
  problem.centres = rows_of_matrix(problem.rows, chosen);
  core::RandomStream random(seed, 103);
  for (std::uint32_t column = 0; column <= problem.centres.rows; ++column) {
    if (column % 4 == 3) continue;
    problem.fit.columns.push_back(column);
    problem.fit.weights.push_back(random.normal());
    problem.fit.alpha.push_back(1);
    problem.fit.gamma.push_back(random.uniform());
  }
  for (std::size_t i = 0; i < n; ++i)
    problem.targets.push_back(task == data::Task::regression ? random.normal() : (random.uniform() < 0.5 ? 0 : 1));
  problem.fit.noise_variance = 0.3;
  problem.fit.log_evidence = -20;
  return problem;
}

/// The kernels that have an index, with parameters for which all terms count on standard normal features.
inline std::vector<kernel::Kernel> validity_kernels() {
  return {{.type = kernel::KernelType::rbf, .gamma = 0.4},
          {.type = kernel::KernelType::laplacian, .gamma = 0.7},
          {.type = kernel::KernelType::polynomial, .gamma = 0.3, .coef0 = 1, .degree = 3},
          {.type = kernel::KernelType::polynomial, .gamma = 0.3, .coef0 = 0, .degree = 2},
          {.type = kernel::KernelType::polynomial, .gamma = 0.3, .coef0 = 0, .degree = 1}};
}

inline std::string describe(const ValidityProblem& problem) {
  return std::string(kernel::name(problem.kernel.type)) + " of degree " + std::to_string(problem.kernel.degree) +
         (problem.task == data::Task::regression ? ", regression" : ", classification");
}

/// K(x, z), term by term with 18 digits.
inline long double precise_kernel(const kernel::Kernel& kernel, std::span<const double> x,
                                  std::span<const long double> z) {
  long double dot = 0;
  long double squared = 0;
  long double absolute = 0;
  for (std::size_t j = 0; j < x.size(); ++j) {
    dot += x[j] * z[j];
    squared += (x[j] - z[j]) * (x[j] - z[j]);
    absolute += std::abs(x[j] - z[j]);
  }
  if (kernel.type == kernel::KernelType::rbf) return std::exp(-kernel.gamma * squared);
  if (kernel.type == kernel::KernelType::laplacian) return std::exp(-kernel.gamma * absolute);
  return std::pow(kernel.gamma * dot + kernel.coef0, kernel.degree);
}

/// The part of log Q that a centre can change, sum_n l_n, after coordinate j of the centre of kernel i moved by `step`.
inline long double moved_log_likelihood(const ValidityProblem& problem, std::size_t i, std::size_t j,
                                        long double step) {
  long double sum = 0;
  for (std::size_t n = 0; n < problem.rows.rows; ++n) {
    long double y = 0;
    std::size_t kernel = 0;
    for (std::size_t c = 0; c < problem.fit.columns.size(); ++c) {
      if (problem.bias && problem.fit.columns[c] == 0) {
        y += problem.fit.weights[c];
        continue;
      }
      const auto given = problem.centres.row(problem.centre_of(kernel));
      std::vector<long double> z(given.begin(), given.end());
      if (kernel == i) z[j] += step;
      y += problem.fit.weights[c] * precise_kernel(problem.kernel, problem.rows.row(n), z);
      ++kernel;
    }
    const long double t = problem.targets[n];
    const long double s2 = problem.fit.noise_variance;
    sum += problem.task == data::Task::regression
               ? -(t - y) * (t - y) / (2 * s2) - 0.5L * std::log(2 * std::numbers::pi_v<long double> * s2)
               : -std::log1p(std::exp(t > 0.5L ? -y : y));
  }
  return sum;
}

}  // namespace credence::test
