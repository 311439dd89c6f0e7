#pragma once

#include <cstddef>
#include <span>

/// ```cpp
/// using namespace credence;
/// const bounds::Interval error = bounds::clopper_pearson(5, 100, 0.05);  // 5 errors on 100 held-out rows
/// std::cout << error.lower << " to " << error.upper << '\n';             // prints 0.0164319 to 0.112835
/// std::cout << bounds::binomial_upper_limit(0, 100, 0.05) << '\n';       // prints 0.029513
/// ```
namespace credence::bounds {

struct Interval {
  double lower = 0;
  double upper = 1;
};

/// Computes the exact (Clopper-Pearson) two-sided confidence interval for a binomial proportion.
/// lower = Beta^-1(delta/2; errors, n-errors+1), upper = Beta^-1(1-delta/2; errors+1, n-errors). lower is 0 at errors =
/// 0, and upper is 1 at errors = n.
/// @param errors  0..n  @param n  >= 1  @param delta  in (0, 1); the interval holds with probability >= 1 - delta
/// @throws Error invalid_argument
/// Source: Clopper and Pearson, Biometrika 26 (1934).
Interval clopper_pearson(std::size_t errors, std::size_t n, double delta);

/// Computes the one-sided Clopper-Pearson upper limit by binomial tail inversion, sup{p : P(Bin(n,p) <= errors) >=
/// delta}. The limit is Beta^-1(1 - delta; errors + 1, n - errors), and 1 at errors = n. The beta function is defined
/// for all numbers, and so are errors and n here: the papers evaluate the limit at n / k and at the expected size of an
/// out-of-bag set.
/// @param errors  in [0, n]  @param n  > 0, finite  @param delta  in (0, 1)  @throws Error invalid_argument
/// Source: Langford, JMLR 6 (2005); equations 18 to 20 of Anguita et al. (2012).
double binomial_upper_limit(double errors, double n, double delta);

/// Computes the two-sided limits at any numbers: lower = Beta^-1(delta/2; errors, n - errors + 1), upper = Beta^-1(1 -
/// delta/2; errors + 1, n - errors). The coverage is proved for whole numbers of independent trials (clopper_pearson).
/// For other numbers the limits are customary, and simulations support them.
/// @param errors  in [0, n]  @param n  > 0, finite  @param delta  in (0, 1)  @throws Error invalid_argument
Interval binomial_interval(double errors, double n, double delta);

/// Returns the number of independent trials that a proportion from clustered rows is worth: p (1 - p) / v, times
/// (t_{rows-1} / t_{clusters-1})^2 of Student's quantiles at 1 - delta/2, because v itself is estimated from the
/// clusters. The result is at most `rows`. If the clusters do not differ (v = 0), each cluster counts as one trial.
/// @param p  the proportion, in [0, 1]  @param v  the variance of p, estimated from the clusters; >= 0
/// @param clusters  >= 2  @param rows  >= clusters  @param delta  in (0, 1)  @throws Error invalid_argument
/// Source: Korn and Graubard, Survey Methodology 24 (1998), 193-201.
double effective_trials(double p, double v, std::size_t clusters, std::size_t rows, double delta);

/// The same with v from the clusters: c / (c - 1) times the sum of the squares of `excess`, over rows^2.
/// @param excess  of each of the c clusters: its errors (or losses) minus p times its rows
double effective_trials(double p, std::span<const double> excess, std::size_t rows, double delta);

struct CountInterval {
  std::size_t lower = 0;
  std::size_t upper = 0;
};

/// Returns limits between which a binomial count X ~ Bin(n, p) lies with probability >= 1 - delta: lower is the largest
/// number with P(X < lower) <= delta/2, and upper is the smallest with P(X > upper) <= delta/2.
/// @param p  in [0, 1]  @param delta  in (0, 1)  @throws Error invalid_argument
CountInterval central_counts(std::size_t n, double p, double delta);

/// Limits of an error rate for all times at once (a confidence sequence): with probability at least 1 - delta they
/// contain the rate after every row of a stream, if errors are independent and have one rate. With a uniform prior over
/// rates the mixture M(q) = B(1 + s, 1 + n - s) / (q^s (1 - q)^(n - s)), s = errors, is a martingale under rate q
/// (Ville; Robbins, 1970); the limits are the ends of M(q) < 1 / delta.
/// Cost: two bisections.
/// @param errors  0 to n  @param n  rows so far; 0 gives [0, 1]  @param delta  in (0, 1)
/// @throws Error invalid_argument
Interval running_interval(double errors, double n, double delta);

}  // namespace credence::bounds
