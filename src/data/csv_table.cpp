#include "data/csv_table.hpp"

#include <algorithm>
#include <limits>

#include "data/cell.hpp"

namespace credence::data::detail {

namespace {

constexpr double missing_value = std::numeric_limits<double>::quiet_NaN();

void note(Place& place, std::string_view cell, std::size_t line) {
  if (place.line == 0 || line < place.line) place = {line, std::string(cell)};
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

}  // namespace

void Table::set_width(std::size_t count) {
  constexpr std::size_t block_cells = std::size_t{1} << 17U;
  columns = std::vector<TableColumn>(count);
  block_rows_ = std::max<std::size_t>(1, block_cells / std::max<std::size_t>(1, count));
  start_row();
}

void Table::start_row() {
  if (blocks_.empty() || blocks_.back().rows == block_rows_) {
    blocks_.emplace_back();
    blocks_.back().cells.resize(block_rows_ * width());
  }
  cursor_ = blocks_.back().cells.data() + blocks_.back().rows * width();
}

void Table::end_row(std::size_t line) {
  ++blocks_.back().rows;
  lines_.push_back(line);
  start_row();
}

void Table::insert_first_row(const std::vector<std::string>& cells, std::size_t line) {
  Block block{1, {}};
  for (std::size_t j = 0; j < cells.size(); ++j) block.cells.push_back(number_of(columns[j], cells[j], line));
  blocks_.insert(blocks_.begin(), std::move(block));
  lines_.insert(lines_.begin(), line);
}

double Table::number_of(TableColumn& column, std::string_view cell, std::size_t line) {
  if (column.use == TableColumn::Use::ignore) return missing_value;
  if (column.use == TableColumn::Use::text) {
    cell = trimmed(cell);
    return is_missing(cell) ? add_missing(column, cell, line) : add_text(column, cell, line);
  }
  double value = 0;
  CellKind kind = classify_cell(cell, value);
  if (kind == CellKind::text) {  // perhaps only for the blanks around it
    cell = trimmed(cell);
    kind = classify_cell(cell, value);
  }
  switch (kind) {
    case CellKind::infinite:
      note(column.first_infinite, cell, line);
      [[fallthrough]];
    case CellKind::number:
      if (column.numbers++ == 0) note(column.first_number, cell, line);
      return value;
    case CellKind::missing:
      return add_missing(column, cell, line);
    case CellKind::text:
      break;
  }
  return add_text(column, cell, line);
}

}  // namespace credence::data::detail
