#include "credence/bounds/binomial.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <string>
#include <vector>

#include "bounds/distributions.hpp"
#include "credence/core/error.hpp"

namespace credence::bounds {
namespace {

/// Of whole numbers, or of any.
template <class Number>
void check_trials(Number errors, Number n, double delta) {
  std::vector<std::string> problems;
  if (!(n > 0) || std::isinf(static_cast<double>(n)))
    problems.emplace_back("the number of trials of a binomial bound must be positive and finite");
  if (!(errors >= 0 && errors <= n))
    problems.emplace_back("the number of errors must lie between 0 and the number of trials");
  if (!(delta > 0 && delta < 1)) problems.emplace_back("delta must lie between 0 and 1, both excluded");
  throw_if_any(problems);
}

/// Series of the beta function fail to converge beyond about 10^12 trials.
double inverted(auto inverse) {
  try {
    return inverse();
  } catch (const std::exception&) {
    refuse("a binomial bound cannot be computed: there are too many trials, or delta is too small");
  }
}

/// Beta^-1(1 - tail; errors + 1, n - errors).
double upper_limit(double errors, double n, double tail) {
  return errors >= n ? 1.0 : inverted([&] { return beta_upper_quantile(errors + 1, n - errors, tail); });
}

/// Beta^-1(tail; errors, n - errors + 1).
double lower_limit(double errors, double n, double tail) {
  return errors <= 0 ? 0.0 : inverted([&] { return beta_quantile(errors, n - errors + 1, tail); });
}

/// P(X >= k), X ~ Bin(n, p) = I_p(k, n - k + 1).
double upper_tail(std::size_t k, std::size_t n, double p) {
  if (k == 0) return 1;
  return k > n ? 0 : beta_below(static_cast<double>(k), static_cast<double>(n - k) + 1, p);
}

/// P(X < k).
double lower_tail(std::size_t k, std::size_t n, double p) {
  if (k == 0) return 0;
  return k > n ? 1 : beta_above(static_cast<double>(k), static_cast<double>(n - k) + 1, p);
}

/// The first number in [0, end] for which a condition holds that stays true once it is.
std::size_t first_where(std::size_t end, auto condition) {
  std::size_t low = 0;
  while (low < end) {
    const std::size_t middle = low + (end - low) / 2;
    if (condition(middle))
      end = middle;
    else
      low = middle + 1;
  }
  return low;
}

}  // namespace

Interval clopper_pearson(std::size_t errors, std::size_t n, double delta) {
  check_trials(errors, n, delta);
  return binomial_interval(static_cast<double>(errors), static_cast<double>(n), delta);
}

Interval binomial_interval(double errors, double n, double delta) {
  check_trials(errors, n, delta);
  return {lower_limit(errors, n, delta / 2), upper_limit(errors, n, delta / 2)};
}

double effective_trials(double p, double v, std::size_t clusters, std::size_t rows, double delta) {
  if (!(p >= 0 && p <= 1 && v >= 0 && delta > 0 && delta < 1) || clusters < 2 || rows < clusters) {
    refuse(
        "the effective number of trials needs a proportion between 0 and 1, a variance of at least 0, at "
        "least two clusters, a row in each, and a delta between 0 and 1");
  }
  const auto size = static_cast<double>(rows);
  if (v == 0) return static_cast<double>(clusters);
  const double inflation =
      students_quantile(size - 1, delta / 2) / students_quantile(static_cast<double>(clusters) - 1, delta / 2);
  return std::min(size, p * (1 - p) / v * inflation * inflation);
}

double effective_trials(double p, std::span<const double> excess, std::size_t rows, double delta) {
  double squares = 0;
  for (const double one : excess) squares += one * one;
  const auto count = static_cast<double>(excess.size());
  const auto size = static_cast<double>(rows);
  return effective_trials(p, count / (count - 1) * squares / (size * size), excess.size(), rows, delta);
}

double binomial_upper_limit(double errors, double n, double delta) {
  check_trials(errors, n, delta);
  return upper_limit(errors, n, delta);
}

CountInterval central_counts(std::size_t n, double p, double delta) {
  check_trials(std::size_t{0}, n, delta);
  if (!(p >= 0 && p <= 1)) refuse("a probability must lie between 0 and 1");
  const double tail = delta / 2;
  const std::size_t beyond = first_where(n + 1, [&](std::size_t k) { return lower_tail(k, n, p) > tail; });
  return {beyond - 1, first_where(n, [&](std::size_t k) { return upper_tail(k + 1, n, p) <= tail; })};
}

}  // namespace credence::bounds
