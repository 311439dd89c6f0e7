#pragma once

#include <cstddef>
#include <vector>

#include "credence/core/aligned.hpp"
#include "credence/data/features.hpp"

namespace credence::neighbours {

/// Squared Euclidean distances of query rows to a fixed set of rows, in whichever storage either has: differences are
/// taken directly and their squares summed over features in ascending order in double, so no digits are lost to a
/// common offset, and equal rows have distance 0. A query's distances depend on that query alone, to the last bit.
class Distances {
 public:
  explicit Distances(data::Features rows);

  std::size_t columns() const { return rows_.columns(); }
  /// Numbers between the distances of one query and those of the next; at least the number of rows.
  std::size_t stride() const;
  /// Queries of one block that keeps their distances small beside the rows themselves.
  std::size_t block_rows() const;
  /// |queries[first + q] - row j|^2 to out[q * stride() + j] for q < count; `out` starts at a 64-byte boundary.
  void squared(const data::Features& queries, std::size_t first, std::size_t count, double* out) const;

 private:
  void squared_dense(const data::DenseMatrix& queries, double* out) const;
  void squared_sparse(const data::SparseMatrix& queries, double* out) const;

  data::Features rows_;                    ///< sparse only if they are thin
  core::AlignedVector<double> by_column_;  ///< dense rows: feature-major copy
};

}  // namespace credence::neighbours
