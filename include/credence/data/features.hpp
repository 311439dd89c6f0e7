#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace credence::data {

/// The numbers of a matrix: a vector of its own, or memory of the caller that is read and never written.
///
/// Reading never copies. The first call of a member that is not const copies the numbers of a borrowed list into a
/// vector of its own and gives up the borrowed memory. Copies of a borrowed list share the memory; copies of an owned
/// list are lists of their own. Code that writes in a loop calls `data()` or `row` once, before the loop.
class Values {
 public:
  using value_type = double;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  using reference = double&;
  using const_reference = const double&;
  using iterator = std::vector<double>::iterator;
  using const_iterator = const double*;

  Values() = default;
  explicit Values(std::size_t count, double value = 0);
  Values(std::vector<double> numbers);            // NOLINT(google-explicit-constructor)
  Values(std::initializer_list<double> numbers);  // NOLINT(google-explicit-constructor)

  /// Reads `count` numbers at `first`, which must not change while the list or a copy of it lives.
  /// @param owner  keeps the memory alive; nullptr if the caller outlives the list and its copies
  static Values borrowed(const double* first, std::size_t count, std::shared_ptr<const void> owner);
  bool is_borrowed() const { return borrowed_ != nullptr; }
  /// Copies borrowed numbers into a vector of the list's own, so that they may be kept longer than a call.
  void own() {
    if (borrowed_) [[unlikely]]
      copy_borrowed();
  }

  std::size_t size() const { return borrowed_ ? borrowed_size_ : own_.size(); }
  bool empty() const { return size() == 0; }
  const double* data() const { return borrowed_ ? borrowed_.get() : own_.data(); }
  const double* begin() const { return data(); }
  const double* end() const { return data() + size(); }
  const double& operator[](std::size_t i) const { return data()[i]; }
  const double& front() const { return data()[0]; }
  const double& back() const { return data()[size() - 1]; }

  double* data() { return writable().data(); }
  iterator begin() { return writable().begin(); }
  iterator end() { return writable().end(); }
  double& operator[](std::size_t i) { return writable()[i]; }
  double& front() { return writable().front(); }
  double& back() { return writable().back(); }
  void push_back(double value) { writable().push_back(value); }
  void pop_back() { writable().pop_back(); }
  void reserve(std::size_t count) { writable().reserve(count); }
  void resize(std::size_t count, double value = 0) { writable().resize(count, value); }
  void assign(std::size_t count, double value);
  template <std::input_iterator First>
  void assign(First first, First last) {
    *this = std::vector<double>(first, last);
  }
  void clear();
  template <std::input_iterator First>
  iterator insert(iterator place, First first, First last) {
    return writable().insert(place, first, last);
  }
  iterator insert(iterator place, std::initializer_list<double> numbers);
  void swap(Values& other) noexcept;

  friend bool operator==(const Values& a, const Values& b);

 private:
  std::vector<double>& writable() {
    own();
    return own_;
  }
  void copy_borrowed();

  std::vector<double> own_;
  std::shared_ptr<const double> borrowed_;  ///< shares the owner's reference count; null if the numbers are in `own_`
  std::size_t borrowed_size_ = 0;
};

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

  /// Returns what is wrong with offsets and indices; nothing if every row can be read. Code that gets a matrix from a
  /// caller must check it.
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
  /// Copies borrowed memory (DenseMatrix::borrowed), so that the numbers may be kept longer than a call.
  void own();

  /// Returns the given rows in the given order, in the same kind of storage. A row may be given more than once.
  Features select_rows(std::span<const std::size_t> rows) const;
  /// Returns the same numbers as a dense matrix.
  DenseMatrix to_dense() const;

 private:
  std::variant<DenseMatrix, SparseMatrix> matrix_;
};

}  // namespace credence::data
