#pragma once

#include <functional>
#include <vector>

#include "credence/selection/selector.hpp"

namespace credence::selection {

/// The honest estimate that is made where none was asked for: Estimate::holdout from holdout_from rows on, for the
/// methods whose chosen cell is trained again on all rows, with cells of the feature space from holdout_from_cells
/// times the rows of a cell on; else Estimate::bbc.
Estimate default_estimate(const data::Dataset& dataset, const Options& options);

/// The rows on which select_with_rows_set_aside selects.
/// @throws Error invalid_data if no rows can be set aside
data::Dataset rows_not_set_aside(const data::Dataset& dataset, const Options& options);

/// Makes a selection on these rows, without an honest estimate.
using Choosing = std::function<Selection(const data::Dataset& training, const Options& options)>;

/// Selects on nine tenths of the rows, trains the choice there, judges the trained model on the others (true in
/// set_aside_rows), and trains the choice on all rows.
/// @throws Error as the method; invalid_data if no rows can be set aside
Selection select_with_rows_set_aside(const data::Dataset& dataset, const Options& options,
                                     const core::Context& context);
/// The same where the selection is made by a function.
Selection select_with_rows_set_aside(const data::Dataset& dataset, const Options& options, const core::Context& context,
                                     const Choosing& choose);

}  // namespace credence::selection
