#pragma once

#include <vector>

#include "credence/selection/selector.hpp"

/// What every selection method needs around its own work: the head of the report, the choice, the warnings.
namespace credence::selection {

/// A Selection with everything that does not depend on the grid's results.
Selection describe(const data::Dataset& dataset, const Options& options, const core::Context& context);

/// The gammas of the grid as reported: words resolved on all training rows; a single 0 for kernels without gamma.
std::vector<double> reported_gammas(const data::Dataset& dataset, const Options& options);

/// Fills best, runner_up and best_on_border from the complete cells.
void choose(const Options& options, Selection& selection);

/// Constant columns, classes that are too small for the folds, solves that met the step limit.
void add_warnings(const data::Dataset& dataset, const Options& options, Selection& selection);

}  // namespace credence::selection
