#pragma once

#include <vector>

#include "credence/bounds/registry.hpp"
#include "selfcheck/check.hpp"

namespace credence::selfcheck {

/// Training rows on a line, and the class of all thresholds with both signs, in which the classifier with the fewest
/// training errors is chosen. Its error is known, and its complexity is computed over all label vectors (or, where the
/// bound takes a number of trials, over as many of them as were drawn without replacement).
std::vector<Setting> of_threshold_classes(const bounds::Bound& bound);

}  // namespace credence::selfcheck
