#pragma once

#include <limits>

/// Local evidence: a measure of a single solution by its likelihood and by how fast the likelihood falls around the
/// solution (Kropotov, Ptashko, Vasiliev, Vetrov, "On kernel selection in relevance vector machines using stability
/// principle", section 2). All functions here are pure functions of numbers.
namespace credence::rvm {

/// Returns log A of equation 6: the log of the integral over s > 0 of exp(-|a| s - b s^2 / 2), the falling side of the
/// Gaussian approximation. For b <= 0 the curvature is left out. The result is exact to about 1e-12 for all finite a
/// and b.
///
///   b > 0   0.5 log(pi / (2 b)) + log erfcx(|a| / sqrt(2 b))
///   b <= 0  -log |a|;  infinite at a = 0
///
/// @param a  first derivative of log Q  @param b  minus the second derivative of log Q
/// @param cap  upper limit of A, > 0: the length of the interval in which the parameter has a meaning
/// @throws Error invalid_argument for NaN, or a cap that is not > 0
double log_stability(double a, double b, double cap = std::numeric_limits<double>::infinity());

}  // namespace credence::rvm
