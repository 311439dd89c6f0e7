#include "credence/data/features.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include "credence/data/row_key.hpp"

namespace credence::data {

DenseMatrix DenseMatrix::select_rows(std::span<const std::size_t> rows_wanted) const {
  DenseMatrix result(rows_wanted.size(), columns);
  for (std::size_t i = 0; i < rows_wanted.size(); ++i) {
    assert(rows_wanted[i] < rows);
    std::ranges::copy(row(rows_wanted[i]), result.row(i).begin());
  }
  return result;
}

namespace {

DenseMatrix select(const DenseMatrix& matrix, std::span<const std::size_t> rows) {
  return matrix.select_rows(rows);
}

SparseMatrix select(const SparseMatrix& matrix, std::span<const std::size_t> rows) {
  SparseMatrix result;
  result.rows = rows.size();
  result.columns = matrix.columns;
  result.offsets.reserve(rows.size() + 1);
  for (const std::size_t i : rows) {
    assert(i < matrix.rows);
    const auto indices = matrix.row_indices(i);
    const auto values = matrix.row_values(i);
    result.indices.insert(result.indices.end(), indices.begin(), indices.end());
    result.values.insert(result.values.end(), values.begin(), values.end());
    result.offsets.push_back(result.values.size());
  }
  return result;
}

}  // namespace

std::string SparseMatrix::problem() const {
  if (offsets.size() != rows + 1 || offsets.front() != 0 || offsets.back() != indices.size() ||
      indices.size() != values.size() || !std::ranges::is_sorted(offsets)) {
    return "the sparse rows are damaged";
  }
  for (std::size_t i = 0; i < rows; ++i) {
    const auto of_row = row_indices(i);
    for (std::size_t k = 0; k < of_row.size(); ++k)
      if (of_row[k] >= columns || (k > 0 && of_row[k] <= of_row[k - 1]))
        return "a row refers to a column that does not exist";
  }
  return {};
}

Features::Features(DenseMatrix matrix) : matrix_(std::move(matrix)) {}
Features::Features(SparseMatrix matrix) : matrix_(std::move(matrix)) {}

void Features::own() {
  if (auto* matrix = std::get_if<DenseMatrix>(&matrix_)) matrix->values.own();
}

std::size_t Features::rows() const {
  return std::visit([](const auto& matrix) { return matrix.rows; }, matrix_);
}

std::size_t Features::columns() const {
  return std::visit([](const auto& matrix) { return matrix.columns; }, matrix_);
}

std::span<const double> Features::stored() const {
  return std::visit([](const auto& matrix) { return std::span<const double>(matrix.values); }, matrix_);
}

Features Features::view() const {
  if (is_sparse()) return *this;
  return DenseMatrix::borrowed(dense().values.data(), rows(), columns(), nullptr);
}

Features Features::select_rows(std::span<const std::size_t> rows) const {
  return std::visit([rows](const auto& matrix) { return Features(select(matrix, rows)); }, matrix_);
}

DenseMatrix Features::to_dense() const {
  if (!is_sparse()) return dense();
  DenseMatrix result(rows(), columns());
  for (std::size_t i = 0; i < rows(); ++i)
    for_each_entry(*this, i, [out = result.row(i)](std::size_t j, double value) { out[j] = value; });
  return result;
}

}  // namespace credence::data
