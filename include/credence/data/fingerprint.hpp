#pragma once

#include "credence/core/fingerprint.hpp"
#include "credence/data/dataset.hpp"

namespace credence::data {

/// Adds everything that training uses: features, classes, labels, targets, weights, hint, groups, folds and splits.
void add_to(core::Fingerprint& sum, const Dataset& dataset);
/// Adds the same, and the names, kinds and levels of the columns.
void add_with_columns(core::Fingerprint& sum, const Dataset& dataset);

// Members of types that are sent as bytes (credence/core/recall.hpp).

void visit_dense(auto& bytes, DenseMatrix& matrix) {
  std::vector<double> values(matrix.values.begin(), matrix.values.end());
  std::size_t rows = matrix.rows;
  std::size_t columns = matrix.columns;
  bytes(rows, columns, values);
  if (values.size() != rows * columns)
    throw Error(ErrorCode::format, "a matrix among the bytes of a shard has another number of values than it says");
  if (rows == matrix.rows && columns == matrix.columns) return;  // the bytes were written
  matrix = DenseMatrix(rows, columns);
  std::copy(values.begin(), values.end(), matrix.values.begin());
}
void visit(auto& bytes, DenseMatrix& matrix) {
  visit_dense(bytes, matrix);
}

void visit(auto& bytes, SparseMatrix& matrix) {
  bytes(matrix.rows, matrix.columns, matrix.offsets, matrix.indices, matrix.values);
}

void visit(auto& bytes, Features& features) {
  bool sparse = features.is_sparse();
  bytes(sparse);
  if (sparse && !features.is_sparse()) features = Features(SparseMatrix());
  if (sparse)
    bytes(features.sparse());
  else
    bytes(features.dense());
}

}  // namespace credence::data
