#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace credence::core {

/// "1 row", "2 rows", "2 classes": a count with its noun.
std::string count_of(std::size_t count, std::string_view noun);

/// A piece of advice as sentences of the library give it, and what a front end calls it: a flag, an argument.
using Advice = std::pair<std::string_view, std::string_view>;
/// The sentence with the name in parentheses behind each piece of advice: "drop the column (--drop)".
std::string with_names(std::string sentence, std::span<const Advice> names);

}  // namespace credence::core
