#include "data/column_notes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "credence/data/reader.hpp"
#include "credence/data/repeats.hpp"
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

std::string doubt_about_texts(const std::vector<std::string>& texts, std::size_t rows) {
  if (!texts.empty() && std::ranges::all_of(texts, is_date))
    return fmt::format("holds {}", count_of(texts.size(), "different date"));
  constexpr std::size_t few_texts = 20;
  constexpr std::size_t rows_of_text = 10;
  const bool rare = texts.size() > few_texts && rows_of_text * texts.size() > rows;
  if (!rare && !differ_in_most_rows(texts.size(), rows)) return "";
  return fmt::format("has {} different texts in {} rows", texts.size(), rows);
}

}  // namespace credence::data::detail

namespace credence::data {

namespace {

using detail::least_rows;

/// How many rows may be unlike all others where "all but a few" are meant: one in twenty, and one of fewer.
std::size_t few_of(std::size_t rows) {
  constexpr std::size_t one_in = 20;
  return std::max<std::size_t>(1, rows / one_in);
}

/// "has a different whole number in each row", or in all but a few; empty if it has not.
std::string likeness_of_names_of_rows(std::vector<double> numbers) {
  const std::size_t rows = numbers.size();
  std::erase_if(numbers, [](double number) { return number != std::floor(number); });  // NaN too
  std::ranges::sort(numbers);
  const auto different = static_cast<std::size_t>(std::unique(numbers.begin(), numbers.end()) - numbers.begin());
  if (rows < least_rows || different + few_of(rows) < rows) return "";
  return fmt::format("has a different whole number in {}",
                     different == rows ? "each row" : fmt::format("{} of {} rows", different, rows));
}

bool counts_rows(const std::vector<double>& numbers, const std::vector<std::size_t>& file_rows) {
  const double first = numbers[0] - static_cast<double>(file_rows[0]);
  if (first != std::floor(first)) return false;  // of NaN too
  for (std::size_t i = 0; i < numbers.size(); ++i)
    if (numbers[i] - static_cast<double>(file_rows[i]) != first) return false;
  return true;
}

bool is_called_identifier(std::string_view name) {
  const std::string_view end = name.size() > 3 ? name.substr(name.size() - 3) : std::string_view{};
  const auto is = [](std::string_view a, std::string_view b) { return detail::equal_ignoring_case(a, b); };
  return is(name, "id") || is(name, "index") || is(end, "_id") || is(end, " id") || is(end, "-id");
}

/// Why numbers look like an identifier; empty if they do not.
std::string likeness_of_identifier(std::string_view name, const std::vector<double>& numbers,
                                   const std::vector<std::size_t>& file_rows) {
  if (counts_rows(numbers, file_rows)) return "counts the rows";
  const auto [low, high] = std::ranges::minmax(numbers);
  const auto rows = static_cast<double>(numbers.size());
  const bool without_gaps = std::abs(high - low + 1 - rows) <= static_cast<double>(few_of(numbers.size()));
  return without_gaps || is_called_identifier(name) ? likeness_of_names_of_rows(numbers) : "";
}

/// What leaves the other numbers within a millionth of each other once the column has the standard deviation 1, or is
/// 10^100 times each of them, and how many there are. Nothing where the others are equal anyway: a column of rare
/// marks.
std::optional<std::pair<double, std::size_t>> far_number(std::vector<double> numbers) {
  constexpr double millionth = 1e-6;
  constexpr double googol = 1e100;
  std::erase_if(numbers, [](double number) { return std::isnan(number); });
  const std::size_t n = numbers.size();
  if (n < least_rows) return std::nullopt;
  const auto [low, high] = std::ranges::minmax(numbers);
  if (low == high) return std::nullopt;
  std::size_t apart = 0;  // in most columns the first rows show that they do not lie so close
  for (std::size_t i = 1; i < n; ++i)
    if (std::abs(numbers[i] - numbers[i - 1]) > millionth * (high - low) && ++apart > 2 * few_of(n))
      return std::nullopt;
  std::ranges::sort(numbers);
  const double largest = std::max(std::abs(low), std::abs(high));
  double mean = 0;  // in units of the largest, so that no square overflows
  double variance = 0;
  for (const double number : numbers) mean += number / largest / static_cast<double>(n);
  for (const double number : numbers) variance += std::pow(number / largest - mean, 2) / static_cast<double>(n);
  const double width = millionth * std::sqrt(variance) * largest;
  auto others = std::ranges::subrange(numbers.begin(), numbers.begin());
  for (auto first = numbers.begin(), end = first; first != numbers.end(); ++first) {
    while (end != numbers.end() && *end - *first <= width) ++end;
    if (end - first > others.end() - others.begin()) others = {first, end};
  }
  const std::size_t count = n - others.size();
  const double size = std::max(std::abs(others.front()), std::abs(others.back()));
  const bool are_equal = others.front() == others.back() && largest < googol * (size > 0 ? size : 1);
  if (count == 0 || count > few_of(n) || are_equal) return std::nullopt;
  return std::pair{others.front() - low > high - others.back() ? low : high, count};
}

/// A number that comes again, and how far it is from all others.
struct Sentinel {
  double value = 0;
  double share = 0;  ///< of the numbers that are not missing
  double low = 0;    ///< of the others
  double high = 0;
  std::optional<std::size_t> as{};  ///< a column where it is far from all others; none: this one
};

/// The smallest or largest number, if it comes twice or more, in 1 % of the rows and in fewer than half, and is farther
/// from all others than five times their range: so these lie in the sixth of the whole range at the other end. The
/// others are different numbers, ten or more.
/// @param codes  values that need not be far, each with the column where it is
std::optional<Sentinel> sentinel_of(const std::vector<double>& numbers, const std::map<double, std::size_t>& codes) {
  double low = INFINITY;
  double high = -INFINITY;
  std::size_t known = 0;
  for (const double number : numbers) {
    if (std::isnan(number)) continue;
    low = std::min(low, number);
    high = std::max(high, number);
    ++known;
  }
  for (const double value : {low, high}) {
    const double end = value == low ? high : low;
    const auto code = codes.find(value);
    const double part = code == codes.end() ? 6 : 1;
    double nearest = end;
    std::size_t count = 0;
    const bool is_far = std::ranges::all_of(numbers, [&](double number) {
      if (number == value) ++count;
      if (number == value || std::isnan(number)) return true;
      if (std::abs(number - end) > std::abs(nearest - end)) nearest = number;
      return part * std::abs(number - end) < high - low;
    });
    if (is_far && nearest != end && count >= 2 && 100 * count >= known && count + least_rows <= known &&
        2 * count < known)
      return Sentinel{value, static_cast<double>(count) / static_cast<double>(known), std::min(nearest, end),
                      std::max(nearest, end), code == codes.end() ? std::nullopt : std::optional(code->second)};
  }
  return std::nullopt;
}

/// Of each column of numbers. What one column has far from its others is looked for at the ends of all columns, unless
/// it is a number from 0 to 9, as a count is.
std::vector<std::optional<Sentinel>> sentinels_of(std::size_t columns, const auto& numbers_of) {
  std::vector<std::optional<Sentinel>> found;
  std::map<double, std::size_t> codes;
  for (std::size_t k = 0; k < columns; ++k) {
    found.push_back(sentinel_of(numbers_of(k), {}));
    if (found[k] && (found[k]->value < 0 || found[k]->value > 9)) codes.emplace(found[k]->value, k);
  }
  for (std::size_t k = 0; k < columns && !codes.empty(); ++k)
    if (!found[k]) found[k] = sentinel_of(numbers_of(k), codes);
  return found;
}

/// "holds -99 in 8 % of its rows, far below all others (0.1 to 30); if it means missing: --na CRP=-99"
std::string note_on_sentinel(const Sentinel& found, const std::string& name, const Phrase& column) {
  const std::string given = fmt::format("{}={}", name, found.value);
  const char* quote = given.find_first_of(" '\"();&|<>*$") == std::string::npos ? "" : "'";
  return fmt::format("holds {} in {:.2g} % of its rows, {}{} all others ({} to {}){}; if it means missing: --na {}{}{}",
                     found.value, 100 * found.share, found.as ? "" : "far ",
                     found.value < found.low ? "below" : "above", found.low, found.high,
                     found.as ? fmt::format(", as {} does", column(*found.as)) : "", quote, given, quote);
}

}  // namespace

std::string likeness_of_row_numbers(std::string_view name, std::size_t position, std::vector<double> numbers) {
  const std::string likeness = names_index(name, position) ? likeness_of_names_of_rows(std::move(numbers)) : "";
  return likeness.empty() ? "" : likeness + (name.empty() ? " and no name" : " and the name of an index");
}

bool names_index(std::string_view name, std::size_t position) {
  const auto is_level = [&] {  // of pandas' MultiIndex
    constexpr std::string_view level = "level_";
    return name.starts_with(level) && name.size() > level.size() &&
           name.find_first_not_of("0123456789", level.size()) == std::string_view::npos;
  };
  return (name.empty() && position == 0) || name == "index" || is_level() || name.starts_with("__index_level_") ||
         name == "Unnamed: 0" || name.starts_with("Unnamed: 0.");
}

std::string reason_to_leave_out(const std::vector<std::string>& texts, std::size_t rows, bool decimal_comma) {
  if (texts.empty()) return "";
  const std::string doubt = detail::doubt_about_texts(texts, rows);
  if (std::ranges::all_of(texts, detail::is_date))
    return doubt + " and is left out; write numbers, such as days, or declare the column categorical";
  const bool numbers = !detail::likeness_of_numbers(texts, decimal_comma).empty();
  if (!detail::differ_in_most_rows(texts.size(), rows) || numbers) return "";
  return doubt + " and is left out; to keep it, declare the column categorical";
}

std::vector<std::string> column_notes(const Dataset& dataset, const Phrase& column, const Phrase& row,
                                      const std::optional<std::vector<bool>>& declared) {
  const Features& features = dataset.features;
  constexpr std::size_t sparsest = 16;  // of so many cells one is stored
  const bool is_wide =
      features.is_sparse() && features.rows() * features.columns() > sparsest * features.stored().size();
  const Features table = is_wide ? DenseMatrix() : features.is_sparse() ? features.to_dense() : features.view();
  const std::size_t rows = features.rows();
  const auto numbers_of = [&](std::size_t k) {
    const bool is_numeric = dataset.schema.columns[k].kind == ColumnKind::numeric;
    std::vector<double> numbers(k < table.columns() && is_numeric ? rows : 0);
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = table.dense().row(i)[k];
    return numbers;
  };
  const std::size_t columns = dataset.schema.columns.size();
  const auto sentinels = sentinels_of(features.is_sparse() ? 0 : columns, numbers_of);
  std::vector<std::string> notes;
  for (std::size_t k = 0; k < columns; ++k) {
    const auto& [name, kind, levels] = dataset.schema.columns[k];
    const std::vector<double> numbers = numbers_of(k);
    const bool is_meant = !declared || (k < declared->size() && (*declared)[k]);
    std::string likeness;
    if (declared && rows >= least_rows && levels.size() == rows) likeness = "has a different text in each row";
    if (declared && numbers.size() >= least_rows) likeness = likeness_of_identifier(name, numbers, dataset.file_rows);
    if (const std::string what = is_meant ? "" : detail::likeness_of_numbers(levels, dataset.schema.decimal_comma);
        !what.empty()) {
      notes.push_back(fmt::format("{} is read as text, but all its texts are numbers with {}", column(k), what));
    } else if (!likeness.empty()) {
      notes.push_back(
          fmt::format("{} {}, so it looks like an identifier, which says nothing about new rows; drop the column",
                      column(k), likeness));
    } else if (const std::string doubt = is_meant ? "" : detail::doubt_about_texts(levels, rows); !doubt.empty()) {
      notes.push_back(
          fmt::format("{} {}, and each becomes a column of its own; if they say little about new rows, drop the column",
                      column(k), doubt));
    }
    for (std::string& note : notes_on_spellings(column(k) + ": the levels", levels)) notes.push_back(std::move(note));
    if (const auto far = far_number(numbers)) {
      const auto place = static_cast<std::size_t>(std::ranges::find(numbers, far->first) - numbers.begin());
      const std::string more = far->second == 1 ? "" : fmt::format(" and {} such numbers in all", far->second);
      notes.push_back(
          fmt::format("{} holds {} in {}{}, so far from the others that these are the same once scaled; "
                      "correct the value, or drop the column",
                      column(k), far->first, row(place), more));
    } else if (k < sentinels.size() && sentinels[k]) {
      notes.push_back(column(k) + ' ' +
                      note_on_sentinel(*sentinels[k], name.empty() ? fmt::to_string(k + 1) : name, column));
    }
  }
  for (const std::size_t k : subject_columns(dataset))
    if (declared && !(*declared)[k]) notes.push_back(subject_note(dataset, k));
  return notes;
}

}  // namespace credence::data
