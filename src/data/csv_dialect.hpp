#pragma once

#include <string>
#include <vector>

#include "credence/data/reader.hpp"
#include "data/source.hpp"

namespace credence::data::detail {

/// Replaces any_delimiter and Decimal::detect by what the beginning of a CSV file says, or the schema.
/// @param tabs  the name of the file says that tabs part its cells
/// @return what was found out and would not be expected, a sentence each
std::vector<std::string> find_dialect(TextSource& source, bool tabs, ReadOptions& options);

}  // namespace credence::data::detail
