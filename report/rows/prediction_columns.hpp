#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "credence/core/describe.hpp"
#include "credence/data/dataset.hpp"
#include "credence/data/reader.hpp"
#include "credence/model/predictor.hpp"

/// Tables with one line for each predicted row.
namespace credence::report {

using Numbers = std::function<double(std::size_t row)>;

/// A column of the output: its name, and what appends a row's text, or the numbers in its place.
struct OutputColumn {
  std::string name;
  std::function<void(std::string& text, std::size_t row)> append;
  Numbers number{};
};

using Columns = std::vector<OutputColumn>;

/// How a table is written.
struct TableStyle {
  data::Written written{};
  std::optional<int> digits{};  ///< of numbers; none: as many as tell numbers apart

  static void describe(auto&& field) {
    field("digits", &TableStyle::digits, "significant digits of numbers (default: all)", core::from_to(1, 17));
  }
};

// What is given by reference must outlive the columns.

void add_numbers(Columns& columns, const std::string& name, Numbers value);
void add_numbers(Columns& columns, const std::string& name, const std::vector<double>& values);
void add_labels(Columns& columns, const std::vector<std::string>& classes, const model::Prediction& prediction);
/// probability_CLASS of each class, then probability_lower_CLASS, probability_upper_CLASS and moderated_CLASS, of
/// predictions that have them.
void add_probabilities(Columns& columns, const std::vector<std::string>& classes, const model::Prediction& prediction);
/// A column for each significance level, named by its confidence level: the classes of the set, joined by |.
void add_prediction_sets(Columns& columns, const std::vector<std::string>& classes, const model::Prediction& prediction,
                         const std::vector<double>& levels);
void add_p_values(Columns& columns, const std::vector<std::string>& classes, const model::Prediction& prediction);

/// Puts the texts of the caller's columns before the others, of which those with a name of the caller's get the prefix
/// predicted_.
void add_texts(Columns& columns, const data::Dataset& dataset);

/// CSV: the number of each row in its file, then the columns.
std::string table_csv(const data::Dataset& dataset, const Columns& columns, const TableStyle& style);
/// Its first line, and the others. The column of row numbers is called row, or file_row where a column is called row.
std::string table_head(const Columns& columns, const TableStyle& style);
std::string table_rows(const data::Dataset& dataset, const Columns& columns, const TableStyle& style);
/// The same of these rows, in their order.
std::string table_rows(const data::Dataset& dataset, const Columns& columns, const TableStyle& style,
                       std::span<const std::size_t> rows);
/// Those from a column on: "label, p_a"
std::string column_names(const Columns& columns, std::size_t first);

}  // namespace credence::report
