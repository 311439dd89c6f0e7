#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "credence/data/reader.hpp"
#include "data/csv/csv.hpp"

namespace credence::data::detail {

/// Whether a text is a day, with or without a time behind it: 2024-05-17, 2024/5/17, 17.05.2024, 5/17/2024 13:45.
bool is_date(std::string_view text);

/// What keeps texts from being numbers, and what to do about that; empty if they are no numbers.
std::string likeness_of_numbers(const std::vector<std::string>& texts, bool decimal_comma);

/// Takes those columns of text out of the features that say nothing about new rows, unless they were declared
/// categorical, and adds a note about each of them. For training rows that are parsed to their end.
/// @throws Error invalid_data if no feature is left
void leave_out_texts(CsvFile& file, const ReadOptions& options);

}  // namespace credence::data::detail
