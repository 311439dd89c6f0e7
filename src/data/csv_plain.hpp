#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "data/csv_table.hpp"

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
  std::optional<WrongRow> wrong;  ///< the first; no row from there on is in `rows`
};

/// Splits plain lines, each with its line feed, into rows and cells exactly as libcsv does, and reads the cells as
/// Table does. Several threads may parse parts of a file at a time.
/// @param uses  of the columns of the file
PlainRows parse_plain(std::string_view lines, char delimiter, const std::vector<TableColumn::Use>& uses);

}  // namespace credence::data::detail
