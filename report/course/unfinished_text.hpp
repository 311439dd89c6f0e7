#pragma once

#include <string>

#include "credence/selection/comparison.hpp"
#include "credence/selection/unfinished.hpp"
#include "report/json.hpp"

/// What is said of a selection that a time limit ended.
namespace credence::report {

/// Which cells were judged, on how many rows; null of a selection that was not stopped.
Json reached_json(const selection::Selection& selection);

/// Why a stopped selection has no model, and what to do next: "no model is saved, because ...; ...".
/// @param source  the data of the command  @param output  where the model was to be saved
std::string no_model_text(const selection::Selection& selection, const std::string& source, const std::string& output);

/// Why a model lacks the p-values that its selection makes, and what to do next; empty if it has them.
std::string no_p_values_text(const selection::Selection& selection, const model::Predictor& model);

/// "INTERRUPTED: partial result, 7 of 30 runs", or empty if the comparison is complete.
std::string partial_mark(const selection::Comparison& comparison);

}  // namespace credence::report
