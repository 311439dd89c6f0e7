#pragma once

#include <cstddef>

/// Upper limits of a mean, computed from the mean of m independent held-out values in [0, 1] (the losses of a
/// classifier on rows that it had not seen). All functions are pure. Each limit holds with probability >= 1 - delta and
/// is at least `mean`. The limits of Hoeffding and Clopper-Pearson are at most 1; the others may exceed 1 and then say
/// nothing. m may be any number > 0: the papers evaluate the limits at m = n / k and at the expected size of an
/// out-of-bag set. All functions throw Error invalid_argument unless 0 <= mean <= 1, m > 0 and 0 < delta < 1. For the
/// hard loss there is also `binomial_upper_limit` (binomial.hpp).
namespace credence::bounds {

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
