#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "credence/core/text.hpp"

/// Numbers and counts as people read them.
namespace credence::report {

using core::count_of;
/// A number for people: six digits, and the power of two in brackets if it is one.
std::string readable(double value);
/// The same, short: the power of two alone if it is one.
std::string short_number(double value);
/// "rows        150": a line of a report with its name.
std::string named_line(std::string_view name, const std::string& value);
/// The line with a newline instead of the blanks at its end.
std::string without_trailing_blanks(const std::string& line);
/// "22.14 %"
std::string percent(double share);

}  // namespace credence::report
