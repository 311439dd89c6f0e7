#pragma once

#include <nlohmann/json.hpp>

#include "credence/conformal/predictor.hpp"

namespace credence::io {

/// The fields of a conformal predictor beside those of every predictor; see put_predictor.
/// @throws Error invalid_argument if it has no machine, or one of a type that files do not know
void put_conformal(nlohmann::json& document, const conformal::ConformalPredictor& predictor);

/// The inverse, after `read_predictor`. All is checked here, as a machine cannot be made of parts that do not fit.
/// @throws as the readers of document_parts.hpp; Error invalid_argument for parts that do not fit together
void read_conformal(const nlohmann::json& document, conformal::ConformalPredictor& predictor);

}  // namespace credence::io
