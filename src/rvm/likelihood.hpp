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

/// The parts of l = -log(1 + exp(-s)) = -(linear + log(1 + small)), where s is y for t = 1 and -y for t = 0.
struct Logistic {
  double linear = 0;  ///< max(-s, 0)
  double small = 0;   ///< exp(-|y|)
  double slope = 0;
  double curvature = 0;
};

inline Logistic logistic_parts(double y, double t) {
  const double small = std::exp(-std::abs(y));
  const double nearer = 1 / (1 + small);
  const double p = y >= 0 ? nearer : small * nearer;
  const double q = y >= 0 ? small * nearer : nearer;  // 1 - p, without cancellation
  const double s = t > 0.5 ? y : -y;
  return {std::max(-s, 0.0), small, t > 0.5 ? q : -p, p * q};
}

inline Likelihood logistic(double y, double t) {
  const Logistic parts = logistic_parts(y, t);
  return {-(parts.linear + std::log1p(parts.small)), parts.slope, parts.curvature};
}

/// A sum of log(1 + x), 0 <= x <= 1, with one logarithm for a product of hundreds of terms. What an addition rounds off
/// the product is kept beside the product, because the sum may be near 0.
class SumOfLogs {
 public:
  void add(double x) {
    const double rise = product_ * x;
    const double sum = product_ + rise;
    lost_ += lost_ * x + (rise - (sum - product_));
    product_ = sum;
    if (product_ < largest) return;
    sum_ = value();
    product_ = 1;
    lost_ = 0;
  }
  double value() const { return sum_ + (std::log(product_) + std::log1p(lost_ / product_)); }

 private:
  static constexpr double largest = 1e300;
  double sum_ = 0;
  double product_ = 1;
  double lost_ = 0;
};

/// l = -(t - y)^2 / (2 s2) - 0.5 log(2 pi s2).
inline Likelihood gaussian(double y, double t, double s2) {
  const double r = t - y;
  return {-0.5 * r * r / s2 - 0.5 * std::log(2 * std::numbers::pi * s2), r / s2, 1 / s2};
}

inline Likelihood likelihood(data::Task task, double y, double t, double s2) {
  return task == data::Task::classification ? logistic(y, t) : gaussian(y, t, s2);
}

}  // namespace credence::rvm
