#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "credence/conformal/p_value.hpp"
#include "credence/model/predictor.hpp"

namespace credence::report {

/// What the regions of a model guarantee with p-values made in this way, in one sentence; for models without p-values,
/// that they have none and how to get them.
std::string validity_sentence(const model::Predictor& model, const conformal::PValueOptions& options);
/// The same in the model's own way.
std::string validity_sentence(const model::Predictor& model);
/// Which levels lie below the smallest p-value that can occur, so that regions cannot leave classes out; empty if none.
/// @param counts  examples of each class that rows are compared with (conformal::compared_with)
std::string resolution_warning(const std::vector<std::string>& classes, const std::vector<std::size_t>& counts,
                               const conformal::PValueOptions& options, const std::vector<double>& levels);

}  // namespace credence::report
