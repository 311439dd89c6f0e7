#pragma once

#include <span>
#include <vector>

namespace credence::model {

/// A probability of the second class that never falls as the margin grows: the isotonic regression of the labels on the
/// margins, which has the smallest sum of squared errors and the largest likelihood among all such functions (Ayer,
/// Brunk, Ewing, Reid and Silverman, Annals of Mathematical Statistics 26, 1955; Zadrozny and Elkan, KDD 2002). The
/// function is linear between the margins of neighbouring blocks, and constant outside the margins, as scikit-learn's
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

}  // namespace credence::model
