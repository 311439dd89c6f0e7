#pragma once

#include <optional>
#include <string>

#include "credence/selection/selector.hpp"

namespace credence::report {

/// What is small where a choice is good, as people read it: an error rate as "12.00 %", and for other scores the score
/// itself, "0.8800", which is large where the choice is good; the log loss as it is.
std::string score_text(double loss, selection::Score score);
/// The name of what that shows.
std::string score_heading(selection::Score score);
/// A difference or a spread of the same: "1.20 %", "0.0120".
std::string spread_text(double spread, selection::Score score);
/// "lower to upper" of the same, the smaller end first.
std::string ends_text(double lower, double upper, selection::Score score);
/// Selection::score by the name of what score_text shows: "CV balanced accuracy" for "CV 1 - balanced accuracy".
std::string shown_score(const selection::Selection& selection);

}  // namespace credence::report
