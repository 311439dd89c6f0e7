#pragma once

#include <optional>
#include <span>
#include <vector>

#include "credence/core/context.hpp"
#include "credence/rvm/sparse_bayes.hpp"
#include "rvm/sparse_bayes/mode.hpp"

namespace credence::rvm {

/// A problem of evidence maximisation. Alpha is measured in a unit of its own for each column, so the scale of a basis
/// function has no influence, nor has the scale of targets whose size is unusual.
struct EvidenceProblem {
  const Basis& basis;
  bool bias = false;
  Likelihoods likelihoods;
  const FitOptions& options;
  std::vector<double> units;   ///< unit of each column's alpha: (largest |phi|)^2 / (unit of the targets)^2
  double target_variance = 1;  ///< 1 in classification
  double alpha_min = 1e-12;    ///< in units

  static constexpr double noise_floor = 1e-12;  ///< least noise variance, in units of target_variance

  bool regression() const { return likelihoods.task == data::Task::regression; }
  bool fixed_noise() const { return options.noise_variance.has_value(); }
  double first_noise() const;
  /// The re-estimated noise variance at a mode.
  double noise_at(const Mode& mode, std::span<const double> gammas) const;
};

/// Fits from one start. There is no fit if alpha is so small that rounding makes the Hessian useless.
/// @param alpha  in units: alpha of all columns at the start (batch), or of the first column (sequential)
std::optional<Fit> batch_fit(const EvidenceProblem& problem, double alpha, bool with_covariance,
                             const core::Context& context);
std::optional<Fit> sequential_fit(const EvidenceProblem& problem, double alpha, bool with_covariance,
                                  const core::Context& context);

/// Ends a fit: finds the mode to the final tolerance and makes the posterior at that mode.
std::optional<Fit> finished(Mode& mode, const EvidenceProblem& problem, Status status, int iterations,
                            bool with_covariance);

}  // namespace credence::rvm
