#pragma once

#include <optional>
#include <span>
#include <vector>

namespace credence::model {

/// Two probabilities of the second class, of which one is calibrated: `lower` if the row is of the first class, `upper`
/// if the row is of the second. lower < upper up to rounding.
struct ProbabilityInterval {
  double lower = 0;
  double upper = 1;

  /// The probability whose log loss exceeds that of the calibrated one by the same amount, whichever of the two that
  /// is: upper / (1 - lower + upper).
  double merged() const { return upper / (1 - lower + upper); }
};

/// The inductive Venn-Abers predictor (Vovk, Petej and Fedorova, NIPS 2015, section 2): `lower` is the value at the new
/// margin of the isotonic regression on all margins and the new one with label 0, `upper` the same with label 1. If the
/// margins and the new one are exchangeable, the one of the two that goes with the true label is perfectly calibrated.
class VennAbers {
 public:
  /// Computes both values for every margin, by the walk of the paper (its Algorithms 1 and 2) along the convex
  /// minorants of cumulative sums, which are whole numbers. Cost: sorting the margins, then linear.
  /// @param margins  finite numbers, at least one
  /// @param labels   0 or 1 of each margin
  /// @throws Error invalid_argument for sizes that differ, no margin, other labels, or numbers that are not finite
  VennAbers(std::span<const double> margins, std::span<const int> labels);

  /// Cost: two binary searches. @param margin  a number, perhaps infinite
  ProbabilityInterval operator()(double margin) const;

 private:
  std::vector<double> margins_;  ///< the different margins, ascending
  std::vector<double> lower_;    ///< of a new margin from this one up to the next
  std::vector<double> upper_;    ///< of a new margin from above the one before up to this one
};

/// A probability of the second class that never falls as the margin grows: the isotonic regression of the labels on the
/// margins. It has the smallest sum of squared errors and the largest likelihood among all such functions (Ayer, Brunk,
/// Ewing, Reid and Silverman, Annals of Mathematical Statistics 26, 1955; Zadrozny and Elkan, KDD 2002). The function
/// is linear between the margins of neighbouring blocks, and constant outside the margins, as scikit-learn's
/// IsotonicRegression(out_of_bounds="clip"). The probabilities may be 0 and 1.
class Isotonic {
 public:
  /// Pools adjacent violators, with exact comparisons of whole numbers. Cost: sorting the margins, then one pass.
  /// @param margins  finite numbers, at least one
  /// @param labels   0 or 1 of each margin
  /// @throws Error invalid_argument for sizes that differ, no margin, other labels, or numbers that are not finite
  Isotonic(std::span<const double> margins, std::span<const int> labels);

  /// Cost: a binary search. @param margin  a number, perhaps infinite
  double operator()(double margin) const;

 private:
  std::vector<double> margins_;  ///< first and last of each block, ascending
  std::vector<double> values_;   ///< at these margins
};

/// A probability of the second class as a function of a margin: P(second | f) = 1 / (1 + exp(a f + b)). The probability
/// increases with the margin where a < 0, as it does wherever larger margins speak for the second class.
struct Sigmoid {
  double a = 0;
  double b = 0;

  double operator()(double f) const;
  /// -log P(class | f), where P is at least least_probability (probability.hpp). @param label  0 or 1
  double log_loss(double f, int label) const;
};

/// Fits a sigmoid to margins by regularised maximum likelihood (Platt, Advances in Large Margin Classifiers, 1999). The
/// targets are (N1 + 1) / (N1 + 2) for rows of the second class and 1 / (N0 + 2) for the others, with N1 and N0 the
/// sums of their weights. Newton's method with backtracking in the numerically stable form of Lin, Lin and Weng
/// (Machine Learning 68, 2007). Without margins the probability is 1/2 everywhere.
/// Cost: about ten passes over the margins.
/// @param margins  finite decision values of rows that the model was not trained on
/// @param labels   0 or 1 of each margin
/// @param weights  >= 0, of each margin; empty: all 1
/// @throws Error invalid_argument for sizes that differ, other labels, or numbers that are not finite
Sigmoid fit_sigmoid(std::span<const double> margins, std::span<const int> labels, std::span<const double> weights = {});

/// An estimate by maximum likelihood with its standard error.
struct Estimated {
  double value = 0;
  double standard_error = 0;
};
/// How probabilities agree with the labels of new rows (Cox, Biometrika 45, 1958; Van Calster and others, BMC Medicine
/// 17:230, 2019): log odds of the label = intercept + slope * log odds of the probability.
struct CalibrationLine {
  Estimated slope;      ///< 1 is right; below 1: probabilities are too extreme
  Estimated intercept;  ///< with the slope held at 1; 0 is right; below 0: probabilities are too large on average
};
/// Newton's method without regularisation, on log odds that are at most 34.5 (least_probability).
/// Cost: about ten passes over the rows.
/// @param probabilities  of the second class, in [0, 1]
/// @param labels         0 or 1 of each row
/// @return none if a threshold separates the labels, or all rows have one label or one probability
/// @throws Error invalid_argument for sizes that differ, or other labels
std::optional<CalibrationLine> calibration_line(std::span<const double> probabilities, std::span<const int> labels);

}  // namespace credence::model
