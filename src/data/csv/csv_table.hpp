#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "data/cell.hpp"
#include "data/interner.hpp"

namespace credence::data::detail {

/// The first cell of some kind in a column.
struct Place {
  std::size_t line = 0;  ///< 0: there is none
  std::string text;
};

/// What is known of a column of the file.
struct TableColumn {
  enum class Use {
    detect,  ///< a cell is its number, or the code of its text; a column that mixes the two is refused in the end
    text,    ///< every cell is the code of its spelling, numbers too
    ignore,  ///< cells are not looked at
  };
  Use use = Use::detect;
  bool decimal_comma = false;
  bool thousands = false;                     ///< numbers may have their thousands separated
  std::shared_ptr<const MissingCodes> codes;  ///< of missing values, beside those of is_missing; may be null
  std::size_t numbers = 0;
  std::size_t texts = 0;
  std::size_t missing = 0;
  Place first_number;
  Place first_text;
  Place first_missing;
  Place first_infinite;
  Interner spellings;

  /// The double of a cell: a number, a code of the column's spellings, or NaN where missing.
  double value_of(std::string_view cell, std::size_t line);
  /// Takes over what is known of the rows that follow, whose lines count from `line` - 1 on.
  /// @return for each code of `later` its code here
  std::vector<std::uint32_t> append(const TableColumn& later, std::size_t line);
};

/// Rows that were parsed apart from the table that they belong to, with columns and codes of their own.
struct ParsedRows {
  std::vector<TableColumn> columns;
  std::vector<double> cells;       ///< row by row
  std::vector<std::size_t> lines;  ///< of each row, counted from 1
  std::vector<std::string> texts;  ///< of all cells, where they are kept
};

/// The cells of a CSV file, one double each (TableColumn::value_of). Kept in blocks of whole rows, so that nothing is
/// copied while the file grows, and rows can be taken away from the front.
class Table {
 public:
  /// To be called once, before the first cell.
  /// @param thousands    numbers may have their thousands separated
  /// @param keeps_texts  the cells of each row are kept as they stand, too
  void set_width(std::size_t count, bool decimal_comma, bool thousands, bool keeps_texts);
  std::size_t width() const { return columns.size(); }
  std::size_t rows() const { return rows_; }

  /// Adds the cell of the current row at `position` < width().
  /// @param line  where the cell starts
  /// @return whether it was found to be a number, which has no line break
  bool add_cell(std::size_t position, std::string_view cell, std::size_t line) {
    if (cursor_ == nullptr) start_row();
    TableColumn& column = columns[position];
    const std::size_t numbers = column.numbers;
    cursor_[position] = column.value_of(cell, line);
    if (keeps_texts_) blocks_.back().texts.emplace_back(cell);
    return column.numbers != numbers;
  }
  /// Ends the current row, which starts at `line` and has all its cells.
  void end_row(std::size_t line);
  /// Adds rows behind all others. No row may be current. @param line  at which the first of their lines stands
  void append(ParsedRows rows, std::size_t line);

  /// Calls visit(row, line, cells) for the first rows in order, `count` or as many as there are; rows count from 0.
  void for_each_row(std::size_t count, auto visit) const {
    std::size_t row = 0;
    for (const Block& block : blocks_)
      for (std::size_t i = block.first; i < block.lines.size() && row < count; ++i)
        visit(row++, block.lines[i], block.cells.data() + i * width());
  }
  /// As for_each_row, taking the rows away and giving back their memory. The last argument of `visit` are the texts of
  /// the row's cells, null unless they are kept.
  void consume_rows(std::size_t count, auto visit) {
    std::size_t row = 0;
    while (row < count && rows_ > 0) {
      Block& block = blocks_.front();
      for (; block.first < block.lines.size() && row < count; ++block.first, --rows_)
        visit(row++, block.lines[block.first], block.cells.data() + block.first * width(),
              keeps_texts_ ? block.texts.data() + block.first * width() : nullptr);
      if (block.first == block.lines.size() && rows_ > 0) blocks_.pop_front();
    }
    if (rows_ == 0) start_anew();
  }
  /// Takes all rows away; what is known of the columns stays.
  void drop_rows() {
    rows_ = 0;
    start_anew();
  }

  std::vector<TableColumn> columns;

 private:
  struct Block {
    std::size_t first = 0;           ///< rows that were taken away
    std::vector<std::size_t> lines;  ///< at which each row starts
    std::vector<double> cells;       ///< of these rows, and perhaps room for more
    std::vector<std::string> texts;  ///< of these rows and the cells of the current one, where they are kept
  };
  void start_row();
  void start_anew();

  std::deque<Block> blocks_;
  std::size_t rows_ = 0;
  std::size_t block_rows_ = 1;
  bool keeps_texts_ = false;
  double* cursor_ = nullptr;  ///< of the current row; null between rows
};

}  // namespace credence::data::detail
