#include "data/csv/csv_plain.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <system_error>

#include "data/cell.hpp"

namespace credence::data::detail {

namespace {

const char* find(const char* begin, const char* end, char c) {
  const void* const found = std::memchr(begin, c, static_cast<std::size_t>(end - begin));
  return found == nullptr ? end : static_cast<const char*>(found);
}

/// One part of a file. Blanks at both ends of a cell do not count, as long as they are not the delimiter.
class PlainParser {
 public:
  explicit PlainParser(const PlainRules& rules)
      : delimiter_(rules.delimiter),
        decimal_comma_(rules.decimal_comma),
        keeps_texts_(rules.keeps_texts),
        skips_empty_(rules.skips_empty),
        width_(rules.uses.size()) {
    result_.rows.columns = std::vector<TableColumn>(width_);
    for (std::size_t j = 0; j < width_; ++j) {
      result_.rows.columns[j].use = rules.uses[j];
      result_.rows.columns[j].decimal_comma = decimal_comma_;
      result_.rows.columns[j].thousands = rules.thousands;
      result_.rows.columns[j].codes = rules.codes[j];
    }
  }

  PlainRows parse(std::string_view lines) {
    const auto count = static_cast<std::size_t>(std::ranges::count(lines, '\n'));
    result_.rows.cells.resize(count * width_);
    result_.rows.lines.reserve(count);
    const char* const end = lines.data() + lines.size();
    for (const char* line = lines.data(); line != end && !result_.wrong;) {
      const char* const feed = find(line, end, '\n');
      ++result_.lines;
      add_line(line, feed != line && feed[-1] == '\r' ? feed - 1 : feed);
      line = feed == end ? end : feed + 1;
    }
    result_.rows.cells.resize(result_.rows.lines.size() * width_);
    return std::move(result_);
  }

 private:
  bool is_blank(char c) const { return (c == ' ' || c == '\t') && c != delimiter_; }
  const char* skip_blanks(const char* at, const char* end) const {
    while (at != end && is_blank(*at)) ++at;
    return at;
  }

  bool is_empty(const char* at, const char* end) const {
    return std::all_of(at, end, [this](char c) { return c == delimiter_ || is_blank(c); });
  }

  void add_line(const char* at, const char* end) {
    at = skip_blanks(at, end);
    if (at == end) return;
    if (skips_empty_ && is_empty(at, end)) {
      ++result_.empty;
      return;
    }
    double* const cells = result_.rows.cells.data() + result_.rows.lines.size() * width_;
    std::size_t count = 0;
    while (true) {
      const char* const after =
          count < width_ ? add_cell(result_.rows.columns[count], cells[count], at, end) : find(at, end, delimiter_);
      if (keeps_texts_) add_text(at, after);
      at = after;
      ++count;
      if (at == end) break;
      ++at;
    }
    if (count == width_)
      result_.rows.lines.push_back(result_.lines);
    else
      result_.wrong = {result_.lines, count};
  }

  /// Reads the cell that starts at `at`, and returns its end: a delimiter, or that of the line.
  const char* add_cell(TableColumn& column, double& cell, const char* at, const char* end) const {
    if (column.use == TableColumn::Use::ignore) {
      cell = std::numeric_limits<double>::quiet_NaN();
      return find(at, end, delimiter_);
    }
    at = skip_blanks(at, end);
    if (column.use == TableColumn::Use::detect && column.numbers > 0 && !decimal_comma_ && column.codes == nullptr) {
      // No number has a delimiter within (the reader's options see to it), so a number that ends at the cell's end is
      // the whole cell.
      const auto [stop, code] = std::from_chars(at, end, cell);
      if (code == std::errc{} && std::isfinite(cell)) {
        const char* const after = skip_blanks(stop, end);
        if (after == end || *after == delimiter_) {
          ++column.numbers;
          return after;
        }
      }
    }
    const char* const after = find(at, end, delimiter_);
    cell = column.value_of({at, static_cast<std::size_t>(without_blanks(at, after) - at)}, result_.lines);
    return after;
  }

  /// The end of a cell without the blanks there.
  const char* without_blanks(const char* begin, const char* end) const {
    while (end != begin && is_blank(end[-1])) --end;
    return end;
  }

  void add_text(const char* begin, const char* end) {
    begin = skip_blanks(begin, end);
    result_.rows.texts.emplace_back(begin, without_blanks(begin, end));
  }

  char delimiter_;
  bool decimal_comma_;
  bool keeps_texts_;
  bool skips_empty_;
  std::size_t width_;
  PlainRows result_;
};

}  // namespace

bool is_plain(std::string_view lines) {
  if (lines.find('"') != std::string_view::npos) return false;
  for (auto at = lines.find('\r'); at != std::string_view::npos; at = lines.find('\r', at + 1))
    if (at + 1 == lines.size() || lines[at + 1] != '\n') return false;
  return true;
}

PlainRows parse_plain(std::string_view lines, const PlainRules& rules) {
  return PlainParser(rules).parse(lines);
}

}  // namespace credence::data::detail
