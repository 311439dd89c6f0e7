#pragma once

#include <nlohmann/json.hpp>

#include <memory>
#include <string>
#include <string_view>

#include "credence/model/predictor.hpp"

namespace credence::io {

/// A predictor as a document whose long arrays of numbers are little-endian byte strings.
/// @throws Error invalid_argument for a predictor of a type that files do not know
nlohmann::json to_document(const model::Predictor& predictor);

/// The inverse. Only types, names and sizes of tables are checked here; see `inconsistency`.
/// @throws nlohmann::json::exception | std::runtime_error with what is missing or of the wrong type
std::unique_ptr<model::Predictor> from_document(const nlohmann::json& document);

/// The document that CBOR bytes hold, if the lengths of its parts are written down, as the writer does.
/// @throws nlohmann::json::exception for other bytes; std::runtime_error for lists nested deeper than documents have
/// them, a length that the bytes cannot hold, and a length left open
nlohmann::json document_of_cbor(std::string_view bytes);

}  // namespace credence::io
