#pragma once

#include "credence/selection/comparison.hpp"
#include "report/json.hpp"
#include "report/text.hpp"

namespace credence::report {

/// "INTERRUPTED: partial result, 7 of 30 runs", or empty if it is complete.
std::string partial_mark(const selection::Comparison& comparison);

/// The data and the outer folds.
std::string comparison_head(const data::Dataset& dataset, const selection::Comparison& comparison,
                            const std::string& source);
/// What all methods warn of, once, and the first few other warnings of each method. Warnings of the folds of a method
/// often differ in a number alone.
std::vector<std::string> comparison_warnings(selection::Comparison comparison);

/// One line a method: error, standard deviation, selected score, honest estimate, seconds.
std::string comparison_table(const selection::Comparison& comparison);

/// One line a pair of methods, and a sentence that says which differences are beyond noise.
std::string tests_table(const selection::Comparison& comparison);

/// Everything, every fold.
Json comparison_json(const selection::Comparison& comparison);

}  // namespace credence::report
