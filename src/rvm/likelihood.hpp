#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>

#include "credence/data/dataset.hpp"

/// Log likelihood l of one row given y, g = dl/dy and h = -d^2l/dy^2, without overflow or cancellation.
namespace credence::rvm {

struct Likelihood {
  double value = 0;      ///< l
  double slope = 0;      ///< g
  double curvature = 0;  ///< h > 0
};

inline double expit(double y) {
  return y >= 0 ? 1 / (1 + std::exp(-y)) : std::exp(y) / (1 + std::exp(y));
}

/// l = -log(1 + exp(-s)), s = y for t = 1, -y for t = 0.
inline Likelihood logistic(double y, double t) {
  const double small = std::exp(-std::abs(y));
  const double p = y >= 0 ? 1 / (1 + small) : small / (1 + small);
  const double q = y >= 0 ? small / (1 + small) : 1 / (1 + small);  // 1 - p, without cancellation
  const double s = t > 0.5 ? y : -y;
  return {-(std::max(-s, 0.0) + std::log1p(small)), t > 0.5 ? q : -p, p * q};
}

/// l = -(t - y)^2 / (2 s2) - 0.5 log(2 pi s2).
inline Likelihood gaussian(double y, double t, double s2) {
  const double r = t - y;
  return {-0.5 * r * r / s2 - 0.5 * std::log(2 * std::numbers::pi * s2), r / s2, 1 / s2};
}

inline Likelihood likelihood(data::Task task, double y, double t, double s2) {
  return task == data::Task::classification ? logistic(y, t) : gaussian(y, t, s2);
}

}  // namespace credence::rvm
