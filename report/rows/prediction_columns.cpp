#include "report/rows/prediction_columns.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "credence/core/atomic_file.hpp"
#include "credence/core/list.hpp"
#include "credence/data/reader.hpp"
#include "report/json.hpp"
#include "report/text.hpp"

namespace credence::report {
namespace {

/// A column for each class.
void add_per_class(Columns& columns, const std::string& prefix, const std::vector<std::string>& classes,
                   const data::DenseMatrix& values) {
  for (std::size_t c = 0; c < classes.size(); ++c)
    add_numbers(columns, prefix + classes[c], [&values, c](std::size_t row) { return values.row(row)[c]; });
}

}  // namespace

void add_numbers(Columns& columns, const std::string& name, Numbers value) {
  columns.push_back({name, {}, std::move(value)});
}

void add_numbers(Columns& columns, const std::string& name, const std::vector<double>& values) {
  add_numbers(columns, name, [&values](std::size_t row) { return values[row]; });
}

void add_labels(Columns& columns, const std::vector<std::string>& classes, const model::Prediction& prediction) {
  columns.push_back({"label", [&classes, &prediction](std::string& text, std::size_t row) {
                       text += classes[static_cast<std::size_t>(prediction.label[row])];
                     }});
}

void add_probabilities(Columns& columns, const std::vector<std::string>& classes, const model::Prediction& prediction) {
  if (prediction.probability.columns > 0) add_per_class(columns, "probability_", classes, prediction.probability);
  if (prediction.probability_lower.columns > 0) {
    add_per_class(columns, "probability_lower_", classes, prediction.probability_lower);
    add_per_class(columns, "probability_upper_", classes, prediction.probability_upper);
  }
  if (prediction.moderated.columns > 0) add_per_class(columns, "moderated_", classes, prediction.moderated);
}

void add_prediction_sets(Columns& columns, const std::vector<std::string>& classes, const model::Prediction& prediction,
                         const std::vector<double>& levels) {
  for (const double significance : levels) {
    columns.push_back({fmt::format("set_{}", core::confidence_level_of(significance)),
                       [&classes, &prediction, significance](std::string& text, std::size_t row) {
                         std::string set;
                         for (const int c : prediction.prediction_set(row, significance))
                           set += (set.empty() ? "" : "|") + classes[static_cast<std::size_t>(c)];
                         text += set;
                       }});
  }
}

void add_p_values(Columns& columns, const std::vector<std::string>& classes, const model::Prediction& prediction) {
  add_per_class(columns, "p_", classes, prediction.p_value);
}

void add_texts(Columns& columns, const data::Dataset& dataset) {
  std::unordered_set<std::string_view> taken;
  for (const data::TextColumn& column : dataset.texts) taken.insert(column.name);
  for (OutputColumn& column : columns)
    while (taken.contains(column.name)) column.name.insert(0, "predicted_");
  Columns all;
  for (const data::TextColumn& column : dataset.texts)
    all.push_back({column.name, [&column](std::string& text, std::size_t row) { text += column.cells[row]; }});
  all.insert(all.end(), std::make_move_iterator(columns.begin()), std::make_move_iterator(columns.end()));
  columns = std::move(all);
}

namespace {

/// The column of row numbers is called row, or file_row where a column is called row.
std::vector<std::string> names_of(const Columns& columns) {
  const bool taken = std::ranges::any_of(columns, [](const OutputColumn& column) { return column.name == "row"; });
  std::vector<std::string> names{taken ? "file_row" : "row"};
  for (const OutputColumn& column : columns) names.push_back(column.name);
  return names;
}

void write_number(double value, const TableStyle& style, std::string& text) {
  const std::size_t begin = text.size();
  if (style.digits)
    fmt::format_to(std::back_inserter(text), "{:.{}g}", value, *style.digits);
  else
    fmt::format_to(std::back_inserter(text), "{}", value);
  if (!style.written.decimal_comma) return;
  const std::size_t point = text.find('.', begin);
  if (point == std::string::npos) return;
  text[point] = ',';
  if (style.written.delimiter == ',') text = text.substr(0, begin) + data::csv_cell(text.substr(begin));
}

}  // namespace

std::string table_csv(const data::Dataset& dataset, const Columns& columns, const TableStyle& style) {
  return table_head(columns, style) + table_rows(dataset, columns, style);
}

std::string column_names(const Columns& columns, std::size_t first) {
  const std::vector<std::string> names = names_of(columns);
  return fmt::format("{}", fmt::join(names.begin() + static_cast<std::ptrdiff_t>(first) + 1, names.end(), ", "));
}

std::string table_head(const Columns& columns, const TableStyle& style) {
  std::string text = style.written.marked ? "\xef\xbb\xbf" : "";
  const std::vector<std::string> names = names_of(columns);
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (k > 0) text += style.written.delimiter;
    text += data::csv_cell(names[k], style.written.delimiter);
  }
  return text + '\n';
}

std::string table_rows(const data::Dataset& dataset, const Columns& columns, const TableStyle& style) {
  return table_rows(dataset, columns, style, core::numbers_below(dataset.rows()));
}

std::string table_rows(const data::Dataset& dataset, const Columns& columns, const TableStyle& style,
                       std::span<const std::size_t> rows) {
  std::string text;
  std::string cell;
  for (const std::size_t i : rows) {
    fmt::format_to(std::back_inserter(text), "{}", dataset.file_rows.empty() ? i + 1 : dataset.file_rows[i]);
    for (const OutputColumn& column : columns) {
      text += style.written.delimiter;
      if (column.number) {
        write_number(column.number(i), style, text);
        continue;
      }
      cell.clear();
      column.append(cell, i);
      text += data::csv_cell(cell, style.written.delimiter);
    }
    text += '\n';
  }
  return text;
}

}  // namespace credence::report
