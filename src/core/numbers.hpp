#pragma once

#include <cmath>
#include <limits>

namespace credence::core {

inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr float float_infinity = std::numeric_limits<float>::infinity();
inline constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Logarithm of the gamma function of a positive number.
inline double log_gamma(double x) {
#ifdef _WIN32
  return std::lgamma(x);
#else
  int sign = 1;  // std::lgamma writes the sign to a variable that all threads share
  return ::lgamma_r(x, &sign);
#endif
}

}  // namespace credence::core
