#pragma once

#include <cstddef>
#include <string>
#include <string_view>

/// Numbers and counts as people read them.
namespace credence::report {

/// "rows" or "row": a count with its noun.
std::string count_of(std::size_t count, std::string_view noun);
/// A number for people: six digits, and the power of two in brackets if it is one.
std::string readable(double value);
/// The same, short: the power of two alone if it is one.
std::string short_number(double value);
/// "22.14 %"
std::string percent(double share);

}  // namespace credence::report
