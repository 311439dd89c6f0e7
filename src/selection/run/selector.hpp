#pragma once

#include "credence/selection/selector.hpp"

/// What separates a bound as it was run from the theorem that it comes from, for all methods that bound the error.
namespace credence::selection {

/// Fills `gaps` of an in-sample bound or of an error estimation, if the selection has found one.
void state_gaps(const data::Dataset& dataset, Selection& selection);

}  // namespace credence::selection
