#pragma once

#include <cstddef>

/// Confidence terms and floors for the bounds by Rademacher complexity and by maximal discrepancy. With probability >=
/// 1 - delta, for all f of a class that was fixed before the n rows were seen, and for a loss in [0, 1],
///
///     error(f) <= training loss(f) + complexity + deviation.
///
/// All functions are pure. They throw Error invalid_argument unless n >= 1, trials >= 1 and 0 < delta < 1.
namespace credence::bounds {

/// Returns 3 sqrt(ln(2 / delta) / (2 n)), the deviation that belongs to the Rademacher complexity as an expectation
/// over all label vectors, and to the mean maximal discrepancy over any number of shuffles.
/// Source: Anguita et al. (2012), equations 42, 46, 61; Bartlett, Boucheron, Lugosi, Machine Learning 48 (2002).
double complexity_deviation(std::size_t n, double delta);

/// Returns the deviation that belongs to the Monte Carlo mean of the Rademacher complexity over `trials` label vectors
/// drawn without replacement from the 2^n: (3 + sqrt(n (1 - (trials - 1) / 2^n) / trials)) sqrt(ln(3 / delta) / (2 n)).
/// The factor 1 - (trials - 1) / 2^n is never below 0, and is 1 beyond n = 60. The values of the trials must lie in an
/// interval of length 1.
/// Source: Anguita et al. (2012), equation 60, after Serfling, Annals of Statistics 2 (1974).
double complexity_deviation_of_trials(std::size_t n, std::size_t trials, double delta);

/// Returns the least Rademacher complexity of any class with a free bias:
/// E|S_n| / n = C(n - 1, floor((n - 1) / 2)) / 2^(n - 1), where S_n is a sum of n fair signs; about 0.798 / sqrt(n).
double rademacher_floor(std::size_t n);

/// Returns the least mean maximal discrepancy over shuffles of any class with a free bias, if half of the n rows (n
/// even) are of each class: sum over h of Hyp(h; n, n/2, n/2) |n - 4 h| / n. @throws Error also for an odd n
double discrepancy_floor(std::size_t n);

}  // namespace credence::bounds
