#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace credence::data::detail {

/// Whether a text is a day, with or without a time behind it: 2024-05-17, 2024/5/17, 17.05.2024, 5/17/2024 13:45.
bool is_date(std::string_view text);

/// What keeps texts from being numbers, and what to do about that; empty if they are no numbers.
std::string likeness_of_numbers(const std::vector<std::string>& texts, bool decimal_comma);

/// Why a column of so many different texts may say little about new rows: all are dates, more than half of more than 20
/// rows differ, or more than 20 have fewer than ten rows each on average. Empty otherwise.
std::string doubt_about_texts(const std::vector<std::string>& texts, std::size_t rows);

/// Fewer rows say nothing about a column.
inline constexpr std::size_t least_rows = 10;

}  // namespace credence::data::detail
