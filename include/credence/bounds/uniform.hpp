#pragma once

#include <cstddef>

/// How far frequencies on a sample of n can lie from probabilities, all at once, with probability >= 1 - delta.
/// All are pure functions, may exceed 1 (then they say nothing), and throw Error invalid_argument unless
/// n >= 1 and 0 < delta < 1.
namespace credence::bounds {

/// Over a family of sets of VC dimension d >= 1: 5.66 sqrt((d ln(e n / d) + ln(8 / delta)) / n). With d > n as with
/// d = n, where the logarithm of the number of subsets is bounded by n. Also throws if d = 0.
/// Source: Devroye, Gyorfi, Lugosi (1996), as Theorem 4.1 of Hardoon, Hussain, Shawe-Taylor (2009).
double vc_deviation(std::size_t n, std::size_t dimension, double delta);

/// Of a distribution function, on both sides: sqrt(ln(2 / delta) / (2 n)).
/// Source: Dvoretzky, Kiefer, Wolfowitz (1956), constant by Massart, Annals of Probability 18 (1990).
double dkw_deviation(std::size_t n, double delta);

/// Of one mean of variables in [0, 1], on one side: sqrt(ln(1 / delta) / (2 n)). Source: Hoeffding, JASA 58 (1963).
double hoeffding_deviation(std::size_t n, double delta);

}  // namespace credence::bounds
