#pragma once

#include <string_view>

#include "credence/data/reader.hpp"
#include "data/source/source.hpp"

namespace credence::data::detail {

/// Whether the first line with content is "label index:value ..." (the label may be absent).
bool looks_like_svmlight(std::string_view text);

/// Reads svmlight text into sparse features.
/// @throws Error invalid_data with the line
Dataset read_svmlight(TextSource& source, const ReadOptions& options);

}  // namespace credence::data::detail
