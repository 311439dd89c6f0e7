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

/// Kolmogorov-Smirnov test of the p-values of true classes.
struct UniformityTest {
  double statistic = 0;
  double p_value = 1;  ///< exact for the one-sided test; two-sided: exact up to n = 1,000, then asymptotic
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

/// @param p_values  rows x classes  @param labels  true classes  @param levels  each in [0, 1)
/// @param smoothed  whether the p-values are smoothed: then they are tested for uniformity (two-sided), otherwise for
///                  P(p <= u) <= u (one-sided)
/// @throws Error invalid_argument for sizes, labels or levels that do not fit; without rows
Evaluation evaluate(const data::DenseMatrix& p_values, std::span<const int> labels, std::span<const double> levels,
                    bool smoothed);

/// One level alone. @throws as `evaluate`
LevelCounts count_regions(const data::DenseMatrix& p_values, std::span<const int> labels, double eps);

/// Are these numbers in [0, 1] uniform (D = sup |F_n(u) - u|)?  Source: Marsaglia, Tsang, Wang, JSS 8 (2003).
UniformityTest test_uniform(std::span<const double> values);
/// Do they lie above uniform ones (D+ = sup (F_n(u) - u))?  Source: Birnbaum and Tingey, Ann. Math. Stat. 22 (1951).
UniformityTest test_dominates_uniform(std::span<const double> values);

}  // namespace credence::conformal
