#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <utility>
#include <vector>

#include "credence/core/random.hpp"
#include "credence/rvm/sparse_bayes.hpp"
#include "support/random_data.hpp"
#include "support/rvm_reference.hpp"

/// Small problems of sparse Bayesian learning: those whose results are known, and random ones.
namespace credence::test {

inline rvm::Basis basis_of(const DenseMatrix& phi) {
  rvm::Basis basis(phi.rows, phi.columns);
  for (std::size_t m = 0; m < phi.columns; ++m)
    for (std::size_t n = 0; n < phi.rows; ++n) basis.column(m)[n] = phi.row(n)[m];
  return basis;
}

/// Ones, then exp(-|x - z|^2 / (2 sigma^2)) for each centre: N x (1 + centres).
inline DenseMatrix gaussian_columns(const DenseMatrix& x, const DenseMatrix& centres, double sigma) {
  DenseMatrix phi(x.rows, centres.rows + 1);
  for (std::size_t n = 0; n < x.rows; ++n) {
    phi.row(n)[0] = 1;
    for (std::size_t m = 0; m < centres.rows; ++m) {
      double squared = 0;
      for (std::size_t j = 0; j < x.columns; ++j) squared += std::pow(x.row(n)[j] - centres.row(m)[j], 2);
      phi.row(n)[m + 1] = std::exp(-squared / (2 * sigma * sigma));
    }
  }
  return phi;
}

/// Rows, targets, task; columns are a bias and a Gaussian around each row.
struct KernelProblem {
  DenseMatrix x;
  Vector targets;
  data::Task task = data::Task::classification;

  SparseProblem with_width(double sigma) const { return {gaussian_columns(x, x, sigma), targets, task}; }
};

inline double fraction(double value) {
  return value - std::floor(value);
}

/// 141 rows of sin(x)/x with deterministic "noise" of standard deviation 0.1.
inline KernelProblem sinc_problem() {
  KernelProblem problem{DenseMatrix(141, 1), {}, data::Task::regression};
  for (int i = 0; i < 141; ++i) {
    const double x = (i - 70) / 10.0;
    problem.x.row(static_cast<std::size_t>(i))[0] = x;
    const double sinc = i == 70 ? 1 : std::sin(x) / x;
    problem.targets.push_back(sinc + 0.1 * std::numbers::sqrt2 * std::sin(7919.0 * i));
  }
  return problem;
}

inline double sinc(double x) {
  return x == 0 ? 1 : std::sin(x) / x;
}

/// 60 rows of the unit square, 30 of each class.
inline KernelProblem square_problem() {
  KernelProblem problem{DenseMatrix(60, 2), {}, data::Task::classification};
  for (int i = 0; i < 60; ++i) {
    const double x1 = fraction(0.61803398875 * i);
    const double x2 = fraction(0.7548776662 * i);
    problem.x.row(static_cast<std::size_t>(i))[0] = x1;
    problem.x.row(static_cast<std::size_t>(i))[1] = x2;
    const double f = std::sin(2 * std::numbers::pi * x1) + x2 - 0.5 + 0.8 * std::sin(7919.0 * (i + 1));
    problem.targets.push_back(f > 0 ? 1 : 0);
  }
  return problem;
}

/// n x d normal deviates; targets of a noisy smooth function.
inline KernelProblem random_problem(std::size_t n, std::size_t d, data::Task task, std::uint64_t seed,
                                    double noise = 0.4) {
  KernelProblem problem{random_matrix(n, d, seed), {}, task};
  core::RandomStream random(seed, 611);
  for (std::size_t i = 0; i < n; ++i) {
    const auto x = problem.x.row(i);
    const double f = std::sin(1.5 * x[0]) + 0.5 * x[d - 1] + noise * random.normal();
    problem.targets.push_back(task == data::Task::regression ? f : (f > 0 ? 1.0 : 0.0));
  }
  return problem;
}

/// Labels that have nothing to do with the rows.
inline KernelProblem random_labels(std::size_t n, std::size_t d, std::uint64_t seed) {
  KernelProblem problem{random_matrix(n, d, seed), {}, data::Task::classification};
  core::RandomStream random(seed, 612);
  for (std::size_t i = 0; i < n; ++i) problem.targets.push_back(static_cast<double>(i % 2));
  random.shuffle(problem.targets);
  return problem;
}

/// Each row twice, once of each class: the gradient at w = 0 is zero, so no column can ever say anything.
inline KernelProblem contradictory_rows(std::size_t pairs, std::size_t d, std::uint64_t seed) {
  const DenseMatrix half = random_matrix(pairs, d, seed);
  KernelProblem problem{DenseMatrix(2 * pairs, d), {}, data::Task::classification};
  for (std::size_t i = 0; i < 2 * pairs; ++i) {
    for (std::size_t j = 0; j < d; ++j) problem.x.row(i)[j] = half.row(i / 2)[j];
    problem.targets.push_back(static_cast<double>(i % 2));
  }
  return problem;
}

}  // namespace credence::test
