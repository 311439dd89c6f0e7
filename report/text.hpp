#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "credence/bounds/binomial.hpp"
#include "credence/core/list.hpp"
#include "credence/data/dataset.hpp"
#include "report/json.hpp"

/// Numbers and counts as people read them.
/// Shares of counts, which may be shares of nothing.
/// Which rows a document shows, and how it names them.
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
/// What a reader does with a model that was saved.
std::string next_with_model(const std::string& path);
/// "22.14 %"
std::string percent(double share);

/// "about 2.5 of 100 new rows".
std::string of_hundred(double share);

/// The confidence level of an allowed error: "0.95" of 0.05.
std::string level_text(double significance);

/// A share of nothing is not a number.
inline std::optional<double> share(std::size_t part, std::size_t whole) {
  if (whole == 0) return std::nullopt;
  return static_cast<double>(part) / static_cast<double>(whole);
}

/// "22.14 %", or a dash.
inline std::string shown(const std::optional<double>& value) {
  return value ? percent(*value) : std::string("-");
}

/// Of Clopper and Pearson.
inline Json exact_interval_json(const bounds::Interval& interval, double delta) {
  return Json::object("lower"_key = interval.lower, "upper"_key = interval.upper, "confidence"_key = 1 - delta,
                      "method"_key = "Clopper-Pearson");
}

/// "a, b and c".
inline std::string listed(const std::vector<std::string>& items) {
  std::string text;
  for (std::size_t i = 0; i < items.size(); ++i)
    text += (i == 0 ? "" : i + 1 == items.size() ? " and " : ", ") + items[i];
  return text;
}

/// "0.99, 0.95 and 0.9", the confidence levels of significance levels.
inline std::string levels_text(const std::vector<double>& levels) {
  return listed(core::mapped(levels, level_text));
}

/// Up to `most` of n rows, evenly.
inline std::vector<std::size_t> evenly(std::size_t n, std::size_t most) {
  const std::size_t count = std::min(n, most);
  return core::made(count, [&](std::size_t i) { return i * n / count; });
}

/// " Shown: 500 of 2000 rows, evenly spaced."; empty where all are shown.
std::string sample_text(std::size_t shown, std::size_t rows);
/// "12.00 % to 15.00 %"
std::string ends_text(const bounds::Interval& interval);
/// "sick 2.00 %, well 98.00 %"
std::string shares_text(const std::vector<std::string>& names, const std::vector<double>& shares);

/// The number of a row in its file; from 1 on where there is no file.
inline std::size_t row_number(const data::Dataset& dataset, std::size_t row) {
  return dataset.file_rows.empty() ? row + 1 : dataset.file_rows[row];
}

}  // namespace credence::report
