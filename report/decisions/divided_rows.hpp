#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "credence/data/dataset.hpp"

/// Rows divided by the values of a column, or of a crossing of columns.
namespace credence::report {

/// What rows are divided by: "sex", "age" with cuts at 30 and 50 ("age=30:50"), or "sex*age".
struct DividedBy {
  struct Column {
    std::string name;
    std::vector<double> cuts;  ///< ascending; empty: a column of numbers is cut at its quartiles
  };
  std::vector<Column> columns;  ///< rows are divided by all of them together

  /// "sex * age"
  std::string name() const;
  /// The ways in a list such as "sex,age=30:50,sex*age". @throws Error invalid_argument
  static std::vector<DividedBy> parse(const std::string& text);
};
/// The columns of all ways, each once, for ReadOptions::texts.
std::vector<std::string> columns_of(const std::vector<DividedBy>& ways);

/// The rows with one value of a column, or with one value of each of several columns.
struct Part {
  std::string value;  ///< "f", "30 to 50", "f, 30 to 50"
  std::vector<std::size_t> rows;
};
/// Numbers are cut where a column has more than eight different numbers and nothing else. Empty values are a value.
/// @param dataset  with the columns in Dataset::texts
/// @throws Error invalid_data for a column that is not there, and for cuts of a column with other texts than numbers
std::vector<Part> parts_of(const DividedBy& by, const data::Dataset& dataset);

}  // namespace credence::report
