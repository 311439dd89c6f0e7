#pragma once

#include <nlohmann/json.hpp>

#include "credence/selection/error_estimation.hpp"

namespace credence::io {

/// The fields of a random predictor beside those of every predictor; see put_predictor. Members do not repeat the
/// columns, nor a preprocessing that is that of the whole.
/// @throws Error invalid_argument if a member is no single SVM
void put_random(nlohmann::json& document, const selection::RandomPredictor& predictor);

/// The inverse, after `read_predictor`.  @throws as the readers of document_parts.hpp
void read_random(const nlohmann::json& document, selection::RandomPredictor& predictor);

}  // namespace credence::io
