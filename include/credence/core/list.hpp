#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace credence::core {

/// The parts of a text between separators: one more than there are separators; parts may be empty.
std::vector<std::string_view> split(std::string_view text, char separator);

/// The finite number that the text is: a decimal number, whatever the locale, or a power such as 2^-3.
/// @throws Error invalid_argument
double parse_number(std::string_view text);

/// Numbers in a list: "2^-5:2^15:x4" (geometric), "0.1:1:+0.1" (arithmetic), "1,10,100", or one value; "2^-3" is a
/// number. Both ends are included where the steps meet them (to 1e-9 relative).
/// @throws Error invalid_argument with the part that is wrong; also for more than 10,000 values
std::vector<double> parse_list(std::string_view text);

/// Numbers with names, in their order: "sick=0.02,well=0.1". A name may have commas or '=' in it; the number is what
/// stands behind the last '=' of a part. @throws Error invalid_argument with the part that is wrong
std::vector<std::pair<std::string, double>> parse_named_numbers(std::string_view text);

}  // namespace credence::core
