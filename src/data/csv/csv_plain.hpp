#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "data/csv/csv_table.hpp"

namespace credence::data::detail {

/// Whether whole lines of CSV text can be split without the state of a parser: no quote, and no carriage return but in
/// front of a line feed.
bool is_plain(std::string_view lines);

/// A row of another length than the first row of the file.
struct WrongRow {
  std::size_t line = 0;  ///< counted from 1
  std::size_t cells = 0;
};

/// What parse_plain makes of some lines.
struct PlainRows {
  ParsedRows rows;
  std::size_t lines = 0;          ///< with blank ones
  std::size_t empty = 0;          ///< rows without any value, which were skipped
  std::optional<WrongRow> wrong;  ///< the first; no row from there on is in `rows`
};

/// How plain lines are to be read.
struct PlainRules {
  char delimiter = ',';
  bool decimal_comma = false;
  bool thousands = false;
  bool keeps_texts = false;
  bool skips_empty = false;                                ///< rows without any value
  std::vector<TableColumn::Use> uses;                      ///< of the columns of the file
  std::vector<std::shared_ptr<const MissingCodes>> codes;  ///< of the same
};

/// Splits plain lines, each with its line feed, into rows and cells exactly as CsvCells does, and reads the cells as
/// Table does. Several threads may parse parts of a file at a time.
PlainRows parse_plain(std::string_view lines, const PlainRules& rules);

}  // namespace credence::data::detail
