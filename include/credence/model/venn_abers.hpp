#pragma once

#include <span>
#include <vector>

namespace credence::model {

/// Two probabilities of the second class, of which one is calibrated: `lower` if the row is of the first class, `upper`
/// if the row is of the second. lower < upper up to rounding.
struct ProbabilityInterval {
  double lower = 0;
  double upper = 1;

  /// The one probability whose log loss exceeds that of the calibrated one by the same, whichever it is:
  /// upper / (1 - lower + upper).
  double merged() const { return upper / (1 - lower + upper); }
};

/// The inductive Venn-Abers predictor (Vovk, Petej and Fedorova, NIPS 2015, section 2): `lower` is the value at the new
/// margin of the isotonic regression on all margins and the new one with label 0, `upper` the same with label 1. If
/// the margins and the new one are exchangeable, the one of the two that goes with the true label is perfectly
/// calibrated.
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
  std::vector<double> margins_;  ///< the different ones, ascending
  std::vector<double> lower_;    ///< of a new margin from this one up to the next
  std::vector<double> upper_;    ///< of a new margin from above the one before up to this one
};

}  // namespace credence::model
