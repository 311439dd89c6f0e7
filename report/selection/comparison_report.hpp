#pragma once

#include "credence/selection/comparison.hpp"
#include "report/json.hpp"
#include "report/text.hpp"

namespace credence::report {

/// The data and the outer folds.
std::string comparison_head(const data::Dataset& dataset, const selection::Comparison& comparison,
                            const std::string& source);
/// One line a method: error, standard deviation, selected score, honest estimate, seconds.
std::string comparison_table(const selection::Comparison& comparison);

/// One line a pair of methods, and a sentence that says which differences are beyond noise.
std::string tests_table(const selection::Comparison& comparison);

/// Everything, every fold.
Json comparison_json(const selection::Comparison& comparison);

}  // namespace credence::report
