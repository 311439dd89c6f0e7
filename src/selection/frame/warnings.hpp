#pragma once

#include <optional>
#include <string>
#include <vector>

#include "credence/selection/selector.hpp"

/// What the report of a selection has to warn about, whatever the method.
namespace credence::selection {

/// Constant columns, folds without a class, groups, hints and fixed folds that the method does not use, solves that
/// did not converge, cells without a machine; of methods with bounds, what separates them from their theorem.
/// @param constant  columns, where the preprocessing is known; otherwise it is fitted on all rows
void add_warnings(const data::Dataset& dataset, Selection& selection,
                  const std::optional<std::vector<std::string>>& constant = std::nullopt);

/// Says that the machine of the chosen cell repeats its training targets.
void warn_of_memory(Selection& selection);

/// Keeps the effective kernels of a regression's chosen machine, and says if they are many for the rows.
void note_effective(double effective, Selection& selection);

}  // namespace credence::selection
