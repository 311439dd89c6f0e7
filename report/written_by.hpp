#pragma once

#include <string>
#include <string_view>

namespace credence::report {

/// Refuses a document that a later version of Credence wrote, because its keys may mean what this version does not
/// know. A document without a version, or with a text that is none, passes.
/// @param version  "major.minor.patch", as the document states it
/// @param document what it is, for the sentence: "result" or "plan"
/// @param source   names the document in the message
/// @throws Error format
void refuse_newer(std::string_view version, std::string_view document, const std::string& source);

}  // namespace credence::report
