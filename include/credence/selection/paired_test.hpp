#pragma once

#include <span>

namespace credence::selection {

struct PairedTest {
  double mean_difference = 0;  ///< first - second
  double t = 0;                ///< 0 if all differences are 0; +-infinity if they are equal and not 0
  double p_value = 1;          ///< two-sided
  double half_width = 0;       ///< the mean difference +- this is its interval at confidence 95 %
};

/// The corrected resampled t-test on the errors of two methods over the same J >= 2 splits:
/// t = mean(d) / sqrt((1 / J + test_ratio) var(d)), J - 1 degrees of freedom, var with J - 1.
/// @param test_ratio  n_test / n_train (1/9 for ten folds)
/// @throws Error invalid_argument if sizes differ or are below 2, an error is not finite, or the ratio is not finite
/// and above 0
/// Source: Nadeau and Bengio, Machine Learning 52 (2003).
PairedTest corrected_resampled_t_test(std::span<const double> first, std::span<const double> second, double test_ratio);

}  // namespace credence::selection
