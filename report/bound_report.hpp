#pragma once

#include <optional>
#include <string>
#include <vector>

#include "credence/bounds/registry.hpp"
#include "report/json.hpp"
#include "report/story.hpp"

/// What bounds come to on one sample.
/// Whether a bound is proved as it was run, in the words that the terminal and the page share.
namespace credence::report {

/// The sample, a line for each bound, and which bound to use.
std::string bound_table(const bounds::Findings& found);
Json bound_json(const bounds::Findings& found);

/// Which bounds are spoken of: all of them, or those of the upper side, where the others are estimates.
inline constexpr const char* subject_all_bounds = "The bounds are";
inline constexpr const char* subject_upper_bounds = "Bounds in the column upper are";

/// "12.34 %", or "124.00 % (vacuous)".
std::string bound_text(double bound);
/// Says that a bound is proved for independent rows, or why it is not in this run.
/// @param gaps  of a selection::InSample or a selection::ErrorEstimation
void add_proof(const std::string& subject, const std::vector<std::string>& gaps, double delta, Section& section);
/// Says so where a bound says nothing, or no more than an answer that looks at no feature.
/// @param baseline  the error of that answer
void add_worth(double bound, const std::optional<double>& baseline, Section& section);

}  // namespace credence::report
