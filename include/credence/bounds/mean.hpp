#pragma once

#include <cstddef>

/// Upper limits of a mean, from the mean of m independent values in [0, 1] that were held out (the losses of a
/// classifier on rows that it had not seen). All are pure functions; each holds with probability >= 1 - delta, is at
/// least `mean`, and at most 1 where the formula can exceed it nowhere (Hoeffding, Clopper-Pearson); the others may
/// exceed 1 and say nothing then. m may be any number > 0: the papers evaluate them at m = n / k and at the expected
/// size of an out-of-bag set. All throw Error invalid_argument unless 0 <= mean <= 1, m > 0 and 0 < delta < 1.
/// The hard loss has `binomial_upper_limit` (binomial.hpp) beside these.
namespace credence::bounds {

/// Hoeffding's bound in its Kullback-Leibler form: the p in [mean, 1) with m kl(mean || p) = ln(1 / delta), where
/// kl(q || p) = q ln(q / p) + (1 - q) ln((1 - q) / (1 - p)); 1 - delta^(1/m) at mean 0, 1 at mean 1. For values in
/// [0, 1], not only 0 and 1. Cost: a few steps of Newton's method; to 1e-13.
/// Source: Hoeffding, JASA 58 (1963), Theorem 1; equation 22 of Anguita et al. (2012), whose second fraction must read
/// (L + eps) / L.
double hoeffding_upper_limit(double mean, double m, double delta);

/// Empirical Bernstein: mean + s sqrt(2 ln(2/delta) / m) + 7 ln(2/delta) / (3 (m - 1)), s^2 = mean (1 - mean), which is
/// the largest variance of values in [0, 1] with that mean. Also throws unless m > 1.
/// Source: Maurer and Pontil (2009), Theorem 4; equation 21 of Anguita et al. (2012).
double empirical_bernstein_upper_limit(double mean, double m, double delta);

/// Empirical Chernoff: the p where m (p - mean)^2 / (2 p) = ln(1 / delta), i.e. mean + c + sqrt(c^2 + 2 c mean) with
/// c = ln(1/delta) / m. From P(mean <= (1 - e) p) <= exp(-m p e^2 / 2), which is the Kullback-Leibler form loosened.
/// Source: Angluin and Valiant (1979); Langford, JMLR 6 (2005), section 3.
double empirical_chernoff_upper_limit(double mean, double m, double delta);

/// Rows that a bootstrap sample of n out of n leaves out, on average: n (1 - 1/n)^n. @throws Error if n = 0
double expected_out_of_bag(std::size_t n);

}  // namespace credence::bounds
