#pragma once

#include <cstddef>

namespace credence::bounds {

struct Interval {
  double lower = 0;
  double upper = 1;
};

/// Exact (Clopper-Pearson) two-sided confidence interval for a binomial proportion.
/// lower = Beta^-1(delta/2; errors, n-errors+1), upper = Beta^-1(1-delta/2; errors+1, n-errors); 0 and 1 at the ends.
/// @param errors  0..n  @param n  >= 1  @param delta  in (0, 1); the interval holds with probability >= 1 - delta
/// @throws Error invalid_argument
/// Source: Clopper and Pearson, Biometrika 26 (1934).
Interval clopper_pearson(std::size_t errors, std::size_t n, double delta);

/// Binomial tail inversion: the one-sided Clopper-Pearson upper limit, sup{p : P(Bin(n,p) <= errors) >= delta}, which
/// is Beta^-1(1 - delta; errors + 1, n - errors); 1 at errors = n. Errors and n may be any numbers, as the beta
/// function is: the papers evaluate it at n / k and at the expected size of an out-of-bag set.
/// @param errors  in [0, n]  @param n  > 0, finite  @param delta  in (0, 1)  @throws Error invalid_argument
/// Source: Langford, JMLR 6 (2005); equations 18 to 20 of Anguita et al. (2012).
double binomial_upper_limit(double errors, double n, double delta);

/// The two-sided limits at any numbers: lower = Beta^-1(delta/2; errors, n - errors + 1), upper = Beta^-1(1 - delta/2;
/// errors + 1, n - errors). Proved for whole numbers of independent trials alone (clopper_pearson); elsewhere a custom
/// that simulations support.
/// @param errors  in [0, n]  @param n  > 0, finite  @param delta  in (0, 1)  @throws Error invalid_argument
Interval binomial_interval(double errors, double n, double delta);

/// How many independent trials a proportion is worth that was found in clusters: p (1 - p) / v, times
/// (t_{rows-1} / t_{clusters-1})^2 of Student's quantiles at 1 - delta/2 because v itself is estimated from the
/// clusters; at most `rows`. Where the clusters do not differ (v = 0) each of them counts as one trial.
/// @param p  the proportion, in [0, 1]  @param v  its variance, estimated from the clusters; >= 0
/// @param clusters  >= 2  @param rows  >= clusters  @param delta  in (0, 1)  @throws Error invalid_argument
/// Source: Korn and Graubard, Survey Methodology 24 (1998), 193-201.
double effective_trials(double p, double v, std::size_t clusters, std::size_t rows, double delta);

struct CountInterval {
  std::size_t lower = 0;
  std::size_t upper = 0;
};

/// Where a binomial count lies with probability >= 1 - delta: lower is the largest number with P(X < lower) <= delta/2,
/// upper the smallest with P(X > upper) <= delta/2, X ~ Bin(n, p).
/// @param p  in [0, 1]  @param delta  in (0, 1)  @throws Error invalid_argument
CountInterval central_counts(std::size_t n, double p, double delta);

}  // namespace credence::bounds
