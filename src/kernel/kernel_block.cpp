#include <algorithm>

#include "credence/core/aligned.hpp"
#include "credence/core/error.hpp"
#include "credence/kernel/kernel.hpp"
#include "kernel/base_block.hpp"
#include "kernel/simd.hpp"

namespace credence::kernel {

data::DenseMatrix kernel_block(const Kernel& kernel, const data::Features& a, const data::Features& b) {
  if (kernel.type == KernelType::precomputed)
    throw Error(ErrorCode::invalid_argument, "a precomputed kernel has no function to evaluate");
  if (a.columns() != b.columns()) {
    throw Error(ErrorCode::invalid_argument,
                "the two sets of rows of a kernel block differ in their number of columns");
  }
  data::DenseMatrix block(a.rows(), b.rows());
  if (block.values.empty()) return block;
  const BaseBlock base(kernel.type, b, a.is_sparse());
  core::AlignedVector<double> values(a.rows() * base.width());
  base.compute(a, 0, a.rows(), values.data());
  for (std::size_t i = 0; i < a.rows(); ++i) {
    double* row = values.data() + i * base.width();
    simd::apply_kernel(kernel, row, row, base.width());
    std::copy_n(row, b.rows(), block.row(i).begin());
  }
  return block;
}

}  // namespace credence::kernel
