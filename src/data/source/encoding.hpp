#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace credence::data::detail {

/// Finds the first byte that is no UTF-8 in a text that comes in chunks. A character may begin in one chunk and end in
/// the next.
class Utf8Check {
 public:
  /// The position of that byte in the chunk, which is the last one to ask about; npos if there is none.
  std::size_t find_wrong(std::string_view chunk);
  /// The first byte of the character that is cut by a wrong byte, or by the end of the text.
  std::optional<unsigned char> cut() const { return expected_ > 0 ? std::optional(first_) : std::nullopt; }

 private:
  unsigned expected_ = 0;      ///< bytes of the current character that are still to come
  unsigned char first_ = 0;    ///< of the current character
  unsigned char low_ = 0x80U;  ///< limits of the next one of them
  unsigned char high_ = 0xBFU;
};

/// Whether a text has no letters beyond ASCII.
bool is_ascii(std::string_view text);
/// Whether a text has letters beyond ASCII, and all of it is UTF-8. A character at its end may be cut.
bool is_utf8_beyond_ascii(std::string_view text);

/// Windows-1252, which has the letters of ISO 8859-1, as UTF-8. Its five bytes without a character become the control
/// characters of the same number, as in browsers.
std::string utf8_of_latin1(std::string_view text);

}  // namespace credence::data::detail
