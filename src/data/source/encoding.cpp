#include "data/source/encoding.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

namespace credence::data::detail {

namespace {

constexpr unsigned ascii_end = 0x80U;

/// What Windows-1252 has from 0x80 to 0x9F, where ISO 8859-1 has control characters.
constexpr std::array<std::uint16_t, 32> windows_characters = {
    0x20AC, 0x0081, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
    0x2039, 0x0152, 0x008D, 0x017D, 0x008F, 0x0090, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
    0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x009D, 0x017E, 0x0178};

/// The position of the first byte from `at` on that is not ASCII, or the end.
std::size_t skip_ascii(std::string_view text, std::size_t at) {
  constexpr std::uint64_t high_bits = 0x8080808080808080ULL;
  for (std::uint64_t eight = 0; at + sizeof eight <= text.size(); at += sizeof eight) {
    std::memcpy(&eight, text.data() + at, sizeof eight);
    if ((eight & high_bits) != 0) break;
  }
  while (at < text.size() && static_cast<unsigned char>(text[at]) < ascii_end) ++at;
  return at;
}

}  // namespace

// The table of well-formed byte sequences of the Unicode standard (3.9, table 3-7): the first byte says how many
// follow, and limits the second one, so that no character has two spellings and surrogates have none.
std::size_t Utf8Check::find_wrong(std::string_view chunk) {
  for (std::size_t at = 0; at < chunk.size(); ++at) {
    if (expected_ == 0) at = skip_ascii(chunk, at);
    if (at == chunk.size()) break;
    const auto byte = static_cast<unsigned char>(chunk[at]);
    if (expected_ == 0) first_ = byte;
    if (expected_ > 0) {
      if (byte < low_ || byte > high_) return at;
      --expected_;
      low_ = 0x80U;
      high_ = 0xBFU;
    } else if (byte >= 0xC2U && byte <= 0xDFU) {
      expected_ = 1;
    } else if (byte >= 0xE0U && byte <= 0xEFU) {
      expected_ = 2;
      if (byte == 0xE0U) low_ = 0xA0U;
      if (byte == 0xEDU) high_ = 0x9FU;
    } else if (byte >= 0xF0U && byte <= 0xF4U) {
      expected_ = 3;
      if (byte == 0xF0U) low_ = 0x90U;
      if (byte == 0xF4U) high_ = 0x8FU;
    } else {
      return at;
    }
  }
  return std::string_view::npos;
}

bool is_ascii(std::string_view text) {
  return skip_ascii(text, 0) == text.size();
}

bool is_utf8_beyond_ascii(std::string_view text) {
  return skip_ascii(text, 0) < text.size() && Utf8Check().find_wrong(text) == std::string_view::npos;
}

std::string utf8_of_latin1(std::string_view text) {
  std::string result;
  result.reserve(text.size() + text.size() / 8);
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < ascii_end) {
      result += c;
      continue;
    }
    const unsigned character =
        byte < ascii_end + windows_characters.size() ? windows_characters[byte - ascii_end] : byte;
    constexpr unsigned two_bytes_end = 0x800U;
    if (character < two_bytes_end) {
      result += static_cast<char>(0xC0U | (character >> 6U));
    } else {
      result += static_cast<char>(0xE0U | (character >> 12U));
      result += static_cast<char>(0x80U | ((character >> 6U) & 0x3FU));
    }
    result += static_cast<char>(0x80U | (character & 0x3FU));
  }
  return result;
}

}  // namespace credence::data::detail
