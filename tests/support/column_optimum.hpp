#pragma once

#include <limits>

namespace credence::test {

/// The best alpha of one column if all other alpha stay, computed from the posterior alone (Faul and Tipping, NIPS
/// 2002).
struct ColumnOptimum {
  double s = 0;                                            ///< alpha gamma / (1 - gamma)
  double q = 0;                                            ///< alpha w / (1 - gamma)
  double alpha = std::numeric_limits<double>::infinity();  ///< s^2 / (q^2 - s); infinite: the column is irrelevant
};
inline ColumnOptimum column_optimum(double alpha, double weight, double gamma) {
  ColumnOptimum optimum;
  optimum.s = alpha * gamma / (1 - gamma);
  optimum.q = alpha * weight / (1 - gamma);
  if (optimum.q * optimum.q > optimum.s) optimum.alpha = optimum.s * optimum.s / (optimum.q * optimum.q - optimum.s);
  return optimum;
}

}  // namespace credence::test
