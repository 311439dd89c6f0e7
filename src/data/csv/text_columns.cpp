#include "data/csv/text_columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "credence/core/error.hpp"
#include "credence/data/reader.hpp"
#include "data/cell.hpp"
#include "data/labels.hpp"

namespace credence::data::detail {

namespace {

/// The number that a text begins with, and how many digits it has; the digits are taken off.
struct LeadingDigits {
  int value = 0;
  std::size_t count = 0;
};

LeadingDigits take_digits(std::string_view& text) {
  constexpr std::size_t longest = 4;
  LeadingDigits digits;
  for (; digits.count <= longest && !text.empty() && text.front() >= '0' && text.front() <= '9'; ++digits.count) {
    digits.value = 10 * digits.value + (text.front() - '0');
    text.remove_prefix(1);
  }
  return digits;
}

bool is_day_of_month(const LeadingDigits& digits) {
  constexpr int last = 31;
  return (digits.count == 1 || digits.count == 2) && digits.value >= 1 && digits.value <= last;
}

/// "13:45", "13:45:07.25", "13:45Z" or "13:45+02:00".
bool is_time(std::string_view text) {
  const LeadingDigits hour = take_digits(text);
  return (hour.count == 1 || hour.count == 2) && text.starts_with(':') &&
         text.find_first_not_of("0123456789:.,+-Z") == std::string_view::npos;
}

std::vector<std::string> spellings_of(const Interner& interner) {
  std::vector<std::string> texts;
  for (std::size_t code = 0; code < interner.size(); ++code) texts.push_back(interner.spelling(code));
  return texts;
}

}  // namespace

bool is_date(std::string_view text) {
  constexpr std::size_t of_year = 4;
  constexpr int months = 12;
  const LeadingDigits first = take_digits(text);
  const char between = text.empty() ? '\0' : text.front();
  if (between != '-' && between != '/' && between != '.') return false;
  text.remove_prefix(1);
  const LeadingDigits second = take_digits(text);
  if (!is_day_of_month(second) || !text.starts_with(between)) return false;
  text.remove_prefix(1);
  const LeadingDigits third = take_digits(text);
  const bool year_first = first.count == of_year && second.value <= months && is_day_of_month(third);
  const bool year_last =
      is_day_of_month(first) && third.count == of_year && (first.value <= months || second.value <= months);
  if (!year_first && !year_last) return false;
  return text.empty() || ((text.front() == ' ' || text.front() == 'T') && is_time(text.substr(1)));
}

std::string likeness_of_numbers(const std::vector<std::string>& texts, bool decimal_comma) {
  const std::string_view sign = decimal_comma ? "points" : "commas";
  double value = 0;
  const auto all = [&](const auto& is) { return !texts.empty() && std::ranges::all_of(texts, is); };
  const bool fractions =
      all([&](const std::string& text) { return classify_cell(text, value, !decimal_comma) == CellKind::number; });
  const bool thousands = all([&](const std::string& text) {
    return grouped(text, decimal_comma) != Grouped::no || classify_cell(text, value, decimal_comma) == CellKind::number;
  });
  if (fractions && thousands) {
    return fmt::format(
        "decimal {0}, or with {0} between thousands; give the decimal sign, or write thousands without {0}", sign);
  }
  if (fractions) return fmt::format("decimal {}; give the decimal sign", sign);
  if (thousands) return fmt::format("{0} between thousands; write thousands without {0}", sign);
  const bool other_grouped = all([&](const std::string& text) {
    return grouped(text, !decimal_comma) != Grouped::no ||
           classify_cell(text, value, !decimal_comma) == CellKind::number;
  });
  return other_grouped ? fmt::format("decimal {}; give the decimal sign", sign) : "";
}

void leave_out_texts(CsvFile& file, const ReadOptions& options) {
  if (options.schema != nullptr || options.numbers) return;
  Layout& layout = file.layout;
  std::vector<std::size_t> features;
  std::vector<bool> categorical;
  std::string last;
  for (std::size_t k = 0; k < layout.features.size(); ++k) {
    const std::size_t position = layout.features[k];
    const TableColumn& column = file.table.columns[position];
    const bool stays = layout.categorical[k] || column.texts == 0 || column.numbers > 0;
    const std::string reason = stays ? ""
                                     : reason_to_leave_out(spellings_of(column.spellings), file.table.rows(),
                                                           options.decimal == Decimal::comma);
    if (reason.empty()) {
      features.push_back(position);
      categorical.push_back(layout.categorical[k]);
      continue;
    }
    last = fmt::format("{} {}", layout.phrase(position), reason);
    file.notes.push_back(last);
  }
  if (features.empty() && !last.empty())
    throw Error(ErrorCode::invalid_data, "no column is left for features: " + last, {.file = layout.file});
  layout.features = std::move(features);
  layout.categorical = std::move(categorical);
}

}  // namespace credence::data::detail

namespace credence::data {

std::string reason_to_leave_out(const std::vector<std::string>& texts, std::size_t rows, bool decimal_comma) {
  if (texts.empty()) return "";
  const std::string doubt = doubt_about_texts(texts, rows);
  if (std::ranges::all_of(texts, detail::is_date))
    return doubt + " and is left out; write numbers, such as days, or declare the column categorical";
  const bool numbers = !detail::likeness_of_numbers(texts, decimal_comma).empty();
  if (!detail::differ_in_most_rows(texts.size(), rows) || numbers) return "";
  return doubt + " and is left out; to keep it, declare the column categorical";
}

std::string doubt_about_texts(const std::vector<std::string>& texts, std::size_t rows) {
  if (!texts.empty() && std::ranges::all_of(texts, detail::is_date))
    return fmt::format("holds {}", detail::count_of(texts.size(), "different date"));
  constexpr std::size_t few_texts = 20;
  constexpr std::size_t rows_of_text = 10;
  const bool rare = texts.size() > few_texts && rows_of_text * texts.size() > rows;
  if (!rare && !detail::differ_in_most_rows(texts.size(), rows)) return "";
  return fmt::format("has {} different texts in {} rows", texts.size(), rows);
}

}  // namespace credence::data
