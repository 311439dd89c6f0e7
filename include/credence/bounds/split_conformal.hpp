#pragma once

/// ```cpp
/// using namespace credence;
/// // 100 rows were held out from training: what may one model miss at level 0.1?
/// std::cout << bounds::split_miss_limit(100, 0.1, 0.05) << '\n';                  // prints 0.151795
/// const auto counts = bounds::split_miss_counts(1000, 100, 0.1, 0.05);
/// std::cout << counts.lower << " to " << counts.upper << '\n';                    // prints 47 to 167
/// ```

#include <cstddef>

#include "credence/bounds/binomial.hpp"

/// What one split conformal predictor may miss. On average over all draws of the m calibration rows, a prediction set
/// at significance eps misses the true class with probability at most eps, if rows are exchangeable. One model has one
/// draw of these rows, and the share of new rows that its prediction sets miss follows Beta(k, m + 1 - k), k =
/// floor(eps (m + 1)), if rows are independent and their nonconformity scores have no ties. With ties, the sets of
/// plain p-values miss no more than that (in distribution); for smoothed p-values k is at most ceil(eps (m + 1)). For
/// label-conditional p-values m counts the rows of the class. Source: Vovk, Machine Learning 92 (2013), 349-376,
/// proposition 2; Angelopoulos and Bates, Foundations and Trends in Machine Learning 16 (2023), section 3.2.
namespace credence::bounds {

/// Returns the largest share of new rows that the prediction sets of one model miss, except for a share delta of all
/// draws of calibration rows: the quantile of the Beta distribution at 1 - delta. It is 0 where eps < 1 / (m + 1), as
/// prediction sets then hold every class.
/// @param m  calibration rows, >= 1  @param significance  in [0, 1)  @param delta  in (0, 1)
/// @param smoothed  whether p-values are smoothed: k is rounded up
/// @throws Error invalid_argument
double split_miss_limit(std::size_t m, double significance, double delta, bool smoothed = false);

/// Returns limits between which the number of misses on n new rows lies with probability >= 1 - delta, over the draws
/// of the new rows and of the m calibration rows: a beta-binomial count with the Beta distribution above. The limits
/// are defined as those of central_counts, to which they tend as m grows.
/// @param n  >= 1  @param m  >= 1  @param significance  in [0, 1]  @param delta  in (0, 1)  @throws Error
/// invalid_argument
CountInterval split_miss_counts(std::size_t n, std::size_t m, double significance, double delta);

/// Returns the largest level k / (m + 1) at which the prediction sets of one model miss at most eps of the new rows,
/// except for a share delta of all draws of calibration rows. Here k is the largest number with P(X < k) <= delta,
/// where X counts m independent events of probability eps. It is 0 where m < rows_for_certainty(eps, delta): then only
/// level 0 keeps eps. P-values are not smoothed; with ties the prediction sets miss less.
/// @param m  calibration rows  @param significance  in [0, 1)  @param delta  in (0, 1)
/// @throws Error invalid_argument
/// Cost: O(log m) tails of a binomial. Source: Tong, Feng, Li, Science Advances 4 (2018), proposition 1.
double level_with_certainty(std::size_t m, double significance, double delta);

/// Returns the fewest calibration rows from which level_with_certainty is above 0: ln delta / ln(1 - eps), rounded up.
/// @param significance  in (0, 1)  @param delta  in (0, 1)  @throws Error invalid_argument
std::size_t rows_for_certainty(double significance, double delta);

}  // namespace credence::bounds
