#pragma once

#include <string>
#include <vector>

#include "credence/data/reader.hpp"
#include "data/source/source.hpp"

namespace credence::data::detail {

/// What the options of a reader do not say.
struct Dialect {
  bool thousands = false;          ///< numbers may have their thousands parted
  std::vector<std::string> notes;  ///< what was found out and would not be expected, a sentence each
};

/// Replaces any_delimiter and Decimal::detect by what the beginning of a CSV file says, or the schema. Thousands are
/// parted if that is certain of one cell there, or a cell looks so and another number has the other sign before its
/// fraction, and no cell has the sign between thousands where none can be.
/// @param tabs  the name of the file says that tabs part its cells
Dialect find_dialect(TextSource& source, bool tabs, ReadOptions& options);

}  // namespace credence::data::detail
