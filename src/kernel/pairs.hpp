#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "credence/core/aligned.hpp"
#include "credence/data/features.hpp"
#include "credence/kernel/gram.hpp"
#include "credence/kernel/kernel.hpp"
#include "kernel/simd.hpp"

namespace credence::kernel {

simd::Pairing pairing_of(KernelType type);

/// A copy in panels (simd::Pairs), with zeros behind the last row.
core::AlignedVector<double> panels_of(const data::DenseMatrix& rows);

/// Rows of base values (distances, dot products, or given values) of a set of rows with itself, in whichever storage
/// the features have. base(i, j) = base(j, i) to the last bit, and equal rows have equal bases to the last bit.
class PairRows {
 public:
  PairRows(KernelType type, const data::Features& features);

  std::size_t size() const { return n_; }
  /// Bytes of the features in panels; 0 where rows are sparse or given.
  std::size_t bytes_of_a_pass() const { return panels_.size() * sizeof(double); }
  /// Room to work in; one for each thread.
  struct Scratch {
    std::vector<double> scattered;   ///< sparse: one row as a dense vector, all 0 between calls
    std::vector<double> four;        ///< dense: four rows one behind the other
    core::AlignedVector<float> out;  ///< their values
  };
  /// base(first_row + r, j) for r < count <= 4 and j in [first, n) to out[r * stride + j - first]; floats behind the
  /// n-th up to padded(n) are 0. `first` must be a multiple of row_padding.
  void rows(std::size_t first_row, std::size_t count, std::size_t first, float* out, std::size_t stride,
            Scratch& scratch) const {
    rows(first_row, count, first, padded(n_), out, stride, scratch);
  }

  /// Where some consecutive rows stand, from the diagonal on.
  struct Place {
    float* out;         ///< of the first row, at the multiple of row_padding at or before the diagonal
    std::size_t count;  ///< rows, 1 to 4, for which that multiple is the same
    std::size_t stride;
  };
  /// The rows [begin, end) right of the diagonal, in tiles of columns that stay in the second-level cache.
  /// @param place  of the rows from row i on
  void right_of_diagonal(std::size_t begin, std::size_t end, const std::function<Place(std::size_t i)>& place,
                         Scratch& scratch) const;
  /// base(which[k], j) for all j to out[k], padded(n) floats that are 0 behind the n-th, in tiles as above.
  void whole_rows(std::span<const std::size_t> which, std::span<float* const> out, Scratch& scratch) const;
  /// The given rows only, as a set of its own.
  PairRows subset(std::span<const std::size_t> keep) const;
  /// base(i, i) for all i.
  std::vector<float> diagonal() const;

 private:
  PairRows() = default;
  void rows(std::size_t first_row, std::size_t count, std::size_t first, std::size_t last, float* out,
            std::size_t stride, Scratch& scratch) const;
  std::size_t tile_width() const;
  void set_dense(data::DenseMatrix rows);
  void sparse_row(std::size_t i, std::size_t first, float* out, std::vector<double>& scattered) const;
  double sparse_pair(std::size_t i, std::size_t j, const std::vector<double>& scattered) const;
  void set_sparse(data::Features rows);

  KernelType type_ = KernelType::rbf;
  std::size_t n_ = 0;
  data::Features features_;
  core::AlignedVector<double> panels_;  ///< dense
  std::vector<double> norms_;           ///< sparse: sums of squares, or of absolute values for the Manhattan distance
  std::vector<std::size_t> given_columns_;  ///< precomputed: which columns of the given matrix
};

}  // namespace credence::kernel
