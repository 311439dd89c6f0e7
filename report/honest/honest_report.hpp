#pragma once

#include <string>

#include "credence/selection/honest_choice.hpp"
#include "report/json.hpp"

/// What is said of a choice among candidates of any program.
namespace credence::report {

/// What was chosen, its own score, the corrected estimate, and a line for each of the best candidates.
/// @param source  of the losses
std::string honest_text(const selection::HonestChoice& found, const std::string& source);
/// Everything, for programs. Equal losses, options and seeds give equal documents but for `seconds`.
Json honest_json(const selection::HonestChoice& found, const std::string& source);

}  // namespace credence::report
