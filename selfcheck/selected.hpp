#pragma once

#include <functional>
#include <vector>

#include "credence/selection/options.hpp"
#include "selfcheck/p_values.hpp"

/// What is said of models that a selection chose: mostly approximate, because the rows that chose also judge.
namespace credence::selfcheck {

/// The method with a grid of two costs and two widths.
selection::Options small_grid(const selection::Method& method);

/// Smoothed p-values of new rows, from the scores that left-out rows got, or the p-values of the rule itself
/// (nonconformity). Rows of one trial are judged by one model.
std::vector<Setting> of_selected(const std::vector<Place>& places, const selection::Options& options,
                                 bool label_conditional = false);
/// p-values of the grade model::PValues::nested: each fold has the setting that was chosen without it, by kfold-nested.
TrueClass proved_grade(int folds);
/// p-values of a model that was judged on rows held out, with nothing chosen, and returned as it was.
TrueClass held_out_model();
/// Split conformal prediction around a selection in regions of the feature space.
TrueClass around_cells();

/// The confidence interval of the honest estimate misses the error of what was selected, at delta = 0.05. The error is
/// that of the method's score: 1 - balanced accuracy, or else the error rate.
std::vector<Setting> of_honest_intervals(const std::vector<Place>& places, const selection::Options& options);
/// The Clopper-Pearson interval of a model that was judged on rows held out, with nothing chosen, on coins, where the
/// error of every model is 1/2.
std::vector<Setting> of_held_out_intervals(const std::vector<std::size_t>& sizes);

/// The upper limit of the error rate that the method states, on coins, where every classifier errs on half of new rows.
/// The values are the smallest delta at which the limit is below 1/2.
/// @param proved  folds look at no label, and a selection that differs from its theorem (`gaps`) is an error
std::vector<Setting> of_error_bounds(const std::vector<std::size_t>& sizes, const selection::Options& options,
                                     bool proved);
/// rademacher or maximal-discrepancy, of three norms with the bounds united, and proved (InSample::bound_upper).
selection::Options in_sample(const selection::Method& method);
/// Nested estimation with united bounds and a classifier drawn at random, which the bounds are about.
selection::Options nested_estimation(bool united);

/// p-values of targets from the residuals that a selected relevance vector regression carries.
std::vector<Setting> of_selected_regressions(const std::vector<std::size_t>& sizes);
/// The percentiles around the honest mean squared error of such a regression.
std::vector<Setting> of_squared_errors(const std::vector<std::size_t>& sizes);

}  // namespace credence::selfcheck
