#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

/// The law of every forecast: a cost grows like a power of the rows, and two pilots tell the power.
namespace credence::core {

/// The power with which a cost grew from a pilot to one on more rows, within limits.
inline double growth_between(double small_rows, double small_cost, double large_rows, double large_cost, double least,
                             double most) {
  return std::clamp(std::log(large_cost / small_cost) / std::log(large_rows / small_rows), least, most);
}

/// The factor from the cost on `pilot_rows` rows to the cost on `rows` rows.
inline double times_as_much(double rows, double pilot_rows, double growth) {
  return std::pow(rows / pilot_rows, growth);
}

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
