#pragma once

#include <cmath>

namespace credence::conformal {

/// |y - prediction| / (difficulty + beta). Intervals by this measure are wide where the target is hard to predict.
/// @param difficulty  >= 0, e.g. the predicted deviation, or the mean distance to the nearest training rows
/// @param beta        > 0; limits the influence of small difficulties
/// Source: Papadopoulos, Gammerman, Vovk, AIA 2008, equation (8).
inline double normalised_residual(double target, double prediction, double difficulty, double beta) {
  return std::abs(target - prediction) / (difficulty + beta);
}

}  // namespace credence::conformal
