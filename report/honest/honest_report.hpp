#pragma once

#include <string>

#include "credence/selection/honest_choice.hpp"
#include "report/json.hpp"
#include "report/story.hpp"

/// What is said of a choice among candidates of any program.
namespace credence::report {

/// What was chosen, its own score, the corrected estimate, and each candidate.
/// @param source  of the losses; may be empty
Story honest_story(const selection::HonestChoice& found, const std::string& source);
/// Everything, for programs. Equal losses, options and seeds give equal documents but for `seconds`.
Json honest_json(const selection::HonestChoice& found, const std::string& source);

}  // namespace credence::report
