#pragma once

#include <string>
#include <string_view>

namespace credence::data::detail {

/// Splits CSV text (RFC 4180) into cells. The text comes in pieces, which may end within a cell:
///
///     row  = [ cell { delimiter cell } ] end            end = CR | LF
///     cell = blanks text blanks | blanks '"' { any character except '"' | '""' } '"' blanks
///
/// A text holds no quote, no delimiter and no end. Blanks are spaces and tabs, except the delimiter; those around a
/// text or its quotes do not count. A row of blanks alone has no cell.
class CsvCells {
 public:
  enum class Found {
    cell,
    row_end,
    piece_end,
    stray_quote,  ///< in a text, or in front of one; there is no way on
  };

  explicit CsvCells(char delimiter) : delimiter_(delimiter) {}

  /// The next piece, after the end of the one before was found. @param text  must outlive its splitting
  void add(std::string_view text) { rest_ = text; }
  Found next();
  /// What next() found, until it is called again.
  std::string_view cell() const { return cell_; }
  char row_end() const { return row_end_; }

  /// Whether no cell has begun since the last end of a row.
  bool at_row_start() const { return state_ == State::row_start; }
  bool in_quotes() const { return state_ == State::quoted; }

 private:
  enum class State { row_start, cell_start, text, quoted, after_quote, after_cell, row_over };

  bool is_blank(char c) const { return (c == ' ' || c == '\t') && c != delimiter_; }
  bool ends_text(char c) const { return c == delimiter_ || c == '\n' || c == '\r' || c == '"'; }
  void skip_blanks();
  void take_text();
  void take_quoted();
  Found end_cell();
  Found end_row();

  char delimiter_;
  State state_ = State::row_start;
  std::string_view rest_;  ///< of the piece
  std::string cell_;
  char row_end_ = '\n';
};

}  // namespace credence::data::detail
