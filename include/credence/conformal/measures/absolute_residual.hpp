#pragma once

#include <cmath>

namespace credence::conformal {

/// Strangeness of a target under a regression: |y - prediction|.
/// Source: Papadopoulos, Proedrou, Vovk, Gammerman, ECML 2002.
inline double absolute_residual(double target, double prediction) {
  return std::abs(target - prediction);
}

}  // namespace credence::conformal
