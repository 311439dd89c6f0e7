#include "data/labels.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "credence/core/list.hpp"
#include "credence/data/dataset.hpp"
#include "data/cell.hpp"

namespace credence::data::detail {

namespace {

/// None of long codes: doubles do not hold whole numbers from 2^53 on apart.
std::optional<double> number_of(const std::string& text) {
  double value = 0;
  const bool held = classify_cell(text, value) == CellKind::number && std::abs(value) < 0x1p53;
  return held ? std::optional(value) : std::nullopt;
}

struct LabelNumbers {
  bool all = true;         ///< every label is a number
  bool fractions = false;  ///< all are, and one of them is not whole
};

LabelNumbers label_numbers(const std::vector<std::string>& classes) {
  LabelNumbers result;
  for (const std::string& spelling : classes) {
    const std::optional<double> value = number_of(spelling);
    if (!value) return {false, false};
    result.fractions = result.fractions || *value != std::floor(*value);
  }
  return result;
}

/// Of the letters of Latin-1, as UTF-8.
std::string lower_case(std::string text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const bool wide = i > 0 && text[i - 1] == '\xC3' && byte <= 0x9E && byte != 0x97;  // which is the sign of times
    if (wide || (byte >= 'A' && byte <= 'Z')) text[i] = static_cast<char>(byte + 0x20);
  }
  return text;
}

/// In lower case, and with one blank for each white space within.
std::string folded(const std::string& name) {
  std::string text;
  for (std::string_view rest = name; !rest.empty();) {
    const std::string_view after = trimmed(rest);  // up to the white space at its end
    if (!text.empty() && after.data() != rest.data()) text += ' ';
    rest = after;
    do {
      text += rest.front();
      rest.remove_prefix(1);
    } while (!rest.empty() && trimmed(rest).data() == rest.data());
  }
  return lower_case(std::move(text));
}

/// The names that have one key, such as "1" and "1.0", "2" and "+2"; empty if keys differ. Names without a key stand
/// alone.
std::string alike(const std::vector<std::string>& names, auto key_of) {
  constexpr std::size_t most_lists = 5;
  std::map<typename decltype(key_of(std::string()))::value_type, std::vector<std::string>> of_key;
  for (const std::string& name : names)
    if (const auto key = key_of(name)) of_key[*key].push_back(in_quotes(name));
  std::vector<std::string> lists;
  for (const auto& [key, list] : of_key)
    if (list.size() > 1 && lists.size() < most_lists) lists.push_back(fmt::format("{}", fmt::join(list, " and ")));
  return fmt::format("{}", fmt::join(lists, ", "));
}

}  // namespace

std::vector<int> match_classes(const std::vector<std::string>& labels, const std::vector<std::string>& classes) {
  std::unordered_map<std::string_view, int> position;
  std::map<double, int> of_number;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    position.emplace(classes[i], static_cast<int>(i));
    if (const auto number = number_of(classes[i])) of_number.emplace(*number, static_cast<int>(i));
  }
  std::vector<int> result;
  for (const std::string& label : labels) {
    const auto known = position.find(label);
    result.push_back(known == position.end() ? -1 : known->second);
    const auto number = result.back() < 0 && of_number.size() == classes.size() ? number_of(label) : std::nullopt;
    if (number && of_number.contains(*number)) result.back() = of_number[*number];
  }
  return result;
}

std::vector<int> match_codes(const Interner& interner, std::span<const std::uint32_t> codes,
                             const std::vector<std::string>& classes) {
  std::vector<std::string> labels;
  for (std::size_t code = 0; code < interner.size(); ++code) labels.push_back(interner.spelling(code));
  const std::vector<int> position = match_classes(labels, classes);
  return core::mapped(codes, [&](std::uint32_t code) { return code == no_code ? -1 : position[code]; });
}

void match_labels(Dataset& dataset, const Interner& interner, std::span<const std::uint32_t> codes) {
  dataset.labels = match_codes(interner, codes, dataset.schema.classes);
  for (std::size_t i = 0; i < codes.size() && !dataset.other_class; ++i)
    if (dataset.labels[i] < 0)
      dataset.other_class =
          codes[i] == no_code ? OtherClass{} : OtherClass{interner.spelling(codes[i]), interner.line(codes[i])};
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

Coded code_labels(const Interner& interner, std::span<const std::uint32_t> codes, LabelsAre labels) {
  Coded coded = sort_codes(interner, codes);
  if (labels == LabelsAre::names || !label_numbers(coded.spellings).all) {
    coded.notes = notes_on_spellings("the classes", coded.spellings);
    return coded;
  }
  const std::string equal = alike(coded.spellings, number_of);
  if (equal.empty()) return coded;
  coded.notes.push_back(fmt::format(
      "labels that are equal numbers count as one class: {}; names of different classes need a letter", equal));
  std::vector<std::string> kept;
  for (const std::string& spelling : coded.spellings)
    if (kept.empty() || number_of(kept.back()) != number_of(spelling))
      kept.push_back(spelling);
    else if (spelling.size() < kept.back().size())
      kept.back() = spelling;
  coded.spellings = std::move(kept);
  coded.codes = match_codes(interner, codes, coded.spellings);
  return coded;
}

std::string note_on_fractions(const std::vector<std::string>& classes, LabelsAre labels) {
  if (labels == LabelsAre::names || classes.size() < 3 || !label_numbers(classes).fractions) return "";
  return fmt::format(
      "the label has {} different numbers with fractions, such as {}, and each is a class; to predict the number "
      "take a regression; if they are names, declare the column categorical",
      classes.size(), classes.front());
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

std::vector<std::string> notes_on_spellings(const std::string& what, const std::vector<std::string>& names) {
  constexpr std::string_view remedy = "write them alike if they mean the same";
  std::vector<std::string> notes;
  if (const std::string equal = detail::alike(names, detail::number_of); !equal.empty())
    notes.push_back(fmt::format("{} {} are equal numbers; {}", what, equal, remedy));
  const auto text = [](const std::string& name) {
    return detail::number_of(name) ? std::nullopt : std::optional(detail::folded(name));
  };
  const auto cased = [](const std::string& name) {
    return detail::number_of(name) ? std::nullopt : std::optional(detail::lower_case(name));
  };
  if (const std::string equal = detail::alike(names, text); !equal.empty())
    notes.push_back(fmt::format("{} {} differ by case {}alone; {}", what, equal,
                                equal == detail::alike(names, cased) ? "" : "or blanks ", remedy));
  return notes;
}

void check_classes(const std::vector<std::string>& classes, std::size_t rows, const Location& where, LabelsAre labels) {
  constexpr std::size_t most_classes = 1000;
  constexpr std::size_t most_fractions = 20;
  constexpr std::size_t most_numbers = 30;
  constexpr std::size_t rows_a_number = 10;
  constexpr std::string_view remedy = "for numbers, choose a regression, with relevance vector machines";
  if (classes.size() > most_classes) {
    refuse_data(fmt::format("the label has {} different values, which looks like a regression target or an identifier; "
                            "a classifier takes at most {} classes; {}",
                            classes.size(), most_classes, remedy),
                where);
  }
  const detail::LabelNumbers numbers =
      labels == LabelsAre::names ? detail::LabelNumbers{.all = false} : detail::label_numbers(classes);
  if (classes.size() > most_fractions && numbers.fractions) {
    refuse_data(fmt::format("the label has {} different values with fractions, such as {}, so it looks like a "
                            "regression target; {}",
                            classes.size(), classes.front(), remedy),
                where);
  }
  if (detail::differ_in_most_rows(classes.size(), rows)) {
    refuse_data(fmt::format("the label has {} different values in {} rows, so it looks like {}choose another label",
                            classes.size(), rows,
                            numbers.all ? "a number to predict; take a regression, or " : "an identifier; "),
                where);
  }
  const bool few_rows_each = rows > 0 && rows < rows_a_number * classes.size();
  if (!numbers.all || classes.size() <= most_numbers || !few_rows_each) return;
  refuse_data(fmt::format("the label has {} different numbers in {} rows, so it looks like a number to predict; take a "
                          "regression, or {}",
                          classes.size(), rows,
                          where.column.empty() ? "write the labels as names" : "declare the column categorical"),
              where);
}

}  // namespace credence::data
