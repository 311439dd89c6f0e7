#pragma once

#include <string>
#include <string_view>

#include "credence/core/text.hpp"

namespace credence::data::detail {

enum class CellKind { number, infinite, missing, text };

/// What a cell without outer blanks holds; `value` is set for numbers only. A number is a decimal with an optional
/// sign and exponent, whatever the locale; "inf" and decimals beyond the range of a double are `infinite`.
/// @param decimal_comma  a comma stands where otherwise a point does, and a number with a point is text
CellKind classify_cell(std::string_view cell, double& value, bool decimal_comma = false);

/// Empty, `NA`, `?` or `nan` (any case).
bool is_missing(std::string_view cell);

/// Without spaces and tabs at both ends.
std::string_view trimmed(std::string_view text);

bool equal_ignoring_case(std::string_view a, std::string_view b);

/// The text between double quotes, shortened and with control characters replaced, for a message.
std::string quoted(std::string_view text);

using core::count_of;

}  // namespace credence::data::detail
