#pragma once

#include "credence/core/context.hpp"
#include "credence/selection/selector.hpp"

namespace credence::selection {

/// Trains the regression of the chosen cell, for what must be said of it beside its score; it becomes the selection's
/// predictor. Nothing for partial results; where it cannot be trained there is no predictor, and `fitted` says why.
void keep_regression(const data::Dataset& dataset, const Options& options, const core::Context& context,
                     Selection& selection);

}  // namespace credence::selection
