#include "data/csv/csv_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "data/cell.hpp"

namespace credence::data::detail {

namespace {

/// Calls visit(line) for the complete lines of a text, blank ones left out, until it returns false. A line feed within
/// quotes ends no line. Text behind the last line feed is a line if there is no other.
void for_each_line(std::string_view text, auto visit) {
  constexpr std::string_view blanks = " \t\r";
  std::size_t begin = 0;
  bool quoted = false;
  bool any = false;
  for (std::size_t at = 0; at <= text.size(); ++at) {
    if (at < text.size() && text[at] == '"') quoted = !quoted;
    const bool ends = at == text.size() ? !any : text[at] == '\n' && !quoted;
    if (!ends) continue;
    const std::string_view line = text.substr(begin, at - begin);
    begin = at + 1;
    if (line.find_first_not_of(blanks) == std::string_view::npos) continue;
    any = true;
    if (!visit(line)) return;
  }
}

/// Calls visit(cell) for each cell of a line, without blanks and quotes around it, until it returns false.
bool for_each_cell(std::string_view line, char delimiter, auto visit) {
  std::size_t begin = 0;
  bool quoted = false;
  for (std::size_t at = 0; at <= line.size(); ++at) {
    if (at < line.size() && line[at] == '"') quoted = !quoted;
    if (at < line.size() && (line[at] != delimiter || quoted)) continue;
    std::string_view cell = line.substr(begin, at - begin);
    begin = at + 1;
    while (!cell.empty() && (cell.back() == '\r' || cell.back() == ' ' || cell.back() == '\t')) cell.remove_suffix(1);
    cell = trimmed(cell);
    if (cell.size() >= 2 && cell.front() == '"' && cell.back() == '"') cell = cell.substr(1, cell.size() - 2);
    if (!visit(cell)) return false;
  }
  return true;
}

bool is_decimal(std::string_view cell, char sign) {
  double value = 0;
  return cell.find(sign) != std::string_view::npos && classify_cell(cell, value, sign == ',') == CellKind::number;
}

/// The number of cells in each of the first lines; none if it is not the same in all of them.
std::optional<std::size_t> cells_of_all(std::string_view text, char delimiter) {
  constexpr std::size_t most_lines = 100;
  std::optional<std::size_t> cells;
  std::size_t lines = 0;
  bool same = true;
  for_each_line(text, [&](std::string_view line) {
    std::size_t count = 0;
    for_each_cell(line, delimiter, [&](std::string_view) { return ++count > 0; });
    same = !cells || *cells == count;
    cells = count;
    return same && ++lines < most_lines;
  });
  return same ? cells : std::nullopt;
}

bool parts_all(std::string_view text, char delimiter) {
  const std::optional<std::size_t> cells = cells_of_all(text, delimiter);
  return cells && *cells >= 2;
}

/// Whether commas stand in some of the cells, and nowhere but in numbers.
bool commas_are_decimal(std::string_view text, char delimiter) {
  bool some = false;
  bool all = true;
  for_each_line(text, [&](std::string_view line) {
    all = for_each_cell(line, delimiter, [&](std::string_view cell) {
      if (cell.find(',') == std::string_view::npos) return true;
      some = true;
      return is_decimal(cell, ',');
    });
    return all;
  });
  return some && all;
}

char delimiter_of(std::string_view text, const Schema* schema) {
  constexpr std::array<char, 3> others = {';', '\t', '|'};
  const bool commas = parts_all(text, ',');
  for (const char delimiter : others)
    if (parts_all(text, delimiter) && (!commas || commas_are_decimal(text, delimiter))) return delimiter;
  const bool unusual = schema != nullptr && std::ranges::find(others, schema->delimiter) == others.end();
  return unusual && parts_all(text, schema->delimiter) ? schema->delimiter : ',';
}

/// Signs of the numbers in the first cells.
struct Signs {
  bool comma = false;            ///< a number with a decimal comma
  bool point = false;            ///< a number with a decimal point
  bool ungrouped_comma = false;  ///< a decimal comma, no sign between thousands: 0,5
  bool ungrouped_point = false;  ///< the same of points
  bool thousand_commas = false;  ///< certain commas between thousands: 1,234.5
  bool thousand_points = false;  ///< certain points between thousands: 1.234,5

  bool perhaps_commas = false;  ///< a comma that may stand between thousands: 1,234
  bool perhaps_points = false;  ///< the same of points

  // Where another number of the file has the other sign before its fraction, 1,234 can be nothing else either.
  bool groups_with_commas() const {
    return (thousand_commas || (perhaps_commas && ungrouped_point)) && !ungrouped_comma && !thousand_points;
  }
  bool groups_with_points() const {
    return (thousand_points || (perhaps_points && ungrouped_comma)) && !ungrouped_point && !thousand_commas;
  }
};

Signs signs_of(std::string_view text, char delimiter) {
  Signs signs;
  for_each_line(text, [&](std::string_view line) {
    return for_each_cell(line, delimiter, [&](std::string_view cell) {
      const bool comma = is_decimal(cell, ',');
      const bool point = is_decimal(cell, '.');
      const Grouped commas = grouped(cell, false);
      const Grouped points = grouped(cell, true);
      signs.comma = signs.comma || comma;
      signs.point = signs.point || point;
      signs.ungrouped_comma = signs.ungrouped_comma || (comma && commas == Grouped::no);
      signs.ungrouped_point = signs.ungrouped_point || (point && points == Grouped::no);
      signs.perhaps_commas = signs.perhaps_commas || commas != Grouped::no;
      signs.perhaps_points = signs.perhaps_points || points != Grouped::no;
      signs.thousand_commas = signs.thousand_commas || commas == Grouped::certain;
      signs.thousand_points = signs.thousand_points || points == Grouped::certain;
      return true;
    });
  });
  return signs;
}

bool decimal_comma_of(const Signs& signs, char delimiter, const Schema* schema) {
  if (signs.groups_with_points()) return true;
  const bool trained = schema != nullptr && schema->decimal_comma;
  if (delimiter == ',' && !trained) return false;
  if (signs.point) return false;
  return (signs.comma && delimiter != ',') || trained;
}

std::string name_of(char delimiter) {
  switch (delimiter) {
    case ';':
      return "semicolons";
    case '\t':
      return "tabs";
    case ',':
      return "commas";
    case '|':
      return "vertical bars";
    default:
      return fmt::format("'{}'", delimiter);
  }
}

/// Takes the line away by which Excel tells the delimiter.
std::optional<char> take_told_delimiter(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  std::string_view plain = trimmed(line);
  if (line.size() == text.size()) return std::nullopt;
  if (plain == "sep=" && line.substr(line.find('=')).starts_with("=\t")) plain = "sep=\t";
  if (plain.starts_with('"') && plain.ends_with('"')) plain = plain.substr(1, plain.size() - 2);
  if (!tells_delimiter(plain) || plain.size() != std::string_view("sep=;").size()) return std::nullopt;
  text.remove_prefix(line.size() + 1);
  return plain.back();
}

/// How many cells at the end of each line are empty.
std::size_t empty_at_end(std::string_view text, char delimiter) {
  std::size_t least = std::string_view::npos;
  for_each_line(text, [&](std::string_view line) {
    std::size_t count = 0;
    for (; !line.empty(); line.remove_suffix(1)) {
      const char c = line.back();
      if (c == delimiter)
        ++count;
      else if (c != ' ' && c != '\t' && c != '\r')
        break;
    }
    if (!line.empty()) least = std::min(least, count);
    return least > 0;
  });
  return least == std::string_view::npos ? 0 : least;
}

}  // namespace

bool tells_delimiter(std::string_view cell) {
  constexpr std::string_view beginning = "sep=";
  return cell.size() <= beginning.size() + 1 && equal_ignoring_case(cell.substr(0, beginning.size()), beginning);
}

Dialect find_dialect(TextSource& source, bool tabs, ReadOptions& options) {
  const Schema* schema = options.schema;
  const bool finds_delimiter = options.delimiter == any_delimiter && !tabs;
  std::string_view text = source.peek();
  const std::optional<char> told = take_told_delimiter(text);
  if (options.delimiter == any_delimiter) options.delimiter = tabs ? '\t' : told ? *told : delimiter_of(text, schema);
  const bool finds_decimal = options.decimal == Decimal::detect;
  // Where commas part cells, other commas stand in quotes.
  const bool plain = options.delimiter == ',' && text.find('"') == std::string_view::npos;
  const bool expected = schema != nullptr && schema->decimal_comma;
  const Signs signs = plain && !expected ? Signs{} : signs_of(text, options.delimiter);
  if (finds_decimal)
    options.decimal = decimal_comma_of(signs, options.delimiter, schema) ? Decimal::comma : Decimal::point;
  Dialect dialect;
  dialect.empty_at_end = empty_at_end(text, options.delimiter);
  if (finds_delimiter && options.delimiter != (schema != nullptr ? schema->delimiter : ','))
    dialect.notes.push_back(
        fmt::format("the cells are separated by {}; if that is wrong, give the delimiter", name_of(options.delimiter)));
  const bool comma = options.decimal == Decimal::comma;
  if (finds_decimal && comma != expected)
    dialect.notes.push_back(fmt::format("the numbers have decimal {}; if that is wrong, give the decimal sign",
                                        comma ? "commas" : "points"));
  dialect.thousands = comma ? signs.groups_with_points() : signs.groups_with_commas();
  if (dialect.thousands) {
    dialect.notes.push_back(fmt::format("numbers have {} between thousands: {} is read as {}",
                                        comma ? "points" : "commas", comma ? "1.234,5" : "1,234.5",
                                        comma ? "1234,5" : "1234.5"));
  }
  return dialect;
}

}  // namespace credence::data::detail
