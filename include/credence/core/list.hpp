#pragma once

#include <cstddef>
#include <functional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace credence::core {

/// 0, 1, ..., count - 1
std::vector<std::size_t> numbers_below(std::size_t count);
/// first, first + 1, ..., so many.
std::vector<std::size_t> numbers_from(std::size_t first, std::size_t count);

/// What `of` makes of each value; a member stands for what each value has of it.
auto mapped(const auto& values, auto&& of) {
  std::vector<std::remove_cvref_t<decltype(std::invoke(of, *std::ranges::begin(values)))>> result;
  result.reserve(std::ranges::size(values));
  for (auto&& value : values) result.push_back(std::invoke(of, value));
  return result;
}

/// What `of` makes of each of 0, 1, ..., count - 1.
auto made(std::size_t count, auto&& of) {
  return mapped(std::views::iota(std::size_t{0}, count), of);
}

/// The numbers below `count` that pass the test.
std::vector<std::size_t> numbers_where(std::size_t count, auto&& test) {
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; i < count; ++i)
    if (test(i)) numbers.push_back(i);
  return numbers;
}

/// The values at these places, in their order; none of no values.
auto picked(const auto& values, std::span<const std::size_t> places) {
  std::vector<std::remove_cvref_t<decltype(values[0])>> result;
  if (values.empty()) return result;
  result.reserve(places.size());
  for (const std::size_t place : places) result.push_back(values[place]);
  return result;
}

/// How often each code below `count` occurs; others are not counted.
std::vector<std::size_t> counts_of(std::span<const int> codes, std::size_t count);

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
