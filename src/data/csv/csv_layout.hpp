#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "credence/core/error.hpp"
#include "credence/data/reader.hpp"
#include "data/csv/csv_table.hpp"

namespace credence::data::detail {

/// What each column of a CSV file is for. Positions are 0-based.
struct Layout {
  std::string file;
  bool has_header = false;
  std::vector<std::string> names;     ///< of all columns of the file
  std::vector<std::size_t> features;  ///< positions, in the order of the data set's columns
  std::vector<bool> categorical;      ///< one for each feature: keep its cells as text
  std::optional<std::size_t> label;
  bool label_is_name = false;  ///< declared categorical
  std::optional<std::size_t> weights;
  std::optional<std::size_t> hint;
  std::optional<std::size_t> groups;
  std::optional<std::size_t> folds;
  std::vector<std::size_t> texts;  ///< whose cells are given as they stand
  std::vector<std::string> notes;  ///< of names that stand twice

  /// "column 'age'", or "column 3" without a header.
  std::string phrase(std::size_t position) const;
  Location where(std::size_t line, std::size_t position) const;
};

/// What a first row says about itself, before the rows below it are known.
enum class FirstRow { header, data, undecided };
FirstRow judge_first_row(const std::vector<std::string>& cells, const ReadOptions& options);

/// Whether a first row that was undecided, above a table without any number, is a header: true if none of its values
/// appears again below it, or a label word does not. (In tables of y and n, y is no name.)
bool is_header_of(const std::vector<std::string>& cells, const Table& table);

/// @param first_row  of the file; the names if `has_header`
/// @throws Error invalid_argument if an option names a column that is not there, invalid_data if a schema's is missing
Layout make_layout(const std::string& file, const std::vector<std::string>& first_row, bool has_header,
                   const ReadOptions& options);

}  // namespace credence::data::detail
