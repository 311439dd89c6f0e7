#pragma once

#include <cstddef>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "credence/data/reader.hpp"
#include "data/source/source.hpp"

namespace credence::data::detail {

/// Some of the text of a file, cut behind line feeds.
struct TextRound {
  std::vector<std::string> parts;  ///< each ends with a line feed; quoted cells may go on in the next one
  bool is_last = false;
  std::string rest;            ///< behind the last line feed of the file, or of what could be read
  std::exception_ptr failure;  ///< why no more could be read
};

/// Cuts a source into parts of about the same size.
class TextCutter {
 public:
  explicit TextCutter(TextSource& source) : source_(source) {}

  /// At most `count` parts. Never throws but std::bad_alloc: a failure comes with the text before it.
  TextRound next(std::size_t count);

 private:
  static constexpr std::size_t part_bytes = std::size_t{1} << 19U;

  TextSource& source_;
  std::string carried_;  ///< behind the last line feed
};

/// What the options of a reader do not say.
struct Dialect {
  bool thousands = false;          ///< numbers may have their thousands separated
  std::size_t empty_at_end = 0;    ///< columns at the end that have no name and no value in the first lines
  std::vector<std::string> notes;  ///< what was found out and would not be expected, a sentence each
};

/// Whether a cell is all of the line by which Excel tells the delimiter, "sep=;", or its beginning.
bool tells_delimiter(std::string_view cell);

/// Replaces any_delimiter and Decimal::detect by what the beginning of a CSV file says, or the schema. Thousands are
/// parted if that is certain of one cell there, or a cell looks so and another number has the other sign before its
/// fraction, and no cell has the sign between thousands where none can be.
/// @param tabs  the name of the file says that tabs part its cells
Dialect find_dialect(TextSource& source, bool tabs, ReadOptions& options);

}  // namespace credence::data::detail
