#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "credence/conformal/p_value.hpp"
#include "credence/core/describe.hpp"

namespace credence::conformal {

struct PredictionInterval {
  double lower = 0;
  double upper = 0;
};

/// The interval of a row that is compared with nothing, or at a significance level below the smallest p-value.
inline constexpr PredictionInterval whole_line{-std::numeric_limits<double>::infinity(),
                                               std::numeric_limits<double>::infinity()};

struct RegressionOptions {
  double beta = 1e-6;  ///< see normalised_residual

  static void describe(auto&& field) {
    field("beta", &RegressionOptions::beta, "a number that is added to each difficulty", core::above(0));
  }
};

/// Inductive (split) conformal regression around given predictions. The p-value of a target y is (#{ i : alpha_i >=
/// alpha(y) } + 1) / (n + 1), with sums of weights for RowWeights. The interval at significance eps holds all y with p
/// > eps (in_set): prediction +- the ceil((1 - eps) (n + 1))-th smallest nonconformity score, times the difficulty; if
/// that number exceeds n, the interval is the whole line. An interval holds the target with probability >= 1 - eps if
/// examples are exchangeable. Source: Papadopoulos, Proedrou, Vovk, Gammerman, ECML 2002.
class InductiveRegression {
 public:
  /// @param targets, predictions  targets and predictions of n examples on which the regression was not trained
  /// @param difficulties          one for each example, >= 0; empty: absolute residuals
  /// @throws Error invalid_argument for sizes that differ, beta <= 0; invalid_data for values that are not finite, n =
  /// 0
  InductiveRegression(std::span<const double> targets, std::span<const double> predictions,
                      std::span<const double> difficulties = {}, const RegressionOptions& options = {},
                      const RowWeights& weights = {});

  std::size_t size() const { return nonconformity_.size(); }
  const NonconformityScores& nonconformity() const { return nonconformity_; }
  /// @param difficulties  given if and only if they were given above  @param significance  in (0, 1)
  /// @param own           weight of each row; empty: 1
  std::vector<PredictionInterval> intervals(std::span<const double> predictions, std::span<const double> difficulties,
                                            double significance, std::span<const double> own = {}) const;
  /// Returns the rank of each target: n x 1, for smoothed p-values (conformal::p_values).
  Ranks ranks(std::span<const double> targets, std::span<const double> predictions,
              std::span<const double> difficulties = {}, std::span<const double> own = {}) const;
  /// Returns the p-value of each target: (#{ alpha_i >= alpha } + 1) / (n + 1).
  std::vector<double> p_values(std::span<const double> targets, std::span<const double> predictions,
                               std::span<const double> difficulties = {}, std::span<const double> own = {}) const;

 private:
  NonconformityScores nonconformity_;
  bool normalised_ = false;
  double beta_ = 0;
};

}  // namespace credence::conformal
