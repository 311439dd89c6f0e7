#pragma once

#include <cstddef>

/// Limits on how far frequencies on a sample of n lie from probabilities, for all sets at once, with probability >= 1 -
/// delta. All functions are pure. The limits may exceed 1 and then say nothing. All functions throw Error
/// invalid_argument unless n >= 1 and 0 < delta < 1.
namespace credence::bounds {

/// Returns the limit over a family of sets of VC dimension d >= 1: 5.66 sqrt((d ln(e n / d) + ln(8 / delta)) / n). A d
/// > n gives the value of d = n, because the logarithm of the number of subsets is bounded by n. The function also
/// throws if d = 0.
/// Source: Devroye, Gyorfi, Lugosi (1996), as Theorem 4.1 of Hardoon, Hussain, Shawe-Taylor (2009).
double vc_deviation(std::size_t n, std::size_t dimension, double delta);

/// Returns the two-sided limit for a distribution function: sqrt(ln(2 / delta) / (2 n)).
/// Source: Dvoretzky, Kiefer, Wolfowitz (1956), constant by Massart, Annals of Probability 18 (1990).
double dkw_deviation(std::size_t n, double delta);

/// Returns the one-sided limit for one mean of variables in [0, 1]: sqrt(ln(1 / delta) / (2 n)). Source: Hoeffding,
/// JASA 58 (1963).
double hoeffding_deviation(std::size_t n, double delta);

}  // namespace credence::bounds
