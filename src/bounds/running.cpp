#include "credence/bounds/binomial.hpp"

#include <cmath>

#include "core/numbers.hpp"
#include "credence/core/error.hpp"

namespace credence::bounds {
namespace {

double log_beta(double a, double b) {
  return core::log_gamma(a) + core::log_gamma(b) - core::log_gamma(a + b);
}

/// Logarithm of the mixture at rate q, between 0 and 1.
double log_mixture(double errors, double n, double q) {
  double log = log_beta(1 + errors, 1 + n - errors);
  if (errors > 0) log -= errors * std::log(q);
  if (errors < n) log -= (n - errors) * std::log1p(-q);
  return log;
}

/// Where the mixture crosses the limit between a rate inside and one outside.
double end_between(double inside, double outside, double errors, double n, double limit) {
  constexpr int steps = 60;
  for (int step = 0; step < steps; ++step) {
    const double middle = (inside + outside) / 2;
    (log_mixture(errors, n, middle) < limit ? inside : outside) = middle;
  }
  return outside;
}

}  // namespace

Interval running_interval(double errors, double n, double delta) {
  if (!(errors >= 0 && errors <= n && std::isfinite(n)) || !(delta > 0 && delta < 1))
    refuse("running limits need errors between 0 and the finite number of rows, and delta between 0 and 1");
  Interval ends;
  if (n == 0) return ends;
  const double limit = -std::log(delta);
  const double rate = errors / n;
  if (errors > 0) ends.lower = end_between(rate, 0, errors, n, limit);
  if (errors < n) ends.upper = end_between(rate, 1, errors, n, limit);
  return ends;
}

}  // namespace credence::bounds
