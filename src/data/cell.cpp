#include "data/cell.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string>
#include <system_error>

namespace credence::data::detail {

namespace {

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

// Libraries disagree on what from_chars stores when a decimal is out of range, so the spelling decides: a negative
// exponent, or a whole part of zeros, is a number too close to zero.
bool is_underflow(std::string_view digits) {
  const auto exponent = digits.find_first_of("eE");
  if (exponent != std::string_view::npos) return exponent + 1 < digits.size() && digits[exponent + 1] == '-';
  const auto first = digits.find_first_not_of("-0");
  return first != std::string_view::npos && digits[first] == '.';
}

CellKind classify_with_point(std::string_view cell, double& value) {
  if (cell.empty()) return CellKind::missing;
  const char* begin = cell.data();
  const char* const end = begin + cell.size();
  if (*begin == '+') {
    ++begin;
    if (begin == end || *begin == '-') return CellKind::text;
  }
  const auto [stop, code] = std::from_chars(begin, end, value);
  if (stop == end && code != std::errc::invalid_argument) {
    if (code == std::errc::result_out_of_range) {
      if (!is_underflow({begin, static_cast<std::size_t>(end - begin)})) return CellKind::infinite;
      value = 0;
    }
    if (std::isfinite(value)) return CellKind::number;
    if (std::isinf(value)) return CellKind::infinite;
  }
  return is_missing(cell) ? CellKind::missing : CellKind::text;
}

CellKind classify_with_comma(std::string_view cell, double& value) {
  if (cell.find('.') != std::string_view::npos) return CellKind::text;
  const auto comma = cell.find(',');
  if (comma == std::string_view::npos) return classify_with_point(cell, value);
  std::string copy(cell);
  copy[comma] = '.';
  return classify_with_point(copy, value);
}

/// Whether some bytes are one character of white space: what Python's str.strip takes away.
bool is_white_space(std::string_view character) {
  const auto last = static_cast<unsigned char>(character.back());
  if (character.size() == 1) return last == ' ' || (last >= 0x09 && last <= 0x0D) || (last >= 0x1C && last <= 0x1F);
  if (character.size() == 2) return character == "\xC2\x85" || character == "\xC2\xA0";
  if (character.starts_with("\xE2\x80")) return last <= 0x8A || last == 0xA8 || last == 0xA9 || last == 0xAF;
  return character == "\xE1\x9A\x80" || character == "\xE2\x81\x9F" || character == "\xE3\x80\x80";
}

}  // namespace

CellKind classify_cell(std::string_view cell, double& value, bool decimal_comma) {
  return decimal_comma ? classify_with_comma(cell, value) : classify_with_point(cell, value);
}

Grouped grouped(std::string_view cell, bool decimal_comma) {
  constexpr std::string_view digits = "0123456789";
  constexpr std::size_t of_group = 3;
  const char between = decimal_comma ? '.' : ',';
  const char before_fraction = decimal_comma ? ',' : '.';
  if (!cell.empty() && (cell.front() == '+' || cell.front() == '-')) cell.remove_prefix(1);
  const auto take_digits = [&] {
    const std::size_t count = std::min(cell.find_first_not_of(digits), cell.size());
    cell.remove_prefix(count);
    return count;
  };
  if (cell.starts_with('0')) return Grouped::no;
  if (const std::size_t first = take_digits(); first == 0 || first > of_group) return Grouped::no;
  std::size_t groups = 0;
  for (; cell.starts_with(between); ++groups) {
    cell.remove_prefix(1);
    if (take_digits() != of_group) return Grouped::no;
  }
  if (groups == 0) return Grouped::no;
  const bool fraction = cell.starts_with(before_fraction);
  if (fraction) {
    cell.remove_prefix(1);
    if (take_digits() == 0) return Grouped::no;
  }
  if (!cell.empty()) return Grouped::no;
  return fraction || groups > 1 ? Grouped::certain : Grouped::perhaps;
}

double value_of_grouped(std::string_view cell, bool decimal_comma) {
  std::string plain(cell);
  std::erase(plain, decimal_comma ? '.' : ',');
  double value = 0;
  classify_cell(plain, value, decimal_comma);
  return value;
}

bool is_missing(std::string_view cell) {
  constexpr std::array<std::string_view, 6> words = {"na", "nan", "n/a", "null", "#n/a", "<na>"};
  constexpr std::size_t longest = 4;
  if (cell.size() > longest) return false;
  return cell.empty() || cell == "?" || cell == "None" ||
         std::ranges::any_of(words, [cell](std::string_view word) { return equal_ignoring_case(cell, word); });
}

void MissingCodes::add(std::string_view code) {
  double value = 0;
  if (classify_cell(code, value) == CellKind::number) numbers_.push_back(value);
  texts_.emplace_back(code);
}

bool MissingCodes::has(std::string_view cell, bool decimal_comma) const {
  if (std::ranges::any_of(texts_, [cell](const std::string& text) { return equal_ignoring_case(cell, text); }))
    return true;
  double value = 0;
  return !numbers_.empty() && classify_cell(cell, value, decimal_comma) == CellKind::number &&
         std::ranges::find(numbers_, value) != numbers_.end();
}

std::string_view trimmed(std::string_view text) {
  const auto blank = [&](bool front) {
    for (std::size_t size = 1; size <= std::min(std::size_t{3}, text.size()); ++size)
      if (is_white_space(text.substr(front ? 0 : text.size() - size, size))) return size;
    return std::size_t{0};
  };
  while (const std::size_t size = blank(true)) text.remove_prefix(size);
  while (const std::size_t size = blank(false)) text.remove_suffix(size);
  return text;
}

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return lower(x) == lower(y); });
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t longest = 60;
  std::size_t length = std::min(text.size(), longest);
  // Never cut a UTF-8 character in two.
  while (length < text.size() && length > 0 && (static_cast<unsigned char>(text[length]) & 0xC0U) == 0x80U) --length;
  std::string result = "\"";
  for (const char c : text.substr(0, length)) result += static_cast<unsigned char>(c) < 0x20U || c == 0x7F ? '?' : c;
  result += length < text.size() ? "...\"" : "\"";
  return result;
}

}  // namespace credence::data::detail
