#pragma once

#include <nlohmann/json.hpp>

#include "credence/rvm/model.hpp"

namespace credence::io {

/// The fields of relevance vector machines beside those of every predictor; see put_predictor.
/// @throws Error invalid_argument for a machine whose fit was stopped
void put_rvm(nlohmann::json& document, const rvm::RvmModel& model);

/// The inverse, after read_predictor. @throws as the readers of document_parts.hpp
void read_rvm(const nlohmann::json& document, rvm::RvmModel& model);

}  // namespace credence::io
