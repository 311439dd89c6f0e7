#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "credence/data/reader.hpp"
#include "data/csv/csv_layout.hpp"
#include "data/csv/csv_table.hpp"
#include "data/csv/csv_text.hpp"
#include "data/source/source.hpp"

namespace credence::data::detail {

/// A CSV file as it stands: cells and what their columns are for.
struct CsvFile {
  Table table;
  Layout layout;
  std::vector<std::string> notes;  ///< not given to a data set yet
};

/// Splits CSV text into cells (RFC 4180), a few megabytes at a time. Lines without quotes are parsed in parallel, the
/// others cell by cell (CsvCells). What comes out is what CsvCells alone makes of the text, on any number of threads.
class CsvReader {
 public:
  /// @param source, options  must outlive the reader; the options say which delimiter and decimal sign there are
  /// @param dialect          what they do not say
  CsvReader(TextSource& source, const ReadOptions& options, const Dialect& dialect);
  ~CsvReader();
  CsvReader(const CsvReader&) = delete;
  CsvReader& operator=(const CsvReader&) = delete;

  /// Parses some more text. @return false if there was none
  /// @throws Error invalid_data for a stray or open quote, a row of another length, or no row at all
  bool advance();
  /// The rows that were parsed and not taken away. The columns are known from the first row on, or in files without
  /// numbers, which may have a header or not, at the end.
  CsvFile& file();
  bool knows_columns() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// What has been built of a file.
struct Built {
  std::size_t rows = 0;  ///< data rows of the file, kept or not
  std::size_t kept = 0;
  std::vector<bool> unseen_noted;  ///< for each feature whether a note named a level that the model does not know
};

/// A level of a categorical column that the model does not know.
struct UnseenLevel {
  std::string level;
  std::size_t line = 0;
  std::string known;  ///< "none of the 3 levels that the model knows (blue, green, red)"
};
/// The first of them in the rows that were parsed, of one feature; none if there is none.
std::optional<UnseenLevel> first_unseen(const Table& table, const Layout& layout, const Schema& schema,
                                        std::size_t feature);
/// The last words of UnseenLevel. @param levels  all that the model knows
std::string none_of_levels(const std::vector<std::string>& levels);

/// Throws the first problem of each column of the rows that were parsed so far, in the order of the file, if there are
/// any: one Error, at the place of the first.
/// @throws Error invalid_data
void check_columns(const CsvFile& file, const ReadOptions& options);
/// Whether check_columns throws.
bool has_problem(const CsvFile& file, const ReadOptions& options);

/// Takes those columns out of the features that say nothing about new rows, unless they are to be kept or were declared
/// categorical, and adds a note about each of them. For training rows that are parsed to their end.
/// @throws Error invalid_data if no feature is left
void leave_out_columns(CsvFile& file, const ReadOptions& options);

/// Takes the first `count` rows away, types their columns, treats missing values as asked, and codes levels and labels.
/// @throws Error invalid_data for the first offending cell of the file
Dataset build_dataset(CsvFile& file, std::size_t count, const ReadOptions& options, Built& built);
/// @throws Error invalid_data if all rows of the file were left out
void refuse_no_rows(const CsvFile& file, const Built& built);

}  // namespace credence::data::detail
