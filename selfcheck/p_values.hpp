#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "credence/conformal/fit.hpp"
#include "credence/neighbours/metric.hpp"
#include "credence/selection/options.hpp"
#include "selfcheck/check.hpp"
#include "selfcheck/problems.hpp"

/// The values of p-values: that of the true class of one new row, or of each row of a stream.
namespace credence::selfcheck {

/// p-value of the true class of the example's first new row; NaN if the check is not about such a row.
using TrueClass = std::function<double(const Example& example, const conformal::PValueOptions& options,
                                       const core::Context& context)>;

/// A distribution with the number of known rows.
struct Place {
  const char* problem;
  std::size_t n;
};

/// How p-values are made and judged.
struct Style {
  bool smoothed = false;
  bool label_conditional = false;  ///< then the first and the last class have a setting of their own
  std::size_t least = 0;           ///< see Drawing::least
  /// Rows on which the machine cannot be made (Error invalid_data) are drawn again. Whether it can be made must depend
  /// on the rows of its training alone, of which none is compared with the new row.
  bool redraw = false;
};

/// One setting for each place. A trial draws known rows and a new row afresh.
std::vector<Setting> for_true_class(const std::vector<Place>& places, const Style& style, const TrueClass& p_value);

/// By conformal::fit.
/// @param promised  the validity that the predictor has to state
/// @param scaling  none: that of the measure
TrueClass fitted(const conformal::Measure& measure, const conformal::Mode& mode, conformal::Validity promised,
                 std::optional<data::Scaling> scaling);
conformal::Measure svm_margin(double C = 1);
conformal::Measure rvm_margin();
/// Cross-conformal settings, held against the bound that is proved.
std::vector<Setting> against_cross_bound(std::vector<Setting> settings, int folds);

/// How familiar the new row is to the known rows (conformal::Familiarity), whose labels say nothing there.
TrueClass familiarity_of_rows();
/// Scores of a classifier from outside, that are rough, so that most are tied: ScoreCalibration.
TrueClass outside_scores();
/// GroupedCalibration with two groups that depend on a feature; new rows are of the given one.
TrueClass grouped_scores(int group);
/// The conformal p-values of the rule of nonconformity over a single model.
TrueClass nonconformity_of_one(selection::PValue kind);

/// Rows that do not count alike (conformal::RowWeights), or whose class shares change.
enum class Weighted {
  new_groups,               ///< one row of a new group; n is the number of groups, of 1 to 50 rows that are much alike
  known_weights,            ///< new rows are drawn by another density, of known ratio
  class_shares,             ///< one class is far more frequent among new rows; p-values are label-conditional
  new_groups_transductive,  ///< by the mode transductive, which compares with one row of each group
  known_weights_transductive,  ///< by the mode transductive
};
/// @param alike  rows are counted alike, and over all classes: what is promised is then broken
std::vector<Setting> of_weighted(Weighted weighted, const Style& style, bool alike = false);

/// What becomes of the p-values of a stream.
enum class Stream {
  steps,  ///< each is a value
  /// Kolmogorov-Smirnov test of the stream: one value
  uniformity,
  /// Each two steps in a row, combined by Fisher's method: far from uniform if one tells of the next
  pairs,
  rare_class,  ///< those of the last class alone
};
/// conformal::run_online over n rows from nothing.
std::vector<Setting> of_streams(const std::vector<Place>& places, const conformal::PValueOptions& options,
                                Stream stream);

/// conformal::Watch over n rows like those that the model keeps: the smallest level of an alarm.
std::vector<Setting> of_watched_streams(std::size_t n);

/// A regression around predictions that are wrong: InductiveRegression, GroupedRegression.
enum class Residuals { absolute, normalised, grouped };
/// @param smoothed  p-values of targets; false: the smallest level whose interval does not hold the target
std::vector<Setting> of_regressions(const std::vector<std::size_t>& sizes, Residuals residuals, bool smoothed);

/// The test of uniformity itself, on uniform numbers.
std::vector<Setting> of_uniformity_tests(bool one_sided);
/// The corrected resampled t-test on differences of the correlation that it assumes.
std::vector<Setting> of_paired_tests();

}  // namespace credence::selfcheck
