#include "credence/bounds/mean.hpp"

#include <algorithm>
#include <boost/math/constants/constants.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "credence/core/error.hpp"

namespace credence::bounds {
namespace {

void check_complexity(std::size_t n, std::size_t trials, double delta) {
  std::vector<std::string> problems;
  if (n == 0) problems.emplace_back("a bound by complexity needs at least one row");
  if (trials == 0) problems.emplace_back("the complexity needs at least one trial");
  if (!(delta > 0 && delta < 1)) problems.emplace_back("delta must lie between 0 and 1, both excluded");
  throw_if_any(problems);
}

/// sqrt(ln(terms / delta) / (2 n))
double unit(double terms, std::size_t n, double delta) {
  return std::sqrt((std::log(terms) - std::log(delta)) / (2 * static_cast<double>(n)));
}

/// The share of the 2^n label vectors that is not drawn before the last trial.
double undrawn(std::size_t n, std::size_t trials) {
  if (n > 60) return 1;
  return std::max(0.0, 1 - static_cast<double>(trials - 1) / std::exp2(static_cast<double>(n)));
}

}  // namespace

double complexity_deviation(std::size_t n, double delta) {
  check_complexity(n, 1, delta);
  return 3 * unit(2, n, delta);
}

double complexity_deviation_of_trials(std::size_t n, std::size_t trials, double delta) {
  check_complexity(n, trials, delta);
  const double spread = static_cast<double>(n) * undrawn(n, trials) / static_cast<double>(trials);
  return (3 + std::sqrt(spread)) * unit(3, n, delta);
}

double rademacher_floor(std::size_t n) {
  check_complexity(n, 1, 0.5);
  // C(n - 1, floor((n - 1) / 2)) / 2^(n - 1) = C(2 j, j) / 4^j = Gamma(j + 1/2) / (sqrt(pi) Gamma(j + 1)), j = n div 2.
  const std::size_t half = n / 2;
  const auto j = static_cast<double>(half);
  return boost::math::tgamma_delta_ratio(j + 0.5, 0.5) / boost::math::constants::root_pi<double>();
}

double discrepancy_floor(std::size_t n) {
  check_complexity(n, 1, 0.5);
  if (n % 2 == 1) refuse("the maximal discrepancy takes halves of an even number");
  // With m = n / 2, the sum telescopes to 2 C(m - 1, floor(m / 2))^2 / C(2 m, m), for
  // (2 h - m) C(m, h)^2 = m (C(m - 1, h - 1)^2 - C(m - 1, h)^2).
  const double half = rademacher_floor(n / 2);
  return half * half / (2 * rademacher_floor(n));
}

}  // namespace credence::bounds
