#pragma once

#include "credence/selection/comparison.hpp"
#include "report/json.hpp"
#include "report/text.hpp"

namespace credence::report {

/// "INTERRUPTED: partial result, 7 of 30 runs", or empty if it is complete.
std::string partial_mark(const selection::Comparison& comparison);

/// "10", or "10, drawn 5 times".
std::string outer_folds_text(const selection::Comparison& comparison);

/// One line a method: error, standard deviation, selected score, honest estimate, seconds.
std::string comparison_table(const selection::Comparison& comparison);

/// One line a pair of methods, and a sentence that says which differences are beyond noise.
std::string tests_table(const selection::Comparison& comparison);

/// Everything, every fold.
Json comparison_json(const selection::Comparison& comparison);

}  // namespace credence::report
