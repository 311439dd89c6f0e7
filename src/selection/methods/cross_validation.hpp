#pragma once

#include <vector>

#include "credence/selection/selector.hpp"

namespace credence::selection {

/// The folds of cross-validation: the data set's own, or whole groups, or stratified ones (regression: plain ones), by
/// the seed.
/// @throws Error invalid_data if the data set's own are fewer than `least`; invalid_argument if there are too few rows
std::vector<int> folds_of(const data::Dataset& dataset, const Options& options, int least);

}  // namespace credence::selection
