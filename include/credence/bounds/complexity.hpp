#pragma once

#include <cstddef>

/// Confidence terms and floors of bounds by Rademacher complexity and maximal discrepancy: with probability
/// >= 1 - delta, for all f of a class that was fixed before the n rows were seen, and a loss in [0, 1],
///
///     error(f) <= training loss(f) + complexity + deviation.
///
/// Pure functions; Error invalid_argument unless n >= 1, trials >= 1, 0 < delta < 1.
namespace credence::bounds {

/// 3 sqrt(ln(2 / delta) / (2 n)): of the Rademacher complexity as an expectation over all label vectors, and of the
/// mean maximal discrepancy over any number of shuffles.
/// Source: Anguita et al. (2012), equations 42, 46, 61; Bartlett, Boucheron, Lugosi, Machine Learning 48 (2002).
double complexity_deviation(std::size_t n, double delta);

/// The same with the error of the Monte Carlo mean over `trials` label vectors drawn without replacement from the 2^n:
/// (3 + sqrt(n (1 - (trials - 1) / 2^n) / trials)) sqrt(ln(3 / delta) / (2 n)). The factor in brackets is never below
/// 0; beyond n = 60 it is 1. Needs trials whose values lie in an interval of length 1.
/// Source: Anguita et al. (2012), equation 60, after Serfling, Annals of Statistics 2 (1974).
double complexity_deviation_of_trials(std::size_t n, std::size_t trials, double delta);

/// What the Rademacher complexity is at least, whatever the class, if a bias is free:
/// E|S_n| / n = C(n - 1, floor((n - 1) / 2)) / 2^(n - 1), S_n a sum of n fair signs; about 0.798 / sqrt(n).
double rademacher_floor(std::size_t n);

/// What the maximal discrepancy is at least on average over shuffles, if a bias is free and half of the n rows (n even)
/// are of each class: sum over h of Hyp(h; n, n/2, n/2) |n - 4 h| / n. @throws Error also for an odd n
double discrepancy_floor(std::size_t n);

}  // namespace credence::bounds
