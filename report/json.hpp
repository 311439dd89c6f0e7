#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace credence::report {

/// A document whose keys keep their order. Sources that build one include <nlohmann/json.hpp>; they are named *_json.cpp.
using Json = nlohmann::ordered_json;

/// The document as text, indented, with a newline at its end. Bytes that are not UTF-8 are replaced.
std::string json_text(const Json& document);

}  // namespace credence::report
