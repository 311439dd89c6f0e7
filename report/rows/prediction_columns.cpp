#include "report/rows/prediction_columns.hpp"

#include <fmt/format.h>

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
  columns.push_back({name, [value = std::move(value)](std::string& text, std::size_t row) {
                       fmt::format_to(std::back_inserter(text), "{}", value(row));
                     }});
}

void add_labels(Columns& columns, const std::vector<std::string>& classes, const model::Prediction& prediction) {
  columns.push_back(
      {"label", [spellings = core::mapped(classes, data::csv_cell), &prediction](std::string& text, std::size_t row) {
         text += spellings[static_cast<std::size_t>(prediction.label[row])];
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

void add_moments(Columns& columns, const model::Prediction& prediction) {
  add_numbers(columns, "mean", [&](std::size_t row) { return prediction.mean[row]; });
  add_numbers(columns, "sd", [&](std::size_t row) { return prediction.sd[row]; });
}

void add_confidence(Columns& columns, const model::Prediction& prediction) {
  add_numbers(columns, "confidence", [&](std::size_t row) { return prediction.confidence[row]; });
  add_numbers(columns, "credibility", [&](std::size_t row) { return prediction.credibility[row]; });
}

void add_familiarity(Columns& columns, const model::Prediction& prediction) {
  add_numbers(columns, "familiarity", [&](std::size_t row) { return prediction.familiarity[row]; });
}

void add_prediction_sets(Columns& columns, const std::vector<std::string>& classes, const model::Prediction& prediction,
                         const std::vector<double>& levels) {
  for (const double significance : levels) {
    columns.push_back({fmt::format("set_{}", core::confidence_level_of(significance)),
                       [&classes, &prediction, significance](std::string& text, std::size_t row) {
                         std::string set;
                         for (const int c : prediction.prediction_set(row, significance))
                           set += (set.empty() ? "" : "|") + classes[static_cast<std::size_t>(c)];
                         text += data::csv_cell(set);
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
    all.push_back(
        {column.name, [&column](std::string& text, std::size_t row) { text += data::csv_cell(column.cells[row]); }});
  all.insert(all.end(), std::make_move_iterator(columns.begin()), std::make_move_iterator(columns.end()));
  columns = std::move(all);
}

std::string table_csv(const data::Dataset& dataset, const Columns& columns) {
  return table_head(columns) + table_rows(dataset, columns);
}

std::string table_head(const Columns& columns) {
  const bool taken = std::ranges::any_of(columns, [](const OutputColumn& column) { return column.name == "row"; });
  std::string text = taken ? "file_row" : "row";
  for (const OutputColumn& column : columns) text += ',' + data::csv_cell(column.name);
  return text + '\n';
}

std::string table_rows(const data::Dataset& dataset, const Columns& columns) {
  std::string text;
  for (std::size_t i = 0; i < dataset.rows(); ++i) {
    fmt::format_to(std::back_inserter(text), "{}", dataset.file_rows.empty() ? i + 1 : dataset.file_rows[i]);
    for (const OutputColumn& column : columns) {
      text += ',';
      column.append(text, i);
    }
    text += '\n';
  }
  return text;
}

}  // namespace credence::report
