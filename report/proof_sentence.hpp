#pragma once

#include <string>
#include <vector>

/// Whether a bound is proved as it was run.
namespace credence::report {

/// "The bounds are proved for independent rows, with probability 95 %." or "The bounds are not proved in this run: the
/// theorem differs in" and a line for each gap.
/// @param subject  "The bounds are"
/// @param gaps     of a selection::InSample or a selection::ErrorEstimation
std::string proof_sentence(const std::string& subject, const std::vector<std::string>& gaps, double delta);

}  // namespace credence::report
