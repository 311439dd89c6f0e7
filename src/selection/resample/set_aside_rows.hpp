#pragma once

#include <cstddef>

#include "credence/data/dataset.hpp"
#include "credence/selection/options.hpp"

/// The rows that Estimate::holdout sets aside before anything is selected.
namespace credence::selection {

/// With fewer groups or fixed folds, their differences say too little of other groups.
inline constexpr std::size_t least_clusters = 10;

/// The honest estimate that is made where none was asked for: Estimate::holdout from holdout_from rows on, for the
/// methods whose chosen cell is trained again on all rows, from Regions::holdout_from rows on for regions; else
/// Estimate::bbc.
Estimate default_estimate(const data::Dataset& dataset, const Options& options);

/// The rows that judge the choice. @throws Error invalid_data if no rows can be set aside
data::Dataset rows_set_aside(const data::Dataset& dataset, const Options& options);
/// The others, on which a selection chooses.
data::Dataset rows_not_set_aside(const data::Dataset& dataset, const Options& options);

}  // namespace credence::selection
