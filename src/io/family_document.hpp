#pragma once

#include <memory>
#include <nlohmann/json.hpp>

#include "credence/selection/family_predictor.hpp"

namespace credence::io {

/// The classifiers of a family predictor or of a conformal one.
/// @throws Error invalid_argument for none, or classifiers of a type that files do not know
nlohmann::json classifiers_to_json(const model::ClassifierFamily* family);
/// The inverse. @throws as the readers of document_parts.hpp
std::shared_ptr<const model::ClassifierFamily> classifiers_from(const nlohmann::json& document);

/// The fields of a family predictor beside those of every predictor; see put_predictor.
/// @throws Error invalid_argument if it has no family, or one of a type that files do not know
void put_family(nlohmann::json& document, const selection::FamilyPredictor& predictor);

/// The inverse. @throws as the readers of document_parts.hpp; Error invalid_argument for a rule that contradicts itself
void read_family(const nlohmann::json& document, selection::FamilyPredictor& predictor);

}  // namespace credence::io
