#include "bounds/distributions.hpp"

#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/gamma.hpp>

namespace credence::bounds {
namespace {

/// Infinity where a value overflows. Boost's inverses try a value of 1e-800 before main; under valgrind, whose long
/// double is a double, that value is 0, and Boost's default policy ends the program with an exception.
using Policy =
    boost::math::policies::policy<boost::math::policies::overflow_error<boost::math::policies::ignore_error>>;
using Binomial = boost::math::binomial_distribution<double>;
using StudentsT = boost::math::students_t_distribution<double, Policy>;

}  // namespace

double beta_quantile(double a, double b, double p) {
  return boost::math::ibeta_inv(a, b, p, Policy());
}
double beta_upper_quantile(double a, double b, double tail) {
  return boost::math::ibetac_inv(a, b, tail, Policy());
}
double beta_below(double a, double b, double x) {
  return boost::math::ibeta(a, b, x);
}
double beta_above(double a, double b, double x) {
  return boost::math::ibetac(a, b, x);
}

double binomial_below(double n, double p, double k) {
  return boost::math::cdf(Binomial(n, p), k);
}
double binomial_at(double n, double p, double k) {
  return boost::math::pdf(Binomial(n, p), k);
}
double poisson_at_rate(double n) {
  return boost::math::gamma_p_derivative(n + 1, n);
}

double students_quantile(double degrees, double tail) {
  return boost::math::quantile(boost::math::complement(StudentsT(degrees), tail));
}
double students_above(double degrees, double t) {
  return boost::math::cdf(boost::math::complement(StudentsT(degrees), t));
}

}  // namespace credence::bounds
