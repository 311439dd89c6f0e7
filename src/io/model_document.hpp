#pragma once

#include <nlohmann/json.hpp>

#include "credence/svm/model.hpp"

namespace credence::io {

/// A model as a document whose long arrays of numbers are little-endian byte strings.
nlohmann::json to_document(const svm::SvmModel& model);

/// The inverse. Only types and names are checked here; see `inconsistency`.
/// @throws nlohmann::json::exception | std::runtime_error with what is missing or of the wrong type
svm::SvmModel from_document(const nlohmann::json& document);

}  // namespace credence::io
