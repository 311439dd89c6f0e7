#pragma once

#include <cstddef>

/// Upper limits of a mean, computed from the mean of m independent held-out values in [0, 1] (the losses of a
/// classifier on rows that it had not seen). All functions are pure. Each limit holds with probability >= 1 - delta and
/// is at least `mean`. The limits of Hoeffding and Clopper-Pearson are at most 1; the others may exceed 1 and then say
/// nothing. m may be any number > 0: the papers evaluate the limits at m = n / k and at the expected size of an
/// out-of-bag set. Those that take a mean throw Error invalid_argument unless 0 <= mean <= 1, m > 0 and 0 < delta < 1.
/// For the hard loss there is also `binomial_upper_limit` (binomial.hpp).
namespace credence::bounds {

// Confidence terms and floors for the bounds by Rademacher complexity and by maximal discrepancy. With probability >=
// 1 - delta, for all f of a class that was fixed before the n rows were seen, and for a loss in [0, 1],
//
//     error(f) <= training loss(f) + complexity + deviation.
//
// These four throw Error invalid_argument unless n >= 1, trials >= 1 and 0 < delta < 1.

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

/// Returns the least that the Rademacher complexity can be with a free bias:
/// E|S_n| / n = C(n - 1, floor((n - 1) / 2)) / 2^(n - 1), where S_n is a sum of n fair signs; about 0.798 / sqrt(n).
double rademacher_floor(std::size_t n);

/// Returns the least that the mean maximal discrepancy over shuffles can be with a free bias, if half of the n rows (n
/// even) have each label: sum over h of Hyp(h; n, n/2, n/2) |n - 4 h| / n. @throws Error also for an odd n
double discrepancy_floor(std::size_t n);

/// Computes Hoeffding's bound in its Kullback-Leibler form: the p in [mean, 1) with m kl(mean || p) = ln(1 / delta),
/// where kl(q || p) = q ln(q / p) + (1 - q) ln((1 - q) / (1 - p)). The bound is 1 - delta^(1/m) at mean 0, and 1 at
/// mean 1. It holds for all values in [0, 1], not only for 0 and 1. Cost: a few steps of Newton's method, to 1e-13.
/// Source: Hoeffding, JASA 58 (1963), Theorem 1; equation 22 of Anguita et al. (2012), whose second fraction must read
/// (L + eps) / L.
double hoeffding_upper_limit(double mean, double m, double delta);

/// Computes the empirical Bernstein bound: mean + s sqrt(2 ln(2/delta) / m) + 7 ln(2/delta) / (3 (m - 1)). Here s^2 =
/// mean (1 - mean), the largest variance of values in [0, 1] with this mean. The function also throws unless m > 1.
/// Source: Maurer and Pontil (2009), Theorem 4; equation 21 of Anguita et al. (2012).
double empirical_bernstein_upper_limit(double mean, double m, double delta);

/// Computes the empirical Chernoff bound: the p where m (p - mean)^2 / (2 p) = ln(1 / delta), i.e. mean + c + sqrt(c^2
/// + 2 c mean) with c = ln(1/delta) / m. The bound follows from P(mean <= (1 - e) p) <= exp(-m p e^2 / 2), a looser
/// form of the Kullback-Leibler bound.
/// Source: Angluin and Valiant (1979); Langford, JMLR 6 (2005), section 3.
double empirical_chernoff_upper_limit(double mean, double m, double delta);

/// Returns the mean number of rows that a bootstrap sample of n out of n leaves out: n (1 - 1/n)^n. @throws Error if n
/// = 0
double expected_out_of_bag(std::size_t n);

}  // namespace credence::bounds
