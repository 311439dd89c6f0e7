#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

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
  std::size_t numbers = 0;
  std::size_t texts = 0;
  std::size_t missing = 0;
  Place first_number;
  Place first_text;
  Place first_missing;
  Place first_infinite;
  Interner spellings;
};

/// The cells of a CSV file, one double each: a number, a code of its column's spellings, or NaN where missing.
/// Kept in blocks of whole rows, so that nothing is copied while the file grows.
class Table {
 public:
  /// To be called once, before the first cell.
  void set_width(std::size_t count);
  std::size_t width() const { return columns.size(); }
  std::size_t rows() const { return lines_.size(); }

  /// Adds the cell of the current row at `position` < width().
  /// @param line  where the cell starts
  /// @return whether it was found to be a number, which has no line break
  bool add_cell(std::size_t position, std::string_view cell, std::size_t line) {
    TableColumn& column = columns[position];
    const std::size_t numbers = column.numbers;
    cursor_[position] = number_of(column, cell, line);
    return column.numbers != numbers;
  }
  /// Ends the current row, which starts at `line` and has all its cells.
  void end_row(std::size_t line);
  /// Puts a row in front of all others.
  void insert_first_row(const std::vector<std::string>& cells, std::size_t line);

  /// The line at which a row starts.
  std::size_t line(std::size_t row) const { return lines_[row]; }
  /// Calls visit(row, cells) for the rows in order.
  template <class Visit>
  void for_each_row(Visit visit) const {
    std::size_t row = 0;
    for (const Block& block : blocks_)
      for (std::size_t i = 0; i < block.rows; ++i) visit(row++, block.cells.data() + i * width());
  }
  /// As for_each_row, giving back the memory as it goes.
  template <class Visit>
  void consume_rows(Visit visit) {
    std::size_t row = 0;
    for (Block& block : blocks_) {
      for (std::size_t i = 0; i < block.rows; ++i) visit(row++, block.cells.data() + i * width());
      block = {};
    }
  }

  std::vector<TableColumn> columns;

 private:
  struct Block {
    std::size_t rows = 0;
    std::vector<double> cells;
  };
  static double number_of(TableColumn& column, std::string_view cell, std::size_t line);
  void start_row();

  std::vector<Block> blocks_;
  std::vector<std::size_t> lines_;
  std::size_t block_rows_ = 1;
  double* cursor_ = nullptr;
};

}  // namespace credence::data::detail
