#include "data/labels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_map>

#include "credence/data/dataset.hpp"
#include "data/cell.hpp"

namespace credence::data::detail {

namespace {

/// For each code of the interner its position in `spellings`, -1 if it is not there.
std::vector<int> positions(const Interner& interner, const std::vector<std::string>& spellings) {
  std::unordered_map<std::string_view, int> position;
  for (std::size_t i = 0; i < spellings.size(); ++i) position.emplace(spellings[i], static_cast<int>(i));
  std::vector<int> result(interner.size(), -1);
  for (std::size_t code = 0; code < result.size(); ++code) {
    const auto known = position.find(interner.spelling(code));
    if (known != position.end()) result[code] = known->second;
  }
  return result;
}

struct LabelNumbers {
  bool all = true;         ///< every label is a number
  bool fractions = false;  ///< all are, and one of them is not whole
};

LabelNumbers label_numbers(const std::vector<std::string>& classes) {
  LabelNumbers result;
  for (const std::string& spelling : classes) {
    double value = 0;
    if (classify_cell(spelling, value) != CellKind::number) return {false, false};
    result.fractions = result.fractions || value != std::floor(value);
  }
  return result;
}

}  // namespace

std::vector<int> match_codes(const Interner& interner, std::span<const std::uint32_t> codes,
                             const std::vector<std::string>& classes) {
  const std::vector<int> position = positions(interner, classes);
  std::vector<int> result;
  result.reserve(codes.size());
  for (const std::uint32_t code : codes) result.push_back(code == no_code ? -1 : position[code]);
  return result;
}

Coded sort_codes(const Interner& interner, std::span<const std::uint32_t> codes) {
  std::vector<bool> used(interner.size(), false);
  for (const std::uint32_t code : codes)
    if (code != no_code) used[code] = true;
  Coded result;
  for (std::size_t code = 0; code < used.size(); ++code)
    if (used[code]) result.spellings.push_back(interner.spelling(code));
  sort_classes(result.spellings);
  result.codes = match_codes(interner, codes, result.spellings);
  return result;
}

Task task_of(const ReadOptions& options) {
  return options.schema != nullptr ? options.schema->task : options.task;
}

bool differ_in_most_rows(std::size_t different, std::size_t rows) {
  constexpr std::size_t few_rows = 20;
  return rows > few_rows && 2 * different > rows;
}

}  // namespace credence::data::detail

namespace credence::data {

void check_classes(const std::vector<std::string>& classes, std::size_t rows, const Location& where, LabelsAre labels) {
  constexpr std::size_t most_classes = 1000;
  constexpr std::size_t most_fractions = 20;
  constexpr std::size_t most_numbers = 30;
  constexpr std::size_t rows_a_number = 10;
  constexpr std::string_view remedy = "a regression, with relevance vector machines, takes numbers";
  if (classes.size() > most_classes) {
    throw Error(ErrorCode::invalid_data,
                fmt::format("the label has {} different values, which looks like a regression target or an identifier; "
                            "a classifier takes at most {} classes, and {}",
                            classes.size(), most_classes, remedy),
                where);
  }
  const detail::LabelNumbers numbers =
      labels == LabelsAre::names ? detail::LabelNumbers{.all = false} : detail::label_numbers(classes);
  if (classes.size() > most_fractions && numbers.fractions) {
    throw Error(ErrorCode::invalid_data,
                fmt::format("the label has {} different values with fractions, such as {}, which looks like a "
                            "regression target; a classifier needs classes, and {}",
                            classes.size(), classes.front(), remedy),
                where);
  }
  if (detail::differ_in_most_rows(classes.size(), rows)) {
    throw Error(ErrorCode::invalid_data,
                fmt::format("the label has {} different values in {} rows, so it looks like {}choose another label",
                            classes.size(), rows,
                            numbers.all ? "a number to predict; take a regression, or " : "an identifier; "),
                where);
  }
  const bool few_rows_each = rows > 0 && rows < rows_a_number * classes.size();
  if (!numbers.all || classes.size() <= most_numbers || !few_rows_each) return;
  throw Error(ErrorCode::invalid_data,
              fmt::format("the label has {} different numbers in {} rows, so it looks like a number to predict; take a "
                          "regression, or {}",
                          classes.size(), rows,
                          where.column.empty() ? "write the labels as names" : "declare the column categorical"),
              where);
}

}  // namespace credence::data
