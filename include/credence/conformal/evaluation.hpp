#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "credence/data/features.hpp"

/// How good p-values and regions are, for every predictor alike: validity (are errors as frequent as promised?) and
/// efficiency (are regions small?).
namespace credence::conformal {

/// Regions at one level: the classes with p > eps. Means are over rows.
struct LevelCounts {
  double eps = 0;
  std::size_t rows = 0;
  std::size_t errors = 0;         ///< the true class is not in the region
  std::size_t empty = 0;          ///< no class
  std::size_t single = 0;         ///< one class
  std::size_t multiple = 0;       ///< more
  std::size_t single_errors = 0;  ///< errors among `single`
  double n = 0;                   ///< N: mean size of the region
  double m = 0;                   ///< M: share of rows with more than one class
  double e = 0;                   ///< E: mean of max(size - 1, 0)
  double om = 0;                  ///< OM: share of rows with a false class in the region
  double oe = 0;                  ///< OE: mean number of false classes in the region
};

/// The ten criteria of Vovk, Nouretdinov, Fedorova, Petej, Gammerman, Annals of Mathematics and AI 81 (2017): five
/// without a level here, five at each level in LevelCounts. For all of them less is better.
struct Efficiency {
  double s = 0;   ///< S: mean sum of the p-values
  double u = 0;   ///< U (unconfidence): mean second largest p-value; 1 - mean confidence
  double f = 0;   ///< F (fuzziness): mean sum of all p-values but the largest
  double ou = 0;  ///< OU: mean largest p-value of a false class
  double of = 0;  ///< OF: mean sum of the p-values of false classes
  double mean_confidence = 0;
  double mean_credibility = 0;
};

/// Kolmogorov-Smirnov test of the p-values of true classes, as if these were independent. On-line and smoothed, they
/// are. Rows that are all ranked among the same m examples share the luck of those: with more than a few rows for each
/// of the m the test rejects p-values that are valid.
struct UniformityTest {
  double statistic = 0;
  /// Exact for the one-sided test up to n = 100,000 and for the two-sided up to 1,000, to 9 digits. Beyond, asymptotic:
  /// within 2e-4 of the exact, relatively; above n = 100,000 within 1e-3 down to probabilities of 1e-8.
  double p_value = 1;
  bool one_sided = true;
};

struct CalibrationPoint {
  double eps = 0;
  double error = 0;  ///< share of rows whose true class has p <= eps
};

struct Evaluation {
  std::size_t rows = 0;
  std::size_t errors = 0;  ///< of the single label with the largest p-value, ties to the lowest class
  Efficiency efficiency;
  std::vector<LevelCounts> levels;
  std::vector<CalibrationPoint> calibration;  ///< at eps = 0.01, 0.02, ..., 1
  UniformityTest uniformity;
};

/// @param p_values  rows x classes, each in [0, 1]  @param levels  each in [0, 1)
/// @param labels    true classes; -1 is a class that is not among those of the p-values: an error at every level, and
///                  its p-value is taken as 0
/// @param smoothed  whether the p-values are smoothed: then they are tested for uniformity (two-sided), otherwise for
///                  P(p <= u) <= u (one-sided)
/// @throws Error invalid_argument for sizes, p-values, labels or levels that do not fit; without rows or classes
Evaluation evaluate(const data::DenseMatrix& p_values, std::span<const int> labels, std::span<const double> levels,
                    bool smoothed);

/// One level alone. @throws as `evaluate`
LevelCounts count_regions(const data::DenseMatrix& p_values, std::span<const int> labels, double eps);

/// Are these numbers in [0, 1] uniform (D = sup |F_n(u) - u|)?  Source: Marsaglia, Tsang, Wang, JSS 8 (2003).
/// @throws Error invalid_argument for a number outside [0, 1], or without any
/// Cost: a sort, and at most 0.1 s at any n up to 100,000.
UniformityTest test_uniform(std::span<const double> values);
/// Do they lie above uniform ones (D+ = sup (F_n(u) - u))?  Source: Birnbaum and Tingey, Ann. Math. Stat. 22 (1951).
/// Cost and errors: as above.
UniformityTest test_dominates_uniform(std::span<const double> values);

}  // namespace credence::conformal
