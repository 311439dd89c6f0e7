#pragma once

#include "credence/selection/selector.hpp"
#include "report/json.hpp"
#include "report/text.hpp"

/// What methods that bound the error from the training rows alone say.
namespace credence::report {

/// "Rademacher complexity over 100 label vectors, 398 rows in the bound, 171 for the hint".
std::string in_sample_basis(const selection::InSample& found);

/// Training loss, complexity, deviation and bounds of the chosen class, a line for each machine where there are
/// several, what they rest on, and an empty line. Empty if no class was chosen.
/// @param classes  names
std::string in_sample_table(const selection::InSample& found, const selection::Options& options,
                            const std::vector<std::string>& classes);

/// Every cell of every machine with every trial; numbers of cells that are not complete are null.
Json in_sample_json(const selection::InSample& found, const std::vector<std::string>& classes);

}  // namespace credence::report
