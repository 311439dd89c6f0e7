#include "report/decisions/parts_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "credence/bounds/quantile.hpp"
#include "credence/core/error.hpp"
#include "credence/core/list.hpp"

namespace credence::report {
namespace {

/// Up to so many different numbers are values of their own.
constexpr std::size_t most_values = 8;

DividedBy::Column parse_column(const std::string& text) {
  const std::size_t equal = text.rfind('=');
  if (equal == std::string::npos) return {text, {}};
  DividedBy::Column column{text.substr(0, equal), {}};
  for (const std::string_view cut : core::split(std::string_view(text).substr(equal + 1), ':'))
    column.cuts.push_back(core::parse_number(cut));
  if (!std::ranges::is_sorted(column.cuts, std::less_equal<>()))
    refuse(fmt::format("the cuts of '{}' must rise", column.name));
  return column;
}

/// NaN for a text that is no number.
double number_of(const std::string& text) {
  double value = NAN;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  return status == std::errc{} && end == text.data() + text.size() && std::isfinite(value) ? value : NAN;
}

/// A value of a column for each row, and the values in their order.
struct Values {
  std::vector<std::size_t> of_row;
  std::vector<std::string> names;
};

/// Numbers come in their order, and before texts.
Values values_as_they_stand(const std::vector<std::string>& cells) {
  const auto before = [](const std::string& a, const std::string& b) {
    const auto key = [](const std::string& cell) {
      const double number = number_of(cell);
      return std::pair(std::isnan(number), std::isnan(number) ? 0 : number);
    };
    return std::pair(key(a), a) < std::pair(key(b), b);
  };
  std::map<std::string, std::size_t, decltype(before)> places(before);
  for (const std::string& cell : cells) places.emplace(cell, 0);
  Values values;
  for (auto& [text, place] : places) {
    place = values.names.size();
    values.names.push_back(text.empty() ? "(empty)" : text);
  }
  for (const std::string& cell : cells) values.of_row.push_back(places.at(cell));
  return values;
}

/// Names of the intervals between cuts, and of empty cells where there are any.
Values values_between(const std::vector<std::string>& cells, const std::vector<double>& cuts) {
  Values values;
  for (std::size_t k = 0; k <= cuts.size(); ++k) {
    values.names.push_back(k == 0             ? fmt::format("below {}", cuts.front())
                           : k == cuts.size() ? fmt::format("{} and above", cuts.back())
                                              : fmt::format("{} to {}", cuts[k - 1], cuts[k]));
  }
  for (const std::string& cell : cells) {
    values.of_row.push_back(
        cell.empty() ? cuts.size() + 1
                     : static_cast<std::size_t>(std::ranges::upper_bound(cuts, number_of(cell)) - cuts.begin()));
  }
  if (std::ranges::find(cells, std::string()) != cells.end()) values.names.emplace_back("(empty)");
  return values;
}

std::vector<double> quartiles(const std::vector<std::string>& cells) {
  std::vector<double> numbers;
  for (const std::string& cell : cells)
    if (!cell.empty()) numbers.push_back(number_of(cell));
  std::ranges::sort(numbers);
  std::vector<double> cuts;
  for (const double p : {0.25, 0.5, 0.75}) {
    const double cut = bounds::quantile(numbers, p);
    if (cut > numbers.front() && (cuts.empty() || cut > cuts.back())) cuts.push_back(cut);
  }
  return cuts;
}

Values values_of(const DividedBy::Column& column, const std::vector<std::string>& cells) {
  const auto is_number = [](const std::string& cell) { return cell.empty() || !std::isnan(number_of(cell)); };
  const bool numbers = std::ranges::all_of(cells, is_number);
  if (!column.cuts.empty()) {
    if (!numbers)
      refuse_data(fmt::format("'{}' cannot be cut, as it holds '{}', which is no number", column.name,
                              *std::ranges::find_if_not(cells, is_number)));
    return values_between(cells, column.cuts);
  }
  if (numbers && std::set<std::string>(cells.begin(), cells.end()).size() > most_values) {
    if (const std::vector<double> cuts = quartiles(cells); !cuts.empty()) return values_between(cells, cuts);
  }
  return values_as_they_stand(cells);
}

const std::vector<std::string>& cells_of(const data::Dataset& dataset, const std::string& name) {
  if (const auto* cells = dataset.texts_of(name)) return *cells;
  refuse_data(fmt::format("there is no column '{}'", name));
}

/// The rows of each combination of values that occurs, in the order of the values.
std::map<std::vector<std::size_t>, std::vector<std::size_t>> rows_of_parts(const std::vector<Values>& columns,
                                                                           std::size_t rows) {
  std::map<std::vector<std::size_t>, std::vector<std::size_t>> parts;
  for (std::size_t i = 0; i < rows; ++i) {
    const std::vector<std::size_t> key = core::mapped(columns, [&](const Values& column) { return column.of_row[i]; });
    parts[key].push_back(i);
  }
  return parts;
}

}  // namespace

std::string DividedBy::name() const {
  const std::vector<std::string> names = core::mapped(columns, &Column::name);
  return fmt::format("{}", fmt::join(names, " * "));
}

std::vector<DividedBy> DividedBy::parse(const std::string& text) {
  std::vector<DividedBy> ways;
  for (const std::string_view way : core::split(text, ',')) {
    DividedBy& by = ways.emplace_back();
    for (const std::string_view column : core::split(way, '*')) by.columns.push_back(parse_column(std::string(column)));
    if (std::ranges::any_of(by.columns, [](const Column& column) { return column.name.empty(); }))
      refuse(fmt::format("'{}' names no column; write sex,age=30:50,sex*age", way));
  }
  return ways;
}

std::vector<std::string> columns_of(const std::vector<DividedBy>& ways) {
  std::vector<std::string> names;
  for (const DividedBy& way : ways)
    for (const DividedBy::Column& column : way.columns)
      if (std::ranges::find(names, column.name) == names.end()) names.push_back(column.name);
  return names;
}

void name_columns(std::vector<DividedBy>& ways, const std::vector<data::TextColumn>& texts) {
  const std::vector<std::string> asked = columns_of(ways);
  if (asked.size() > texts.size()) return;
  for (DividedBy& way : ways)
    for (DividedBy::Column& column : way.columns)
      column.name = texts[static_cast<std::size_t>(std::ranges::find(asked, column.name) - asked.begin())].name;
}

std::vector<Part> parts_of(const DividedBy& by, const data::Dataset& dataset) {
  const std::vector<Values> columns = core::mapped(
      by.columns, [&](const DividedBy::Column& column) { return values_of(column, cells_of(dataset, column.name)); });
  std::vector<Part> parts;
  for (auto& [key, rows] : rows_of_parts(columns, dataset.rows())) {
    std::vector<std::string> names;
    for (std::size_t k = 0; k < key.size(); ++k) names.push_back(columns[k].names[key[k]]);
    parts.push_back({fmt::format("{}", fmt::join(names, ", ")), std::move(rows)});
  }
  return parts;
}

}  // namespace credence::report
