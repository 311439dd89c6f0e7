#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "credence/core/list.hpp"

namespace credence::data::detail {

enum class CellKind { number, infinite, missing, text };

/// What a cell without outer blanks holds; `value` is set for numbers only. A number is a decimal with an optional
/// sign and exponent, whatever the locale; "inf" and decimals beyond the range of a double are `infinite`.
/// @param decimal_comma  a comma stands where otherwise a point does, and a number with a point is text
CellKind classify_cell(std::string_view cell, double& value, bool decimal_comma = false);

/// Whether a cell is a number whose thousands are separated, by commas or, with a decimal comma, by points. `certain`
/// ones can be nothing else: 1,234,567 and 1,234.5, but not 1,234, which may be a fraction with a decimal comma.
enum class Grouped { no, perhaps, certain };
Grouped grouped(std::string_view cell, bool decimal_comma);
/// The value of a number that is `grouped`.
double value_of_grouped(std::string_view cell, bool decimal_comma);

/// Empty, `NA`, `N/A`, `#N/A`, `<NA>`, `NULL` or `nan` in any case, `None` or `?`. (In lower case `none` is a word.)
bool is_missing(std::string_view cell);

/// Texts that mean a missing value: a text in any case, a number by its value.
class MissingCodes {
 public:
  void add(std::string_view code);
  bool has(std::string_view cell, bool decimal_comma) const;

 private:
  std::vector<std::string> texts_;
  std::vector<double> numbers_;
};

/// Without white space at both ends, in UTF-8: tabs, line ends and no-break spaces too.
std::string_view trimmed(std::string_view text);

bool equal_ignoring_case(std::string_view a, std::string_view b);

/// The text between double quotes, shortened and with control characters replaced, for a message.
std::string in_quotes(std::string_view text);

using core::count_of;

}  // namespace credence::data::detail
