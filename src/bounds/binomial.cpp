#include "credence/bounds/binomial.hpp"

#include <boost/math/special_functions/beta.hpp>

#include "credence/core/error.hpp"

namespace credence::bounds {
namespace {

void check(std::size_t errors, std::size_t n, double delta) {
  std::vector<std::string> problems;
  if (n == 0) {
    problems.emplace_back("a binomial bound needs at least one trial");
  }
  if (errors > n) {
    problems.emplace_back("the number of errors must not exceed the number of trials");
  }
  if (!(delta > 0 && delta < 1)) {
    problems.emplace_back("delta must lie between 0 and 1, both excluded");
  }
  throw_if_any(problems);
}

/// Beta^-1(1 - tail; errors + 1, n - errors).
double upper_limit(std::size_t errors, std::size_t n, double tail) {
  return errors == n ? 1.0
                     : boost::math::ibetac_inv(static_cast<double>(errors) + 1, static_cast<double>(n - errors), tail);
}

/// P(X >= k), X ~ Bin(n, p) = I_p(k, n - k + 1).
double upper_tail(std::size_t k, std::size_t n, double p) {
  if (k == 0) return 1;
  return k > n ? 0 : boost::math::ibeta(static_cast<double>(k), static_cast<double>(n - k) + 1, p);
}

/// P(X < k).
double lower_tail(std::size_t k, std::size_t n, double p) {
  if (k == 0) return 0;
  return k > n ? 1 : boost::math::ibetac(static_cast<double>(k), static_cast<double>(n - k) + 1, p);
}

/// The first number in [0, end] for which a condition holds that stays true once it is.
template <class Condition>
std::size_t first_where(std::size_t end, Condition condition) {
  std::size_t low = 0;
  while (low < end) {
    const std::size_t middle = low + (end - low) / 2;
    if (condition(middle)) {
      end = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

}  // namespace

Interval clopper_pearson(std::size_t errors, std::size_t n, double delta) {
  check(errors, n, delta);
  const double lower =
      errors == 0 ? 0.0
                  : boost::math::ibeta_inv(static_cast<double>(errors), static_cast<double>(n - errors) + 1, delta / 2);
  return {lower, upper_limit(errors, n, delta / 2)};
}

double binomial_upper_limit(std::size_t errors, std::size_t n, double delta) {
  check(errors, n, delta);
  return upper_limit(errors, n, delta);
}

CountInterval central_counts(std::size_t n, double p, double delta) {
  check(0, n, delta);
  if (!(p >= 0 && p <= 1)) throw Error(ErrorCode::invalid_argument, "a probability must lie between 0 and 1");
  const double tail = delta / 2;
  const std::size_t beyond = first_where(n + 1, [&](std::size_t k) { return lower_tail(k, n, p) > tail; });
  return {beyond - 1, first_where(n, [&](std::size_t k) { return upper_tail(k + 1, n, p) <= tail; })};
}

}  // namespace credence::bounds
