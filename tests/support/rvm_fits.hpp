#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "credence/rvm/sparse_bayes.hpp"
#include "support/context.hpp"
#include "support/rvm_problems.hpp"
#include "support/rvm_reference.hpp"

/// The library's fits of the problems of the tests.
namespace credence::test {

using Columns = std::vector<std::uint32_t>;

inline Columns all_columns(const SparseProblem& problem) {
  Columns columns(problem.phi.columns);
  std::iota(columns.begin(), columns.end(), std::uint32_t{0});
  return columns;
}

/// The mode as exactly as it can be had, unless another tolerance is asked for.
inline rvm::Posterior posterior_of(const SparseProblem& problem, const Columns& columns, const Vector& alpha,
                                   double noise = 1, double tolerance = 1e-20) {
  const Surroundings surroundings;
  return rvm::posterior(basis_of(problem.phi), columns, alpha, problem.targets, problem.task, noise, true,
                        surroundings.context, tolerance);
}

inline rvm::Fit fit_of(const SparseProblem& problem, const rvm::FitOptions& options = {}, int threads = 1) {
  const Surroundings surroundings(threads);
  return rvm::fit(basis_of(problem.phi), true, problem.targets, problem.task, options, true, surroundings.context);
}

/// Options with which a fit stops only where no alpha moves any more.
inline rvm::FitOptions to_the_fixed_point() {
  return {.max_iterations = 20000,
          .evidence_tolerance = 1e-300,
          .alpha_tolerance = 1e-12,
          .inner_tolerance = 1e-14,
          .final_tolerance = 1e-20};
}

/// Phi w on the training rows.
inline Vector fitted_values(const SparseProblem& problem, const rvm::Posterior& fit) {
  return times(columns_of(problem.phi, fit.columns), fit.weights);
}

/// What of the evidence is left if there is no column at all.
inline double evidence_of_nothing(const SparseProblem& problem, double noise = 1) {
  return slow_likelihood(problem, Vector(problem.rows()), noise).value;
}

/// log evidence with one column more (or, if it is among them, with another alpha); alpha = infinity takes it out.
inline double evidence_with(const SparseProblem& problem, const rvm::Posterior& fit, std::uint32_t column,
                            double alpha) {
  Columns columns;
  Vector values;
  bool put = !std::isfinite(alpha);
  for (std::size_t i = 0; i < fit.columns.size(); ++i) {
    if (!put && fit.columns[i] >= column) {
      columns.push_back(column);
      values.push_back(alpha);
      put = true;
    }
    if (fit.columns[i] == column) continue;
    columns.push_back(fit.columns[i]);
    values.push_back(fit.alpha[i]);
  }
  if (!put) {
    columns.push_back(column);
    values.push_back(alpha);
  }
  if (columns.empty()) return evidence_of_nothing(problem, fit.noise_variance);
  return posterior_of(problem, columns, values, fit.noise_variance).log_evidence;
}

}  // namespace credence::test
