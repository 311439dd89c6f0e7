#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "credence/data/features.hpp"

/// Quality of p-values and prediction sets, measured in the same way for every predictor: validity (are errors as
/// frequent as promised?) and efficiency (are prediction sets small?).
namespace credence::conformal {

/// Counts of prediction sets at one level. A prediction set holds the classes with p > eps. Means run over rows.
struct LevelCounts {
  double significance = 0;
  std::size_t rows = 0;
  std::size_t errors = 0;         ///< prediction sets without the true class
  std::size_t empty = 0;          ///< prediction sets without a class
  std::size_t single = 0;         ///< prediction sets of one class
  std::size_t multiple = 0;       ///< prediction sets of more classes
  std::size_t single_errors = 0;  ///< errors among `single`
  double n = 0;                   ///< N: mean size of the prediction set
  double m = 0;                   ///< M: share of rows with more than one class
  double e = 0;                   ///< E: mean of max(size - 1, 0)
  double om = 0;                  ///< OM: share of rows with a false class in the prediction set
  double oe = 0;                  ///< OE: mean number of false classes in the prediction set
};

/// The ten criteria of Vovk, Nouretdinov, Fedorova, Petej, Gammerman, Annals of Mathematics and AI 81 (2017): the five
/// criteria without a level are here, and LevelCounts has five for each level. Smaller values are better in all ten.
struct Efficiency {
  double s = 0;   ///< S: mean sum of the p-values
  double u = 0;   ///< U (unconfidence): mean second largest p-value; 1 - mean confidence
  double f = 0;   ///< F (fuzziness): mean sum of all p-values but the largest
  double ou = 0;  ///< OU: mean largest p-value of a false class
  double of = 0;  ///< OF: mean sum of the p-values of false classes
  double mean_confidence = 0;
  double mean_credibility = 0;
};

/// Kolmogorov-Smirnov test of the p-values of true classes. The test assumes independent p-values, as smoothed p-values
/// in on-line mode are. Rows that are all ranked among the same m examples are dependent: with more than a few rows for
/// each of the m examples, the test rejects valid p-values.
struct UniformityTest {
  double statistic = 0;
  /// Exact to 9 digits for the one-sided test up to n = 100,000, and for the two-sided test up to n = 1,000. The
  /// two-sided value has a relative error of at most 2e-4 from there to n = 100,000. Above n = 100,000 both are
  /// asymptotic, and right to 1e-3 down to probabilities of 1e-8.
  double p_value = 1;
  bool one_sided = true;
};

struct CalibrationPoint {
  double significance = 0;
  double error = 0;  ///< share of rows whose true class has p <= eps
};

struct Evaluation {
  std::size_t rows = 0;
  std::size_t errors = 0;  ///< errors of the label with the largest p-value; ties go to the lowest class
  Efficiency efficiency;
  std::vector<LevelCounts> levels;
  std::vector<CalibrationPoint> calibration;  ///< at significance eps = 0.01, 0.02, ..., 1
  UniformityTest uniformity;
};

/// @param p_values  rows x classes, each in [0, 1]  @param levels  each in [0, 1)
/// @param labels    true classes; -1 stands for a class outside the columns of the p-values: an error at every level,
/// with the p-value 0
/// @param smoothed  whether the p-values are smoothed. Smoothed p-values are tested for uniformity (two-sided), others
/// for P(p <= u) <= u (one-sided).
/// @throws Error invalid_argument for sizes, p-values, labels or levels that do not fit; without rows or classes
Evaluation evaluate(const data::DenseMatrix& p_values, std::span<const int> labels, std::span<const double> levels,
                    bool smoothed);

/// Counts the prediction sets of one level. @throws as `evaluate`
LevelCounts count_sets(const data::DenseMatrix& p_values, std::span<const int> labels, double significance);

/// Tests whether numbers in [0, 1] are uniform (D = sup |F_n(u) - u|).  Source: Marsaglia, Tsang, Wang, JSS 8 (2003).
/// @throws Error invalid_argument for a number outside [0, 1], or without any
/// Cost: a sort, and at most 0.1 s at any n up to 100,000.
UniformityTest test_uniform(std::span<const double> values);
/// Tests whether numbers in [0, 1] are at least as large as uniform ones (D+ = sup (F_n(u) - u)).
/// Source: Birnbaum and Tingey, Ann. Math. Stat. 22 (1951). Cost and errors: as for `test_uniform`.
UniformityTest test_dominates_uniform(std::span<const double> values);

}  // namespace credence::conformal
