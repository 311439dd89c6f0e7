#pragma once

#include <cstddef>
#include <vector>

#include "credence/core/aligned.hpp"
#include "credence/data/features.hpp"
#include "credence/kernel/gram.hpp"
#include "credence/kernel/kernel.hpp"

namespace credence::kernel {

/// Base values (distances or dot products) of any rows with one fixed set of rows, which is laid out once. In double;
/// differences are taken directly where storage is dense, as in training, so no digits are lost to a common offset.
/// What a row gets depends on that row and the fixed set alone, to the last bit. May be used by several threads.
class BaseBlock {
 public:
  /// @param fixed  the fixed set; must outlive the object
  /// @param sparse_rows  storage of the rows that will come: both sparse is the one case that stays sparse
  BaseBlock(KernelType type, const data::Features& fixed, bool sparse_rows);

  /// Columns of the results: padded(fixed.rows()).
  std::size_t width() const { return padded(fixed_.rows()); }
  /// base(row first + r, fixed row j) to out[r * width() + j] for r < count; finite numbers behind the last j.
  /// @param rows  of the storage that was announced, with as many columns as the fixed set
  /// @param out  64-byte aligned
  void compute(const data::Features& rows, std::size_t first, std::size_t count, double* out) const;

 private:
  void compute_dense(const double* rows, std::size_t count, double* out) const;
  void sparse_row(const data::SparseMatrix& rows, std::size_t i, std::vector<double>& scattered, double* out) const;

  KernelType type_;
  const data::Features& fixed_;
  bool sparse_;
  core::AlignedVector<double> panels_;  ///< dense: the fixed set
  std::vector<double> squared_norms_;   ///< sparse: of the fixed set
};

}  // namespace credence::kernel
