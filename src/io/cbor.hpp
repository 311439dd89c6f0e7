#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

namespace credence::io {

/// The document that CBOR bytes hold, if the lengths of its parts are written down, as the writer does.
/// @throws nlohmann::json::exception for other bytes; std::runtime_error for lists nested deeper than documents have
/// them, a length that the bytes cannot hold, and a length left open
nlohmann::json document_of_cbor(std::string_view bytes);

}  // namespace credence::io
