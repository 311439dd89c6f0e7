#pragma once

#include <functional>
#include <vector>

#include "credence/selection/selector.hpp"

namespace credence::selection {

/// Makes a selection on these rows, without an honest estimate.
using Choosing = std::function<Selection(const data::Dataset& training, const Options& options)>;

/// Rows whose features are elsewhere: what the hold-out estimate of regions looks at.
struct SetAsideElsewhere {
  data::Dataset judged;                                    ///< the rows set aside, with features
  std::function<void(Selection&)> train_on_all_rows = {};  ///< the regions
};

/// Selects on nine tenths of the rows, trains the choice there, judges the trained model on the others (true in
/// set_aside_rows), and trains the choice on all rows.
/// @throws Error as `choose`; invalid_data if no rows can be set aside
Selection select_with_rows_set_aside(const data::Dataset& dataset, const Options& options, const core::Context& context,
                                     const Choosing& choose, const SetAsideElsewhere* elsewhere = nullptr);

}  // namespace credence::selection
