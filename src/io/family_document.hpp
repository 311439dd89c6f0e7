#pragma once

#include <nlohmann/json.hpp>

#include "credence/selection/family_predictor.hpp"

namespace credence::io {

/// The fields of a family predictor beside those of every predictor; see put_predictor.
/// @throws Error invalid_argument if it has no family, or one of a type that files do not know
void put_family(nlohmann::json& document, const selection::FamilyPredictor& predictor);

/// The inverse. @throws as the readers of document_parts.hpp; Error invalid_argument for a rule that contradicts itself
void read_family(const nlohmann::json& document, selection::FamilyPredictor& predictor);

}  // namespace credence::io
