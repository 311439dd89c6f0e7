#pragma once

/// ```cpp
/// using namespace credence;
/// const std::vector<double> residuals{0.1, 0.3, 0.2, 0.4};
/// const std::vector<int> machine_of{0, 0, 1, 1};  // each row was left out of the training of one of two models
/// const conformal::CrossRegression regression(residuals, machine_of, 2);
/// const std::vector<double> means{5.0, 5.1};  // what the two models say of a new row
/// const conformal::PredictionInterval ends = regression.interval(means, 0.3);
/// std::cout << ends.lower << " to " << ends.upper << '\n';  // prints 4.7 to 5.5
/// ```

#include <cstddef>
#include <span>
#include <vector>

#include "credence/conformal/p_value.hpp"
#include "credence/conformal/regression.hpp"
#include "credence/model/predictor.hpp"

namespace credence::conformal {

/// CV+: intervals from the residuals of rows that models left out. Row i has the residual R_i = |y_i - m_k(i)(x_i)|
/// under the model that was trained without it. With n rows and r = floor(eps (n + 1)), a new row x has the interval
///
///   [ r-th smallest of m_k(i)(x) - R_i,  r-th largest of m_k(i)(x) + R_i ],
///
/// and the whole line for r = 0. The p-value of a target y is the smaller share of the two sides, (min(#{ i : m_k(i)(x)
/// - R_i <= y }, #{ i : m_k(i)(x) + R_i >= y }) + 1) / (n + 1), and the interval holds the y with p > eps (in_set). It
/// holds every y that the cross-conformal p-value does not rule out, so that it misses with probability at most
/// cross_conformal_bound, if rows are exchangeable and each model was chosen and trained without its rows. With one
/// model, which judged all rows, the interval is that of InductiveRegression, and misses with probability at most
/// eps. At significance levels from 0.5 on every y can be ruled out: both ends are then the middle of the crossed ends.
/// Source: Barber, Candes, Ramdas, Tibshirani, Predictive inference with the jackknife+, Annals of Statistics 49
/// (2021), section 3; Vovk and Wang, Biometrika 107 (2020).
class CrossRegression {
 public:
  /// @param residuals  of n rows, >= 0  @param machine_of  the model that judged each row; empty: one for all
  /// @throws Error invalid_argument for sizes that differ, models that do not exist, or residuals that are NaN or below
  /// 0; invalid_data without a row
  CrossRegression(std::span<const double> residuals, std::span<const int> machine_of, std::size_t machines);

  std::size_t size() const { return size_; }
  std::size_t machines() const { return residuals_.size(); }
  /// Cost: r K steps for K models. @param means  of the new row by each model  @param significance  in (0, 1)
  /// @throws Error invalid_argument for a wrong number of means, or a significance level outside (0, 1)
  PredictionInterval interval(std::span<const double> means, double significance) const;
  /// Returns the rank behind a target's p-value: that of the side with the smaller count. Cost: 2 K binary searches.
  Rank rank(std::span<const double> means, double target) const;

  /// Intervals and p-values for the rows of a prediction (ConfidentPredictor::predict).
  std::vector<PredictionInterval> intervals(const model::Prediction& prediction, double significance) const;
  Ranks ranks(const model::Prediction& prediction, std::span<const double> targets) const;
  std::vector<double> p_values(const model::Prediction& prediction, std::span<const double> targets) const;

 private:
  std::span<const double> means_of(const model::Prediction& prediction, std::size_t row) const;

  std::vector<std::vector<double>> residuals_;  ///< of the rows of each model, descending
  std::size_t size_ = 0;
};

/// Makes intervals from the residuals that a regression carries (model::Calibration), with its fold models if it has
/// some. model::PValues says what is proved; docs/rvm.md has measured coverage.
/// @throws Error invalid_data if the model carries no residuals, or is a classifier
CrossRegression regression_of(const model::Predictor& model);

}  // namespace credence::conformal
