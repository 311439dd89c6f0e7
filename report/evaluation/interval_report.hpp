#pragma once

#include <optional>
#include <span>

#include "credence/conformal/cross_regression.hpp"
#include "credence/conformal/evaluation.hpp"
#include "credence/conformal/regression.hpp"
#include "credence/data/dataset.hpp"
#include "report/json.hpp"
#include "report/rows/prediction_columns.hpp"
#include "report/story.hpp"
#include "report/text.hpp"

/// Intervals around predicted numbers: of models that carry residuals, and of predictions from outside.
namespace credence::report {

using Intervals = std::vector<std::vector<conformal::PredictionInterval>>;  ///< one list for each level

/// What the intervals at one level came to on rows whose targets are known.
struct IntervalCoverage {
  double significance = 0;
  std::size_t covered = 0;
  std::size_t rows = 0;
  double mean_width = 0;  ///< infinite where intervals are the whole line
};

/// Widths of intervals at one level.
struct Widths {
  std::vector<double> finite{};  ///< ascending
  std::size_t infinite = 0;

  explicit Widths(const std::vector<conformal::PredictionInterval>& intervals);
  /// The quantile; none where no interval has ends.
  std::optional<double> at(double share) const;
};

/// Levels of intervals. @throws Error invalid_argument for 0, at which an interval is the whole line
std::vector<double> interval_levels(const std::vector<double>& asked, const std::vector<double>& usual);

Intervals intervals_of(const conformal::InductiveRegression& regression, std::span<const double> predictions,
                       std::span<const double> difficulties, const std::vector<double>& levels,
                       std::span<const double> own = {});
/// Around the rows of a prediction. @param regression  none: there are no intervals
Intervals intervals_of(const std::optional<conformal::CrossRegression>& regression, const model::Prediction& prediction,
                       const std::vector<double>& levels);

/// lower_LEVEL and upper_LEVEL for each level. The intervals must outlive the columns.
void add_intervals(Columns& columns, const Intervals& intervals, const std::vector<double>& levels);

/// By p-values, which no rounding of an interval's ends can change.
/// @param p  of the targets
std::vector<IntervalCoverage> interval_coverage(const std::vector<double>& p, const Intervals& intervals,
                                                const std::vector<double>& levels);
Table intervals_table(const std::vector<IntervalCoverage>& coverage);
/// Of each level: share of rows covered, its exact interval, mean width; the width is null where it is infinite.
Json interval_json(const std::vector<IntervalCoverage>& coverage);

/// Of each level: `confidence_level`; `covered`, `share`, `interval` and `mean_width` as above, the first three null
/// where the targets are not known; and `widths`: how many intervals are infinite, and the least, the quartiles and the
/// largest of the widths of the others.
/// @param p  of the targets; empty where they are not known
Json interval_levels_json(const std::vector<double>& p, const Intervals& intervals, const std::vector<double>& levels);
/// The share of rows whose target has p <= s, at s = 0.01, 0.02, ..., 1.
std::vector<conformal::CalibrationPoint> interval_calibration(const std::vector<double>& p);

/// Which levels are too small for so many rows for comparison, so that intervals are the whole line; empty if none.
std::string whole_line_warning(std::size_t rows, const std::vector<double>& levels);

}  // namespace credence::report
