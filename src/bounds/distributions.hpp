#pragma once

/// What Boost's distributions say, behind one source: each of Boost's headers takes seconds to compile.
namespace credence::bounds {

/// The x of I_x(a, b) = p.  @throws std::exception where the series does not converge
double beta_quantile(double a, double b, double p);
/// The x of I_x(a, b) = 1 - tail.  @throws std::exception where the series does not converge
double beta_upper_quantile(double a, double b, double tail);
/// I_x(a, b) and 1 - I_x(a, b).
double beta_below(double a, double b, double x);
double beta_above(double a, double b, double x);

/// P(X <= k) and P(X = k), X ~ Bin(n, p).
double binomial_below(double n, double p, double k);
double binomial_at(double n, double p, double k);
/// P(X = n), X ~ Poisson(n).
double poisson_at_rate(double n);

/// Student's t: the point above which a share `tail` lies, and the share above a point.
double students_quantile(double degrees, double tail);
double students_above(double degrees, double t);

}  // namespace credence::bounds
