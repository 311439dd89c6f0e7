#pragma once

#include <cstddef>
#include <exception>
#include <string>
#include <vector>

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

}  // namespace credence::data::detail
