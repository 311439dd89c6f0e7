#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "credence/core/error.hpp"
#include "credence/data/preprocessing.hpp"
#include "credence/data/row_key.hpp"
#include "data/cell.hpp"

namespace credence::data {

namespace {

class Applier {
 public:
  Applier(const Preprocessing& preprocessing, const Dataset& dataset, UnknownLevel unknown)
      : preprocessing_(preprocessing), dataset_(dataset), unknown_(unknown) {}

  Features apply() const {
    if (dataset_.features.columns() != preprocessing_.raw.size()) {
      throw Error(ErrorCode::invalid_argument,
                  fmt::format("the data have {}; the preprocessing was fitted on {}",
                              detail::count_of(dataset_.features.columns(), "column"), preprocessing_.raw.size()),
                  {.file = dataset_.source});
    }
    if (changes_nothing()) return dataset_.features;
    if (!preprocessing_.sparse) return dense_from_any();
    return dataset_.features.is_sparse() ? sparse_from_sparse() : sparse_from_dense();
  }

 private:
  /// Whether the result is the dense matrix of raw numbers, which is then shared if the matrix is borrowed. Numbers
  /// that are not finite go the long way: missing values are filled, and infinite ones are refused with their place.
  bool changes_nothing() const {
    if (preprocessing_.sparse || dataset_.features.is_sparse() || !preprocessing_.quantiles.empty()) return false;
    const auto& raw = preprocessing_.raw;
    for (std::size_t j = 0; j < raw.size(); ++j)
      if (raw[j].kind != ColumnKind::numeric || raw[j].output != j) return false;
    const auto is = [](double wanted) { return [wanted](double value) { return value == wanted; }; };
    return std::ranges::all_of(preprocessing_.shift, is(0)) && std::ranges::all_of(preprocessing_.scale, is(1)) &&
           std::ranges::all_of(dataset_.features.stored(), [](double value) { return std::isfinite(value); });
  }

  double scaled(double value, std::size_t output, std::size_t row, std::size_t column) const {
    const double scale = preprocessing_.scale[output];
    if (scale == 0) return 0;
    const bool by_score = !preprocessing_.quantiles.empty() && !preprocessing_.quantiles[output].values.empty();
    const double number = by_score && std::isfinite(value) ? preprocessing_.quantiles[output].of(value) : value;
    const double result = (number - preprocessing_.shift[output]) * scale;
    if (!std::isfinite(result))
      refuse(row, column, fmt::format("the number {} becomes infinite when it is scaled", value));
    return result;
  }

  [[noreturn]] void refuse(std::size_t row, std::size_t column, const std::string& sentence) const {
    const std::size_t file_row = dataset_.file_rows.empty() ? row + 1 : dataset_.file_rows[row];
    throw Error(ErrorCode::invalid_data, fmt::format("data row {}: {}", file_row, sentence),
                {dataset_.source, 0, dataset_.schema.columns.at(column).name});
  }

  /// The output column of a level, -1 if it has none.
  std::int32_t hot_output(double cell, std::size_t row, std::size_t column) const {
    const Preprocessing::RawColumn& raw = preprocessing_.raw[column];
    const auto level = static_cast<std::size_t>(std::isnan(cell) ? raw.fill : cell);
    const std::int32_t output = level < raw.level_output.size() ? raw.level_output[level] : -1;
    if (output < 0 && !std::isnan(cell) && unknown_ == UnknownLevel::error) {
      const std::vector<std::string>& levels = dataset_.schema.columns.at(column).levels;
      const std::string name = level < levels.size() ? detail::in_quotes(levels[level]) : fmt::format("{}", level);
      refuse(row, column,
             fmt::format("{} holds {}, which did not occur in training", dataset_.column_label(column), name));
    }
    return output;
  }

  void transform(std::span<const double> cells, std::size_t row, std::span<double> out) const {
    for (std::size_t j = 0; j < cells.size(); ++j) {
      const Preprocessing::RawColumn& raw = preprocessing_.raw[j];
      if (raw.kind == ColumnKind::numeric) {
        out[raw.output] = scaled(std::isnan(cells[j]) ? raw.fill : cells[j], raw.output, row, j);
        continue;
      }
      const std::int32_t hot = hot_output(cells[j], row, j);
      for (const std::int32_t output : raw.level_output) {
        if (output < 0) continue;
        const auto k = static_cast<std::size_t>(output);
        out[k] = scaled(output == hot ? 1 : 0, k, row, j);
      }
    }
  }

  Features dense_from_any() const {
    const std::size_t n = dataset_.rows();
    DenseMatrix result(n, preprocessing_.columns());
    std::vector<double> cells(dataset_.features.columns());
    for (std::size_t i = 0; i < n; ++i) {
      if (!dataset_.features.is_sparse()) {
        transform(dataset_.features.dense().row(i), i, result.row(i));
        continue;
      }
      for_each_entry(dataset_.features, i, [&](std::size_t j, double value) { cells[j] = value; });
      transform(cells, i, result.row(i));
      for_each_entry(dataset_.features, i, [&](std::size_t j, double) { cells[j] = 0; });
    }
    return result;
  }

  static void append(SparseMatrix& matrix, std::size_t column, double value) {
    if (value == 0) return;
    matrix.indices.push_back(static_cast<std::uint32_t>(column));
    matrix.values.push_back(value);
  }

  Features sparse_from_dense() const {
    const DenseMatrix& matrix = dataset_.features.dense();
    SparseMatrix result;
    result.rows = matrix.rows;
    result.columns = preprocessing_.columns();
    std::vector<double> out(result.columns);
    for (std::size_t i = 0; i < matrix.rows; ++i) {
      transform(matrix.row(i), i, out);
      for (std::size_t k = 0; k < out.size(); ++k) append(result, k, out[k]);
      result.offsets.push_back(result.values.size());
    }
    return result;
  }

  /// Sparse data have numeric columns only, so column j is output j.
  Features sparse_from_sparse() const {
    SparseMatrix result;
    result.rows = dataset_.rows();
    result.columns = preprocessing_.columns();
    for (std::size_t i = 0; i < result.rows; ++i) {
      for_each_entry(dataset_.features, i, [&](std::size_t j, double value) {
        const Preprocessing::RawColumn& raw = preprocessing_.raw[j];
        append(result, raw.output, scaled(std::isnan(value) ? raw.fill : value, raw.output, i, j));
      });
      result.offsets.push_back(result.values.size());
    }
    return result;
  }

  const Preprocessing& preprocessing_;
  const Dataset& dataset_;
  UnknownLevel unknown_;
};

}  // namespace

double NormalScores::of(double value) const {
  const auto above = static_cast<std::size_t>(std::ranges::upper_bound(values, value) - values.begin());
  if (above == 0) return scores.front();
  if (above == values.size()) return scores.back();
  const double share = (value - values[above - 1]) / (values[above] - values[above - 1]);
  return scores[above - 1] + share * (scores[above] - scores[above - 1]);
}

Features Preprocessing::apply(const Dataset& dataset, UnknownLevel unknown) const {
  return Applier(*this, dataset, unknown).apply();
}

Features Preprocessing::apply(const Features& rows) const {
  Dataset numbers;
  numbers.features = rows.view();
  for (std::size_t j = 0; j < rows.columns(); ++j)
    numbers.schema.columns.push_back({j < names.size() ? names[j] : std::string(), ColumnKind::numeric, {}});
  Features scaled = Applier(*this, numbers, UnknownLevel::error).apply();
  scaled.own();
  return scaled;
}

}  // namespace credence::data
