#include <algorithm>
#include <vector>

#include "blas/calls.hpp"
#include "credence/core/aligned.hpp"
#include "credence/core/error.hpp"
#include "credence/kernel/gram.hpp"
#include "credence/kernel/kernel.hpp"
#include "kernel/base_block.hpp"
#include "kernel/simd.hpp"

namespace credence::kernel {

data::DenseMatrix kernel_block(const Kernel& kernel, const data::Features& a, const data::Features& b) {
  if (kernel.type == KernelType::precomputed) refuse("a precomputed kernel has no function to evaluate");
  if (a.columns() != b.columns()) refuse("the two sets of rows of a kernel block differ in their number of columns");
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

bool is_positive_semidefinite(const data::DenseMatrix& values) {
  constexpr double rounding = 1e-6;
  double largest = 0;
  for (std::size_t i = 0; i < values.rows; ++i) largest = std::max(largest, values.row(i)[i]);
  std::vector<double> factor(values.values.begin(), values.values.end());
  for (std::size_t i = 0; i < values.rows; ++i) factor[i * values.rows + i] += rounding * largest;
  const auto size = blas::size(values.rows);
  blasint info = 0;
  blas::potrf("L", &size, factor.data(), &size, &info);
  // A matrix of zeros has a feature space too: the point 0.
  return info == 0 || std::ranges::all_of(values.values, [](double value) { return value == 0; });
}

}  // namespace credence::kernel
