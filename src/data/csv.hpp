#pragma once

#include "credence/data/reader.hpp"
#include "data/csv_layout.hpp"
#include "data/csv_table.hpp"
#include "data/source.hpp"

namespace credence::data::detail {

/// A CSV file as it stands: cells and what their columns are for.
struct CsvFile {
  Table table;
  Layout layout;
};

/// Splits CSV text into cells (RFC 4180, with libcsv).
/// @throws Error invalid_data for a stray or open quote, a row of another length, or no row at all
CsvFile load_csv(TextSource& source, char delimiter, const ReadOptions& options);

/// Types the columns, treats missing cells as asked, and codes levels and labels.
/// @throws Error invalid_data for the first offending cell of the file
Dataset build_dataset(CsvFile file, const ReadOptions& options);

}  // namespace credence::data::detail
