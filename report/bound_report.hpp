#pragma once

#include <string>
#include <vector>

#include "credence/bounds/registry.hpp"
#include "report/json.hpp"

/// What bounds come to on one sample.
/// Whether a bound is proved as it was run, in the words that the terminal and the page share.
namespace credence::report {

/// The sample, a line for each bound, and which bound to use.
std::string bound_table(const bounds::Findings& found);
Json bound_json(const bounds::Findings& found);

/// Which bounds are spoken of: all of them, or those of the upper side, where the others are estimates.
inline constexpr const char* subject_all_bounds = "The bounds are";
inline constexpr const char* subject_upper_bounds = "Bounds of the upper side are";

/// "The bounds are proved for independent rows, with probability 95 %." or "The bounds are not proved in this run,
/// because" and a line for each gap, with line ends.
/// @param gaps  of a selection::InSample or a selection::ErrorEstimation
std::string proof_sentence(const std::string& subject, const std::vector<std::string>& gaps, double delta);
/// The same in one line, without a line end.
std::string proof_line(const std::string& subject, const std::vector<std::string>& gaps, double delta);

}  // namespace credence::report
