#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <numeric>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace credence::core {

/// Several functions as one, for std::visit.
template <class... Cases>
struct Overload : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Overload(Cases...) -> Overload<Cases...>;

// For messages about a name that does not exist.

/// Returns how many letters must be added, removed, changed or exchanged with their neighbour to turn one name into the
/// other, regardless of case (optimal string alignment).
std::size_t edit_distance(std::string_view a, std::string_view b);

/// Returns the names in the order of their distances from `name`; equal distances keep the order of the list.
std::vector<std::string> nearest_first(std::string_view name, std::vector<std::string> names);

/// Returns the nearest name if less than a third of the letters differ, or one of three; else the only name that begins
/// with the first word of `name`; else the only name that contains this word; else nothing.
std::string likely_meant(std::string_view name, const std::vector<std::string>& names);

/// The end of a sentence: "; did you mean select?", or nothing if likely_meant finds none.
/// @param before  stands before the name: "--"
std::string did_you_mean(std::string_view name, const std::vector<std::string>& names, std::string_view before = "");

/// "1 row", "2 rows", "2 classes": a count with its noun.
std::string count_of(std::size_t count, std::string_view noun);

/// A piece of advice in the words of the library ("drop the column"), and the flag or argument of a front end for it.
using Advice = std::pair<std::string_view, std::string_view>;
/// The sentence with the name in parentheses behind each piece of advice: "drop the column (--drop)".
std::string with_names(std::string sentence, std::span<const Advice> names);

/// The significance level of a confidence level: 1 minus it, in decimal arithmetic. So 0.95 gives the double 0.05,
/// where the subtraction gives 0.050000000000000044. It is rounded to twelve decimals.
inline double significance_of(double confidence_level) {
  constexpr double decimals = 1e12;
  return std::round((1 - confidence_level) * decimals) / decimals;
}
/// The inverse, which is the same function.
inline double confidence_level_of(double significance) {
  return significance_of(significance);
}

/// 0, 1, ..., count - 1
std::vector<std::size_t> numbers_below(std::size_t count);
/// first, first + 1, ...: `count` numbers.
std::vector<std::size_t> numbers_from(std::size_t first, std::size_t count);

/// Returns of(value) for each value; `of` may also be a member.
auto mapped(const auto& values, auto&& of) {
  std::vector<std::remove_cvref_t<decltype(std::invoke(of, *std::ranges::begin(values)))>> result;
  result.reserve(std::ranges::size(values));
  for (auto&& value : values) result.push_back(std::invoke(of, value));
  return result;
}

/// Returns of(i) for i = 0, 1, ..., count - 1.
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

/// Returns the values at these places, in the order of the places; nothing if there are no values.
auto picked(const auto& values, std::span<const std::size_t> places) {
  std::vector<std::remove_cvref_t<decltype(values[0])>> result;
  if (values.empty()) return result;
  result.reserve(places.size());
  for (const std::size_t place : places) result.push_back(values[place]);
  return result;
}

/// Appends values.
void append(auto& values, const auto& more) {
  values.insert(values.end(), std::ranges::begin(more), std::ranges::end(more));
}

/// Returns the mean, summed in the order of the values.
inline double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
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
