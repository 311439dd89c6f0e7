#pragma once

#include <span>

namespace credence::model {

/// A probability of the second class as a function of a margin: P(second | f) = 1 / (1 + exp(a f + b)). The probability
/// increases with the margin where a < 0, as it does wherever larger margins speak for the second class.
struct Sigmoid {
  double a = 0;
  double b = 0;

  double operator()(double f) const;
  /// -log P(class | f), where P is at least least_probability (log_loss.hpp). @param label  0 or 1
  double log_loss(double f, int label) const;
};

/// Fits a sigmoid to margins by regularised maximum likelihood (Platt, Advances in Large Margin Classifiers, 1999): the
/// targets are (N1 + 1) / (N1 + 2) for rows of the second class and 1 / (N0 + 2) for the others, with N1 and N0 the
/// sums of their weights. Newton's method with backtracking in the numerically stable form of Lin, Lin and Weng
/// (Machine Learning 68, 2007). Without margins the probability is 1/2 everywhere.
/// Cost: about ten passes over the margins.
/// @param margins  finite decision values of rows that the machine was not trained on
/// @param labels   0 or 1 of each margin
/// @param weights  >= 0, of each margin; empty: all 1
/// @throws Error invalid_argument for sizes that differ, other labels, or numbers that are not finite
Sigmoid fit_sigmoid(std::span<const double> margins, std::span<const int> labels, std::span<const double> weights = {});

}  // namespace credence::model
