#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "credence/model/predictor.hpp"

namespace credence::conformal {

struct PredictionInterval {
  double lower = 0;
  double upper = 0;
};

struct RegressionOptions {
  /// > 0: what is added to each difficulty (measures/normalised_residual.hpp); not looked at without difficulties.
  double beta = 1e-6;
};

/// Inductive (split) conformal regression around predictions given from outside. The p-value of a target y is
/// #{ i : alpha_i >= alpha(y) } + 1 over n + 1; the interval at eps is all y with p > eps: prediction +- the
/// ceil((1 - eps) (n + 1))-th smallest strangeness, times the difficulty; the whole line if that number exceeds n.
/// Holds the target with probability >= 1 - eps if examples are exchangeable.
/// Source: Papadopoulos, Proedrou, Vovk, Gammerman, ECML 2002.
class InductiveRegression {
 public:
  /// @param targets, predictions  of n examples that the regression was not trained on
  /// @param difficulties          >= 0, one for each, or empty: absolute residuals
  /// @throws Error invalid_argument for sizes that differ, beta <= 0; invalid_data for values that are not finite, n =
  /// 0
  InductiveRegression(std::span<const double> targets, std::span<const double> predictions,
                      std::span<const double> difficulties = {}, const RegressionOptions& options = {});

  std::size_t size() const { return strangeness_.size(); }
  /// @param difficulties  given if and only if they were given above  @param eps  in (0, 1)
  std::vector<PredictionInterval> intervals(std::span<const double> predictions, std::span<const double> difficulties,
                                            double eps) const;
  /// Of given targets: (#{ alpha_i >= alpha } + 1) / (n + 1).
  std::vector<double> p_values(std::span<const double> targets, std::span<const double> predictions,
                               std::span<const double> difficulties = {}) const;

 private:
  double half_width(double eps) const;
  std::vector<double> strangeness_;  ///< ascending
  bool normalised_ = false;
  double beta_ = 0;
};

/// Intervals from the residuals that a regression carries (model::Calibration): predictions +- their quantile.
/// What this guarantees is said by Calibration::exact: at least 1 - eps if the residuals are those of the very model
/// that predicts; nothing for finite n if it was trained again on all rows, though coverage stays near 1 - eps in
/// practice; see docs/rvm.md.
/// @throws Error invalid_data if the calibration is empty, or of a classifier
InductiveRegression regression_of(const model::Calibration& calibration);

}  // namespace credence::conformal
