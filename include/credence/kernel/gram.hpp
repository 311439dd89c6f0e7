#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "credence/core/aligned.hpp"
#include "credence/core/context.hpp"
#include "credence/data/features.hpp"
#include "credence/kernel/kernel.hpp"
#include "credence/kernel/rows.hpp"

namespace credence::kernel {

/// A symmetric n x n matrix of floats with padded, aligned rows; uninitialised when made.
struct SquareMatrix {
  std::size_t n = 0;
  std::size_t stride = 0;  ///< padded(n)
  core::UninitializedVector<float> values;

  SquareMatrix() = default;
  explicit SquareMatrix(std::size_t size) : n(size), stride(padded(size)), values(n * stride) {}
  const float* row(std::size_t i) const { return values.data() + i * stride; }
  float* row(std::size_t i) { return values.data() + i * stride; }
};

/// What all kernels of a type share whatever their gamma: squared distances (rbf), Manhattan distances (laplacian),
/// dot products (the others) or the values themselves (precomputed). Computed once per fitted preprocessing.
/// Only the part right of the diagonal is kept, rows packed one behind the other: n^2 / 2 floats.
class Base {
 public:
  /// Cost: n^2 d / 2 SIMD steps, in double, rounded to float.
  /// @throws Error invalid_data if a precomputed matrix is not square and symmetric (to 1e-6 relative)
  /// Unfinished, and not to be used, if the monitor says stop meanwhile.
  Base(KernelType type, const data::Features& features, const core::Threads& threads, const core::Monitor& monitor);
  /// The same on one thread, to the end.
  Base(KernelType type, const data::Features& features);

  KernelType type() const { return type_; }
  std::size_t size() const { return n_; }
  float at(std::size_t i, std::size_t j) const {
    return i <= j ? row(i)[j - first_column(i)] : row(j)[i - first_column(j)];
  }

  /// Where the kept part of row i begins: the multiple of row_padding at or before i.
  static std::size_t first_column(std::size_t i) { return i / row_padding * row_padding; }
  std::size_t row_width(std::size_t i) const { return padded(n_) - first_column(i); }
  /// Row i from first_column(i) on: row_width(i) floats, 64-byte aligned, zeros behind the n-th column.
  const float* row(std::size_t i) const { return values_.data() + offset(i); }

 private:
  std::size_t offset(std::size_t i) const {
    const std::size_t first = first_column(i);  // rows before it: widths n', n' - 16, ..., 16 of each
    return first == 0 ? i * padded(n_)
                      : first * padded(n_) - first * (first - row_padding) / 2 + (i - first) * row_width(i);
  }

  KernelType type_;
  std::size_t n_;
  core::UninitializedVector<float> values_;
};

/// The kernel matrix of one gamma. Shared, read-only, by every resample and every C.
class Gram {
 public:
  /// Cost: n^2 / 2 evaluations of the kernel function (SIMD).
  Gram(const Kernel& kernel, const Base& base);
  std::size_t size() const { return matrix_.n; }
  const SquareMatrix& matrix() const { return matrix_; }
  std::span<const float> diagonal() const { return {diagonal_.data(), diagonal_.size()}; }

  /// Room for a Gram whose `blocks()` parts are then made by `build`, each once, in any order and by any threads.
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

/// Whether a square symmetric matrix has no eigenvalue below -1e-6 times its largest diagonal entry, by a Cholesky
/// factorisation with that much added to the diagonal. Cost: n^3 / 3.
bool is_positive_semidefinite(const data::DenseMatrix& values);

/// Bytes of a Gram (or Base) of n rows.
std::size_t gram_bytes(std::size_t n);

/// A view of a Gram as Rows. The Gram must outlive it.
std::unique_ptr<Rows> rows_of(const Gram& gram);

/// Rows computed when asked for, by SIMD over the features, the last used ones kept within `budget` bytes
/// (at least four rows). Nothing is computed before it is asked for, so it also serves single trainings
/// that touch few rows.
/// @throws Error memory if not even four rows fit
std::unique_ptr<Rows> cached_rows(const Kernel& kernel, const data::Features& features, std::size_t budget);

}  // namespace credence::kernel
