#include "data/csv/csv_table.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "credence/core/list.hpp"
#include "data/cell.hpp"

namespace credence::data::detail {

namespace {

constexpr double missing_value = std::numeric_limits<double>::quiet_NaN();

void note(Place& place, std::string_view cell, std::size_t line) {
  if (place.line == 0 || line < place.line) place = {line, std::string(cell)};
}

void note_later(Place& place, const Place& later, std::size_t line) {
  if (later.line > 0) note(place, later.text, later.line + line - 1);
}

double add_missing(TableColumn& column, std::string_view cell, std::size_t line) {
  ++column.missing;
  note(column.first_missing, cell, line);
  return missing_value;
}

double add_text(TableColumn& column, std::string_view cell, std::size_t line) {
  ++column.texts;
  note(column.first_text, cell, line);
  return column.spellings.code(cell, line);
}

bool counts_from_zero(const std::vector<std::uint32_t>& codes) {
  for (std::size_t i = 0; i < codes.size(); ++i)
    if (codes[i] != i) return false;
  return true;
}

void recode(std::vector<double>& cells, std::size_t column, std::size_t width,
            const std::vector<std::uint32_t>& codes) {
  for (std::size_t at = column; at < cells.size(); at += width)
    if (!std::isnan(cells[at])) cells[at] = codes[static_cast<std::size_t>(cells[at])];
}

}  // namespace

double TableColumn::value_of(std::string_view cell, std::size_t line) {
  if (use == Use::ignore) return missing_value;
  if (codes && codes->has(trimmed(cell), decimal_comma)) return add_missing(*this, cell, line);
  if (use == Use::text) {
    cell = trimmed(cell);
    return is_missing(cell) ? add_missing(*this, cell, line) : add_text(*this, cell, line);
  }
  double value = 0;
  CellKind kind = classify_cell(cell, value, decimal_comma);
  if (kind == CellKind::text) {  // perhaps only for the blanks around it
    cell = trimmed(cell);
    kind = classify_cell(cell, value, decimal_comma);
    if (kind == CellKind::text && thousands && grouped(cell, decimal_comma) != Grouped::no) {
      kind = CellKind::number;
      value = value_of_grouped(cell, decimal_comma);
    }
  }
  switch (kind) {
    case CellKind::infinite:
      note(first_infinite, cell, line);
      [[fallthrough]];
    case CellKind::number:
      if (numbers++ == 0) note(first_number, cell, line);
      return value;
    case CellKind::missing:
      return add_missing(*this, cell, line);
    case CellKind::text:
      break;
  }
  return add_text(*this, cell, line);
}

std::vector<std::uint32_t> TableColumn::append(const TableColumn& later, std::size_t line) {
  if (numbers == 0) note_later(first_number, later.first_number, line);
  note_later(first_text, later.first_text, line);
  note_later(first_missing, later.first_missing, line);
  note_later(first_infinite, later.first_infinite, line);
  numbers += later.numbers;
  texts += later.texts;
  missing += later.missing;
  return core::made(later.spellings.size(), [&](std::size_t code) {
    return spellings.code(later.spellings.spelling(code), later.spellings.line(code) + line - 1);
  });
}

void Table::set_width(std::size_t count, bool decimal_comma, bool thousands, bool keeps_texts) {
  constexpr std::size_t block_cells = std::size_t{1} << 17U;
  columns = std::vector<TableColumn>(count);
  for (TableColumn& column : columns) {
    column.decimal_comma = decimal_comma;
    column.thousands = thousands;
  }
  keeps_texts_ = keeps_texts;
  block_rows_ = std::max<std::size_t>(1, block_cells / std::max<std::size_t>(1, count));
}

void Table::start_row() {
  if (blocks_.empty() || blocks_.back().cells.size() == blocks_.back().lines.size() * width()) {
    blocks_.emplace_back();
    blocks_.back().cells.resize(block_rows_ * width());
  }
  cursor_ = blocks_.back().cells.data() + blocks_.back().lines.size() * width();
}

/// Keeps the cells of a row that is not complete yet.
void Table::start_anew() {
  if (cursor_ == nullptr) return blocks_.clear();
  const std::vector<double> current(cursor_, cursor_ + width());
  Block& last = blocks_.back();
  std::vector<std::string> texts;
  if (keeps_texts_) {
    const auto first = last.texts.begin() + static_cast<std::ptrdiff_t>(last.lines.size() * width());
    texts.assign(std::make_move_iterator(first), std::make_move_iterator(last.texts.end()));
  }
  blocks_.clear();
  start_row();
  std::ranges::copy(current, cursor_);
  blocks_.back().texts = std::move(texts);
}

void Table::end_row(std::size_t line) {
  blocks_.back().lines.push_back(line);
  ++rows_;
  cursor_ = nullptr;
}

void Table::append(ParsedRows rows, std::size_t line) {
  for (std::size_t j = 0; j < width(); ++j) {
    const TableColumn& later = rows.columns[j];
    const std::vector<std::uint32_t> codes = columns[j].append(later, line);
    // Numbers beside texts are refused in the end, whatever becomes of them here.
    if (later.numbers == 0 && !counts_from_zero(codes)) recode(rows.cells, j, width(), codes);
  }
  for (std::size_t& own : rows.lines) own += line - 1;
  if (!blocks_.empty()) {
    Block& last = blocks_.back();
    last.cells.resize(last.lines.size() * width());
    last.cells.shrink_to_fit();
  }
  rows_ += rows.lines.size();
  if (!rows.lines.empty()) blocks_.push_back({0, std::move(rows.lines), std::move(rows.cells), std::move(rows.texts)});
}

}  // namespace credence::data::detail
