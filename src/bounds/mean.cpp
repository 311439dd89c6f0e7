#include "credence/bounds/mean.hpp"

#include <algorithm>
#include <boost/math/special_functions/log1p.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "credence/core/error.hpp"

namespace credence::bounds {
namespace {

void check_mean(double mean, double m, double delta, double smallest_m = 0) {
  std::vector<std::string> problems;
  if (!(mean >= 0 && mean <= 1)) problems.emplace_back("a mean of values in [0, 1] must lie between 0 and 1");
  if (!(m > smallest_m && std::isfinite(m))) {
    problems.emplace_back(smallest_m > 0 ? "an empirical Bernstein bound needs more than one value"
                                         : "a bound of a mean needs a positive, finite number of values");
  }
  if (!(delta > 0 && delta < 1)) problems.emplace_back("delta must lie between 0 and 1, both excluded");
  throw_if_any(problems);
}

/// kl(mean || mean + excess) for 0 < mean < 1. Both terms are >= 0: what cancels between them is left out of each.
double divergence(double mean, double excess) {
  return -mean * boost::math::log1pmx(excess / mean) - (1 - mean) * boost::math::log1pmx(-excess / (1 - mean));
}

/// At least the e with kl(mean || mean + e) = c: the least of the limits by Pinsker's inequality, by Chernoff's form,
/// and by -(1 - mean) ln(1 - p) - entropy(mean) <= kl.
double large_excess(double mean, double c) {
  const double entropy = -mean * std::log(mean) - (1 - mean) * std::log1p(-mean);
  return std::min(
      {std::sqrt(c / 2), c + std::sqrt(c) * std::sqrt(c + 2 * mean), 1 - mean - std::exp(-(c + entropy) / (1 - mean))});
}

/// One step of Newton's method for kl(mean || mean + e) = c; d kl / d e = e / (p (1 - p)), p = mean + e.
double lowered(double mean, double excess, double c) {
  const double slope = excess / ((mean + excess) * (1 - mean - excess));
  return excess - (divergence(mean, excess) - c) / slope;
}

}  // namespace

double hoeffding_upper_limit(double mean, double m, double delta) {
  check_mean(mean, m, delta);
  const double c = -std::log(delta) / m;
  if (mean < std::numeric_limits<double>::min()) return -std::expm1(-c);
  if (mean == 1) return 1;
  double excess = large_excess(mean, c);
  if (1 - mean - excess <= 0) return 1;
  // The divergence is convex, so Newton's method comes down to the root from above until rounding ends it.
  double next = lowered(mean, excess, c);
  while (next > 0 && next < excess) {
    excess = next;
    next = lowered(mean, excess, c);
  }
  return mean + excess;
}

double empirical_bernstein_upper_limit(double mean, double m, double delta) {
  check_mean(mean, m, delta, 1);
  const double log_term = std::log(2.0) - std::log(delta);
  return mean + std::sqrt(mean * (1 - mean) * 2 * log_term / m) + 7 * log_term / (3 * (m - 1));
}

double empirical_chernoff_upper_limit(double mean, double m, double delta) {
  check_mean(mean, m, delta);
  const double c = -std::log(delta) / m;
  return mean + c + std::sqrt(c) * std::sqrt(c + 2 * mean);
}

double expected_out_of_bag(std::size_t n) {
  if (n == 0) refuse("a bootstrap sample needs at least one row");
  const auto size = static_cast<double>(n);
  return size * std::exp(size * std::log1p(-1 / size));
}

}  // namespace credence::bounds
