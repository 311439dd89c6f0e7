#pragma once

#include <string>

#include "credence/selection/selector.hpp"

namespace credence::report {

/// The grid's errors as a map: C (or nu, or rho) to the right, gamma upwards, the best cell marked. Empty if there is
/// nothing to see (one cell, or no such axis: nearest neighbours, relevance vector machines) or the width does not
/// suffice.
std::string heat_map(const selection::Selection& selection, bool colour, int width);

}  // namespace credence::report
