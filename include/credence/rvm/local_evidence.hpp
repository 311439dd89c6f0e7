#pragma once

#include <cstddef>
#include <limits>
#include <span>

/// Local evidence: how good a single solution is, by its likelihood and by how fast that falls around it (Kropotov,
/// Ptashko, Vasiliev, Vetrov, "On kernel selection in relevance vector machines using stability principle", section 2).
/// Pure functions of numbers.
namespace credence::rvm {

/// log A of equation 6: the integral over s > 0 of exp(-|a| s - b s^2 / 2), the falling side of the function's Gaussian
/// approximation; for b <= 0 the curvature is left out. Exact to about 1e-12 for all finite a and b.
///
///   b > 0   0.5 log(pi / (2 b)) + log erfcx(|a| / sqrt(2 b))
///   b <= 0  -log |a|;  infinite at a = 0
///
/// @param a  first derivative of log Q  @param b  minus its second derivative
/// @param cap  A is at most this, > 0: the length of the interval in which the parameter means anything
/// @throws Error invalid_argument for NaN, or a cap that is not > 0
double log_stability(double a, double b, double cap = std::numeric_limits<double>::infinity());

/// log LE of equation 5: log Q(w0) + sum_i log A(a_i, b_i). For one parameter at the maximum it is the Laplace
/// approximation of the evidence (equation 4) less log 2, for equation 6 integrates one of the two sides.
/// @throws Error invalid_argument if sizes differ
double log_local_evidence(double log_posterior, std::span<const double> slopes, std::span<const double> curvatures);

/// Equation 4: log Q(w_MP) + (parameters / 2) log 2 pi - 0.5 log |H|, H the Hessian of -log Q.
double log_laplace_evidence(double log_posterior, std::size_t parameters, double log_hessian);

}  // namespace credence::rvm
