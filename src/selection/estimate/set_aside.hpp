#pragma once

#include <functional>
#include <vector>

#include "credence/selection/selector.hpp"

namespace credence::selection {

/// Makes a selection on these rows, without an honest estimate.
using Choosing = std::function<Selection(const data::Dataset& training, const Options& options)>;

/// Selects on nine tenths of the rows, trains the choice there, judges the trained model on the others (true in
/// set_aside_rows), and trains the choice on all rows.
/// @throws Error as `choose`; invalid_data if no rows can be set aside
Selection select_with_rows_set_aside(const data::Dataset& dataset, const Options& options, const core::Context& context,
                                     const Choosing& choose);

}  // namespace credence::selection
