#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
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
  std::vector<std::size_t> kept;   ///< not left out for what they look like
  std::vector<std::size_t> texts;  ///< whose cells are given as they stand
  std::vector<std::string> notes;  ///< of names that stand twice
  /// For each column of the file the texts that mean a missing value, if there are any.
  std::vector<std::shared_ptr<const MissingCodes>> codes;
  std::vector<MissingCode> given_codes;  ///< whose columns are positions

  /// "column 'age'", or "column 3" without a name.
  std::string phrase(std::size_t position) const;
  /// Whether a header has no name there.
  bool is_unnamed(std::size_t position) const;
  Location where(std::size_t line, std::size_t position) const;
};

/// Whether a cell is `label`, `target`, `class` or `y`, in any case.
bool is_label_word(std::string_view cell);

/// The texts that mean a missing value in all columns.
MissingCodes codes_of_all_columns(const ReadOptions& options);

/// @param first_row     of the file; the names if `has_header`
/// @param empty_at_end  columns at the end without name and value, which are not taken for the label
/// @throws Error invalid_argument if an option names a column that is not there, invalid_data if a schema's is missing
Layout make_layout(const std::string& file, const std::vector<std::string>& first_row, bool has_header,
                   const ReadOptions& options, std::size_t empty_at_end);

}  // namespace credence::data::detail
