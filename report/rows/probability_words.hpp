#pragma once

#include <string>

#include "credence/model/probability.hpp"

namespace credence::report {

/// What Prediction::probability is called: "sigmoid", or "plain" for a model's own.
std::string probability_name(const model::ProbabilityOptions& options, const model::Prediction& prediction);

/// What probabilities that were fitted to the scores of a model rest on, in one sentence; empty for a model's own.
/// @param moved  to the class shares of another place, where the label need not be the most probable class
std::string probability_sentence(const model::Predictor& model, const model::ProbabilityOptions& options,
                                 const model::Prediction& prediction, bool moved = false);

}  // namespace credence::report
