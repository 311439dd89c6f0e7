#include "rvm/local_evidence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/special_functions/erf.hpp>
#include <cmath>
#include <numbers>

#include "credence/core/error.hpp"

namespace credence::rvm {
namespace {

/// Where the asymptotic series of erfcx takes over: below it r^2 + log erfc(r) loses no more than 1e-14.
constexpr double large_ratio = 10;

/// log(sqrt(pi) r erfcx(r)) for r >= large_ratio, by the asymptotic series
///   1 - x + 1*3 x^2 - 1*3*5 x^3 + ...,  x = 1 / (2 r^2),
/// whose first term left out is below 1e-14 (Abramowitz and Stegun, 7.1.23).
double log_tail_factor(double r) {
  constexpr int terms = 11;
  const double x = 0.5 / r / r;
  double correction = 0;
  for (int k = terms; k >= 1; --k) correction = -(2 * k - 1) * x * (1 + correction);
  return std::log1p(correction);
}

/// log A for b > 0. In the tail A is 1 / |a| times a factor near 1: sqrt(pi / (2 b)) = sqrt(pi) r / |a|.
double log_half_gaussian(double a, double b) {
  const double r = a / (std::numbers::sqrt2 * std::sqrt(b));  // the product 2 b may overflow
  if (r >= large_ratio) return -std::log(a) + log_tail_factor(r);
  const double log_erfcx = std::fma(r, r, std::log(boost::math::erfc(r)));
  return 0.5 * (std::log(std::numbers::pi / 2) - std::log(b)) + log_erfcx;
}

}  // namespace

double log_stability(double a, double b, double cap) {
  if (std::isnan(a) || std::isnan(b))
    refuse(fmt::format("the stability of a solution needs numbers, not slope {} and curvature {}", a, b));
  if (!(cap > 0)) refuse(fmt::format("the cap of a stability must be above 0, not {}", cap));
  const double slope = std::abs(a);
  const bool bent = b > 0 && std::isfinite(slope);  // an infinite slope leaves nothing to bend
  return std::min(bent ? log_half_gaussian(slope, b) : -std::log(slope), std::log(cap));
}

}  // namespace credence::rvm
