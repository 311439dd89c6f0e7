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

}  // namespace credence::bounds
