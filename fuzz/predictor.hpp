#pragma once

#include <memory>
#include <numeric>
#include <string>

#include "credence/conformal/confidence.hpp"
#include "credence/data/preprocessing.hpp"
#include "credence/io/model_file.hpp"
#include "fuzz.hpp"

/// What a predictor that was read must keep.
namespace credence::fuzz {

/// Rows that the model takes: zeros, ones, and a row of the highest level of each column.
inline data::Dataset rows_for(const model::Predictor& predictor) {
  constexpr std::size_t count = 3;
  const std::size_t columns = predictor.schema.columns.size();
  data::DenseMatrix matrix(count, columns);
  for (std::size_t j = 0; j < columns; ++j) {
    const data::Column& column = predictor.schema.columns[j];
    const bool number = column.kind == data::ColumnKind::numeric;
    matrix.row(1)[j] = number ? 1.0 : 0.0;
    matrix.row(2)[j] = number ? -2.5 : static_cast<double>(column.levels.empty() ? 0 : column.levels.size() - 1);
  }
  data::Dataset dataset;
  dataset.features = std::move(matrix);
  dataset.schema = predictor.schema;
  dataset.file_rows.resize(count);
  std::iota(dataset.file_rows.begin(), dataset.file_rows.end(), std::size_t{1});
  return dataset;
}

inline void check_predictor(const model::Predictor& predictor) {
  require(io::inconsistency(predictor).empty(), "a predictor that was read does not contradict itself");
  require(!predictor.description().empty(), "a predictor has a description");
  const std::string bytes = io::model_bytes(predictor);
  const std::unique_ptr<model::Predictor> again = io::model_of_bytes(bytes, "again");
  require(io::model_bytes(*again) == bytes, "a model that was read, written and read is the same model");
  if (predictor.schema.columns.size() > 1000) return;
  const core::Threads threads(1);
  core::Monitor monitor({}, 2.0);
  const core::Context context{.threads = threads, .monitor = monitor, .memory_budget = std::size_t{1} << 24U};
  const data::Dataset rows = rows_for(predictor);
  for (std::size_t j = 0; j < rows.schema.columns.size(); ++j)
    if (rows.schema.columns[j].kind == data::ColumnKind::categorical && rows.schema.columns[j].levels.empty()) return;
  refusal([&] {
    const model::Prediction prediction = predictor.predict(rows, context);
    require(prediction.label.empty() || prediction.label.size() == rows.rows(), "a prediction: one a row");
    for (const int label : prediction.label)
      require(label >= -1 && label < static_cast<int>(predictor.schema.classes.size()), "a predicted label is a class");
  });
}

}  // namespace credence::fuzz
