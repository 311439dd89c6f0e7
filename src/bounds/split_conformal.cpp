#include "credence/bounds/split_conformal.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "bounds/distributions.hpp"
#include "credence/core/error.hpp"

namespace credence::bounds {
namespace {

/// As the rule of prediction sets, a p-value of eps counts as eps however eps was computed.
constexpr double level_rounding = 1e-12;

void check_split(std::size_t m, double significance, double delta, double largest_eps) {
  std::vector<std::string> problems;
  if (m == 0) problems.emplace_back("there must be a calibration row");
  if (!(significance >= 0 && significance <= largest_eps)) problems.emplace_back("a level must lie between 0 and 1");
  if (!(delta > 0 && delta < 1)) problems.emplace_back("delta must lie between 0 and 1, both excluded");
  throw_if_any(problems);
}

/// k of Beta(k, m + 1 - k).
double missed_rank(std::size_t m, double significance, bool smoothed) {
  const double size = static_cast<double>(m) + 1;
  const double rank =
      smoothed ? std::ceil((significance - level_rounding) * size) : std::floor((significance + level_rounding) * size);
  return std::clamp(rank, 0.0, size);
}

/// P(X = x + 1) / P(X = x) of the beta-binomial count X; falls in x for a, b >= 1.
double next_weight(double x, double n, double a, double b) {
  return (n - x) / (x + 1) * (x + a) / (n - x - 1 + b);
}

}  // namespace

double split_miss_limit(std::size_t m, double significance, double delta, bool smoothed) {
  check_split(m, significance, delta, std::nextafter(1.0, 0.0));
  const double k = missed_rank(m, significance, smoothed);
  const double size = static_cast<double>(m) + 1;
  if (k <= 0) return 0;
  return k >= size ? 1.0 : beta_upper_quantile(k, size - k, delta);
}

CountInterval split_miss_counts(std::size_t n, std::size_t m, double significance, double delta) {
  check_split(m, significance, delta, 1);
  if (n == 0) refuse("there must be a new row");
  const double a = missed_rank(m, significance, false);
  const double b = static_cast<double>(m) + 1 - a;
  if (a <= 0) return {0, 0};
  if (b <= 0) return {n, n};
  const auto size = static_cast<double>(n);
  const auto ratio = [&](std::size_t x) { return next_weight(static_cast<double>(x), size, a, b); };
  // The likeliest count: the first from which the probabilities fall.
  std::size_t mode = 0;
  for (std::size_t end = n; mode < end;) {
    const std::size_t middle = mode + (end - mode) / 2;
    if (ratio(middle) < 1)
      end = middle;
    else
      mode = middle + 1;
  }
  // Weights relative to the likeliest count cannot overflow, and those that vanish are 0.
  std::vector<double> weights(n + 1, 0.0);
  weights[mode] = 1;
  for (std::size_t x = mode; x < n && weights[x] > 0; ++x) weights[x + 1] = weights[x] * ratio(x);
  for (std::size_t x = mode; x > 0 && weights[x] > 0; --x) weights[x - 1] = weights[x] / ratio(x - 1);
  double total = 0;
  for (const double weight : weights) total += weight;
  const double tail = delta / 2 * total;
  CountInterval counts{0, n};
  // The largest number with P(X < lower) <= delta/2, and the smallest with P(X > upper) <= delta/2.
  for (double below = weights[0]; counts.lower < n && below <= tail; below += weights[counts.lower]) ++counts.lower;
  for (double above = weights[n]; counts.upper > 0 && above <= tail; above += weights[counts.upper]) --counts.upper;
  return counts;
}

double level_with_certainty(std::size_t m, double significance, double delta) {
  if (!(significance >= 0 && significance < 1)) refuse("a level must lie between 0 and 1");
  if (!(delta > 0 && delta < 1)) refuse("delta must lie between 0 and 1, both excluded");
  if (m == 0 || significance == 0) return 0;
  // P(X <= k) rises with k: the first k at which it is above delta.
  std::size_t k = 0;
  for (std::size_t end = m; k < end;) {
    const std::size_t middle = k + (end - k) / 2;
    if (binomial_below(static_cast<double>(m), significance, static_cast<double>(middle)) <= delta)
      k = middle + 1;
    else
      end = middle;
  }
  return static_cast<double>(k) / (static_cast<double>(m) + 1);
}

std::size_t rows_for_certainty(double significance, double delta) {
  check_split(1, significance, delta, std::nextafter(1.0, 0.0));
  if (significance == 0) refuse("no number of rows makes a level of 0 certain");
  auto rows = static_cast<std::size_t>(std::ceil(std::log(delta) / std::log1p(-significance)));
  // Where the quotient is a whole number, rounding decides; the level itself has the last word.
  if (rows > 1 && level_with_certainty(rows - 1, significance, delta) > 0) --rows;
  while (level_with_certainty(rows, significance, delta) == 0) ++rows;
  return rows;
}

}  // namespace credence::bounds
