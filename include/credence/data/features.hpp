#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "credence/data/values.hpp"

namespace credence::data {

/// An n x d matrix of doubles, stored row by row.
struct DenseMatrix {
  std::size_t rows = 0;
  std::size_t columns = 0;
  Values values;  ///< rows * columns

  DenseMatrix() = default;
  DenseMatrix(std::size_t row_count, std::size_t column_count)
      : rows(row_count), columns(column_count), values(row_count * column_count) {}
  /// Reads rows x columns numbers of the caller, one row after the other, without a copy (data::Values). Models keep
  /// copies of the rows that they need, so that the memory may change after a call of training or prediction.
  /// @param owner  keeps the memory alive; nullptr if the caller outlives the matrix and its copies
  static DenseMatrix borrowed(const double* first, std::size_t row_count, std::size_t column_count,
                              std::shared_ptr<const void> owner) {
    DenseMatrix matrix;
    matrix.rows = row_count;
    matrix.columns = column_count;
    matrix.values = Values::borrowed(first, row_count * column_count, std::move(owner));
    return matrix;
  }

  std::span<const double> row(std::size_t i) const { return {values.data() + i * columns, columns}; }
  std::span<double> row(std::size_t i) { return {values.data() + i * columns, columns}; }
  DenseMatrix select_rows(std::span<const std::size_t> rows_wanted) const;
};

/// An n x d matrix in compressed sparse rows; within a row the column indices ascend strictly.
struct SparseMatrix {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::vector<std::size_t> offsets{0};  ///< rows + 1 numbers: where each row begins, and the end
  std::vector<std::uint32_t> indices;   ///< 0-based columns
  std::vector<double> values;

  /// Returns what is wrong with offsets and indices; nothing if every row can be read. Those who take a matrix from
  /// outside ask first.
  std::string problem() const;
  std::span<const std::uint32_t> row_indices(std::size_t i) const {
    return {indices.data() + offsets[i], offsets[i + 1] - offsets[i]};
  }
  std::span<const double> row_values(std::size_t i) const {
    return {values.data() + offsets[i], offsets[i + 1] - offsets[i]};
  }
};

/// A table of numbers, n x d, dense or sparse.
class Features {
 public:
  Features() = default;
  Features(DenseMatrix matrix);   // NOLINT(google-explicit-constructor)
  Features(SparseMatrix matrix);  // NOLINT(google-explicit-constructor)

  std::size_t rows() const;
  std::size_t columns() const;
  bool is_sparse() const { return std::holds_alternative<SparseMatrix>(matrix_); }
  const DenseMatrix& dense() const { return std::get<DenseMatrix>(matrix_); }
  const SparseMatrix& sparse() const { return std::get<SparseMatrix>(matrix_); }
  DenseMatrix& dense() { return std::get<DenseMatrix>(matrix_); }
  SparseMatrix& sparse() { return std::get<SparseMatrix>(matrix_); }
  /// The stored numbers: all of a dense matrix, those that are not 0 of a sparse one.
  std::span<const double> stored() const;
  /// The same numbers without a copy, if they are dense. These features must outlive the view and its copies.
  Features view() const;
  /// Copies borrowed memory (DenseMatrix::borrowed), for those who keep the numbers longer than a call.
  void own();

  /// Returns the given rows in the given order, in the same kind of storage. A row may be given more than once.
  Features select_rows(std::span<const std::size_t> rows) const;
  /// Returns the same numbers as a dense matrix.
  DenseMatrix to_dense() const;

 private:
  std::variant<DenseMatrix, SparseMatrix> matrix_;
};

}  // namespace credence::data
