#pragma once

#include <optional>
#include <span>
#include <vector>

#include "credence/core/context.hpp"
#include "credence/rvm/sparse_bayes.hpp"
#include "rvm/mode.hpp"

namespace credence::rvm {

/// A problem of evidence maximisation. Alpha is measured in units of each column, so that the scale of a basis function
/// does not matter, nor that of unusual targets.
struct EvidenceProblem {
  const Basis& basis;
  bool bias = false;
  Likelihoods likelihoods;
  const FitOptions& options;
  std::vector<double> units;   ///< of alpha, for each column: (largest |phi|)^2 / (unit of the targets)^2
  double target_variance = 1;  ///< 1 in classification
  double alpha_min = 1e-12;    ///< in units

  static constexpr double noise_floor = 1e-12;  ///< of the noise variance, in units of target_variance

  bool regression() const { return likelihoods.task == data::Task::regression; }
  bool fixed_noise() const { return options.noise_variance.has_value(); }
  double first_noise() const;
  /// The re-estimated noise variance at a mode.
  double noise_at(const Mode& mode, std::span<const double> gammas) const;
};

/// A fit from one start; none if rounding makes the Hessian useless there, because alpha is too small.
/// @param alpha  of all columns at the start (batch) or of the first one (sequential), in units
std::optional<Fit> batch_fit(const EvidenceProblem& problem, double alpha, bool with_covariance,
                             const core::Context& context);
std::optional<Fit> sequential_fit(const EvidenceProblem& problem, double alpha, bool with_covariance,
                                  const core::Context& context);

/// What the weights come to at last: their mode to the final tolerance, and the posterior there.
std::optional<Fit> finished(Mode& mode, const EvidenceProblem& problem, Status status, int iterations,
                            bool with_covariance);

}  // namespace credence::rvm
