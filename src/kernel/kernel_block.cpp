#include <algorithm>
#include <numeric>

#include "credence/core/aligned.hpp"
#include "credence/core/error.hpp"
#include "credence/kernel/kernel.hpp"
#include "credence/kernel/rows.hpp"
#include "kernel/pairs.hpp"
#include "kernel/simd.hpp"

namespace credence::kernel {
namespace {

using data::DenseMatrix;
using data::SparseMatrix;

std::vector<double> squared_norms(const SparseMatrix& matrix) {
  std::vector<double> norms(matrix.rows);
  for (std::size_t i = 0; i < matrix.rows; ++i) {
    const auto x = matrix.row_values(i);
    norms[i] = std::inner_product(x.begin(), x.end(), x.begin(), 0.0);
  }
  return norms;
}

/// dots becomes |a_i|^2 + |b_j|^2 - 2 a_i'b_j, never below 0.
void to_squared_distances(DenseMatrix& dots, const std::vector<double>& a_norms, const std::vector<double>& b_norms) {
  for (std::size_t i = 0; i < dots.rows; ++i) {
    const auto row = dots.row(i);
    for (std::size_t j = 0; j < dots.columns; ++j) {
      row[j] = std::max(0.0, a_norms[i] + b_norms[j] - 2 * row[j]);
    }
  }
}

/// All pairs of rows, as in training: differences are taken directly, so no digits are lost to a common offset.
DenseMatrix pair_block(simd::Pairing pairing, const DenseMatrix& a, const DenseMatrix& b) {
  // A tile of b's columns stays in the second-level cache while all rows of a pass over it.
  constexpr std::size_t tile_values = 65536;
  const std::size_t width = padded(b.rows);
  const std::size_t tile =
      std::max(row_padding, tile_values / std::max<std::size_t>(1, b.columns) / row_padding * row_padding);
  const core::AlignedVector<double> columns = by_column(b);
  core::AlignedVector<double> pairs(a.rows * width);
  const simd::Pairs against{pairing, columns.data(), width, b.columns};
  for (std::size_t first = 0; first < width; first += tile) {
    for (std::size_t i = 0; i < a.rows; i += 4) {
      simd::pair_rows(against, a.values.data() + i * a.columns, std::min<std::size_t>(4, a.rows - i), first,
                      std::min(first + tile, width), pairs.data() + i * width + first, width);
    }
  }
  DenseMatrix out(a.rows, b.rows);
  for (std::size_t i = 0; i < a.rows; ++i) {
    std::copy_n(pairs.data() + i * width, b.rows, out.row(i).begin());
  }
  return out;
}

DenseMatrix dot_products(const SparseMatrix& a, const SparseMatrix& b) {
  DenseMatrix out(a.rows, b.rows);
  std::vector<double> scattered(std::max(a.columns, b.columns), 0.0);
  for (std::size_t i = 0; i < a.rows; ++i) {
    const auto indices = a.row_indices(i);
    const auto values = a.row_values(i);
    for (std::size_t k = 0; k < indices.size(); ++k) {
      scattered[indices[k]] = values[k];
    }
    for (std::size_t j = 0; j < b.rows; ++j) {
      const auto other = b.row_indices(j);
      const auto other_values = b.row_values(j);
      double sum = 0;
      for (std::size_t k = 0; k < other.size(); ++k) {
        sum += scattered[other[k]] * other_values[k];
      }
      out.values[i * b.rows + j] = sum;
    }
    for (const std::uint32_t index : indices) {
      scattered[index] = 0;
    }
  }
  return out;
}

DenseMatrix base_block(KernelType type, const data::Features& a, const data::Features& b) {
  const bool sparse = a.is_sparse() && b.is_sparse() && type != KernelType::laplacian;
  if (sparse) {
    DenseMatrix dots = dot_products(a.sparse(), b.sparse());
    if (type == KernelType::rbf) {
      to_squared_distances(dots, squared_norms(a.sparse()), squared_norms(b.sparse()));
    }
    return dots;
  }
  return pair_block(pairing_of(type), a.to_dense(), b.to_dense());
}

}  // namespace

data::DenseMatrix kernel_block(const Kernel& kernel, const data::Features& a, const data::Features& b) {
  if (kernel.type == KernelType::precomputed) {
    throw Error(ErrorCode::invalid_argument, "a precomputed kernel has no function that could be evaluated");
  }
  if (a.columns() != b.columns()) {
    throw Error(ErrorCode::invalid_argument,
                "the two sets of rows of a kernel block differ in their number of columns");
  }
  if (a.rows() == 0 || b.rows() == 0) {
    return {a.rows(), b.rows()};
  }
  DenseMatrix block = base_block(kernel.type, a, b);
  simd::apply_kernel(kernel, block.values.data(), block.values.data(), block.values.size());
  return block;
}

}  // namespace credence::kernel
