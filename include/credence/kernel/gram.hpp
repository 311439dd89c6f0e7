#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "credence/core/aligned.hpp"
#include "credence/core/context.hpp"
#include "credence/data/features.hpp"
#include "credence/kernel/kernel.hpp"

namespace credence::kernel {

/// Rows are padded with zeros to a multiple of this number of floats, so that SIMD loops have no tails.
inline constexpr std::size_t row_padding = 16;
inline constexpr std::size_t padded(std::size_t n) {
  return (n + row_padding - 1) / row_padding * row_padding;
}

/// The rows of a symmetric kernel matrix. An implementation takes them from a Gram in memory, or computes and caches
/// them. One object serves one thread.
class Rows {
 public:
  virtual ~Rows() = default;
  /// Returns the number of rows and columns, n.
  virtual std::size_t size() const = 0;
  /// Returns row i: padded(size()) floats, 64-byte aligned, with zeros behind the n-th. The pointer is valid until the
  /// third call after this one.
  virtual const float* row(std::size_t i) = 0;
  /// Announces the rows that the caller asks for next: those that are not cached may be computed together, which takes
  /// less time than one after the other. Pointers that `row` returned before must not be used any more.
  virtual void expect(std::span<const std::size_t> /*which*/) {}
  /// Tells how many bytes the caller holds beside the rows: rows that are kept within a budget leave room for them.
  virtual void leave_room(std::size_t /*bytes*/) {}
  static constexpr std::size_t expected_at_once = 48;  ///< more together save no further time
  /// Returns all K(i, i): padded(size()) floats.
  virtual const float* diagonal() const = 0;
  /// Makes a matrix of the rows and columns `keep` alone. The object must outlive this matrix, which copies rows when a
  /// caller asks for them.
  virtual std::unique_ptr<Rows> subset(std::span<const std::size_t> keep) = 0;
};

/// A symmetric n x n matrix of floats with padded, aligned rows. A new matrix is uninitialised.
struct SquareMatrix {
  std::size_t n = 0;
  std::size_t stride = 0;  ///< padded(n)
  core::UninitializedVector<float> values;

  SquareMatrix() = default;
  explicit SquareMatrix(std::size_t size) : n(size), stride(padded(size)), values(n * stride) {}
  const float* row(std::size_t i) const { return values.data() + i * stride; }
  float* row(std::size_t i) { return values.data() + i * stride; }
};

/// The values that all kernels of one type share, whatever their gamma: squared distances (rbf), Manhattan distances
/// (laplacian), dot products (linear, polynomial, sigmoid) or the kernel values themselves (precomputed). One Base
/// serves one fitted preprocessing. The object keeps only the part right of the diagonal, with rows packed one behind
/// the other: n^2 / 2 floats.
class Base {
 public:
  /// Computes the values in double and rounds them to float. If the monitor says stop, the object is left unfinished
  /// and must not be used.
  /// @throws Error invalid_data if a precomputed matrix is not square and symmetric (to 1e-6 relative)
  /// Cost: n^2 d / 2 SIMD steps.
  Base(KernelType type, const data::Features& features, const core::Threads& threads, const core::Monitor& monitor);
  /// Computes the values on one thread, without a monitor.
  Base(KernelType type, const data::Features& features);

  KernelType type() const { return type_; }
  std::size_t size() const { return n_; }
  float at(std::size_t i, std::size_t j) const {
    return i <= j ? row(i)[j - first_column(i)] : row(j)[i - first_column(j)];
  }

  /// Returns the column where the kept part of row i begins: the multiple of row_padding at or before i.
  static std::size_t first_column(std::size_t i) { return i / row_padding * row_padding; }
  std::size_t row_width(std::size_t i) const { return padded(n_) - first_column(i); }
  /// Returns row i from first_column(i) on: row_width(i) floats, 64-byte aligned, with zeros behind the n-th column.
  const float* row(std::size_t i) const { return values_.data() + offset(i); }

 private:
  std::size_t offset(std::size_t i) const {
    const std::size_t first = first_column(i);  // of each width n', n' - 16, ... there are 16 rows before
    return first == 0 ? i * padded(n_)
                      : first * padded(n_) - first * (first - row_padding) / 2 + (i - first) * row_width(i);
  }

  KernelType type_;
  std::size_t n_;
  core::UninitializedVector<float> values_;
};

/// The kernel matrix of one gamma; all C share it and only read it. Resamples whose preprocessing is the same share it
/// too; with a scaling fitted in each fold, each has its own.
class Gram {
 public:
  /// Cost: n^2 / 2 evaluations of the kernel function (SIMD).
  Gram(const Kernel& kernel, const Base& base);
  std::size_t size() const { return matrix_.n; }
  const SquareMatrix& matrix() const { return matrix_; }
  std::span<const float> diagonal() const { return {diagonal_.data(), diagonal_.size()}; }

  /// Makes room for a Gram. `build` then makes each of its `blocks()` parts once, in any order and on any threads.
  struct Deferred {};
  Gram(Deferred, std::size_t n);
  std::size_t blocks() const;
  void build(std::size_t block, const Kernel& kernel, const Base& base);

 private:
  SquareMatrix matrix_;
  core::AlignedVector<float> diagonal_;
};

/// @throws Error invalid_data unless the features are a square symmetric matrix (to 1e-6 relative)
void check_precomputed(const data::Features& features);

/// Whether a square symmetric matrix has no eigenvalue below -1e-6 times its largest diagonal entry. The check adds
/// that amount to the diagonal and tries a Cholesky factorisation. Cost: n^3 / 3.
bool is_positive_semidefinite(const data::DenseMatrix& values);

/// Returns the bytes of a Gram of n rows; a Base needs no more.
std::size_t gram_bytes(std::size_t n);

/// Makes a view of a Gram as Rows. The Gram must outlive the view.
std::unique_ptr<Rows> rows_of(const Gram& gram);

/// Makes rows that are computed when a caller asks for them, by SIMD over the features. The rows used last, also by
/// subsets, are kept within `budget` bytes, which must hold four rows. At most a third of the matrix is kept, or 256
/// MiB if that is more. A training that visits few rows computes few rows.
/// @throws Error memory if the budget does not hold four rows
std::unique_ptr<Rows> cached_rows(const Kernel& kernel, const data::Features& features, std::size_t budget);

}  // namespace credence::kernel
