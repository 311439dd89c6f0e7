#include <cblas.h>

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

DenseMatrix dot_products(const DenseMatrix& a, const DenseMatrix& b) {
  DenseMatrix out(a.rows, b.rows);
  const auto columns = static_cast<blasint>(a.columns);
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, static_cast<blasint>(a.rows), static_cast<blasint>(b.rows),
              columns, 1.0, a.values.data(), columns, b.values.data(), columns, 0.0, out.values.data(),
              static_cast<blasint>(b.rows));
  return out;
}

std::vector<double> squared_norms(const DenseMatrix& matrix) {
  std::vector<double> norms(matrix.rows);
  for (std::size_t i = 0; i < matrix.rows; ++i) {
    const auto x = matrix.row(i);
    norms[i] = std::inner_product(x.begin(), x.end(), x.begin(), 0.0);
  }
  return norms;
}

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

void subtract_from_rows(DenseMatrix& matrix, const std::vector<double>& shift) {
  for (std::size_t i = 0; i < matrix.rows; ++i) {
    const auto row = matrix.row(i);
    std::transform(row.begin(), row.end(), shift.begin(), row.begin(), std::minus<>{});
  }
}

/// Through dot products of rows shifted by the mean of b, so that a common offset costs no digits.
DenseMatrix squared_distances(DenseMatrix a, DenseMatrix b) {
  std::vector<double> mean(b.columns, 0.0);
  for (std::size_t i = 0; i < b.rows; ++i) {
    const auto row = b.row(i);
    std::transform(row.begin(), row.end(), mean.begin(), mean.begin(), std::plus<>{});
  }
  for (double& value : mean) {
    value /= static_cast<double>(b.rows);
  }
  subtract_from_rows(a, mean);
  subtract_from_rows(b, mean);
  DenseMatrix out = dot_products(a, b);
  to_squared_distances(out, squared_norms(a), squared_norms(b));
  return out;
}

DenseMatrix manhattan_distances(const DenseMatrix& a, const DenseMatrix& b) {
  const std::size_t width = padded(b.rows);
  core::AlignedVector<double> by_column(b.columns * width);
  for (std::size_t j = 0; j < b.rows; ++j) {
    for (std::size_t f = 0; f < b.columns; ++f) {
      by_column[f * width + j] = b.values[j * b.columns + f];
    }
  }
  DenseMatrix out(a.rows, b.rows);
  core::AlignedVector<double> row(width);
  for (std::size_t i = 0; i < a.rows; ++i) {
    simd::pair_rows(simd::Pairing::manhattan_distance, by_column.data(), width, b.columns, a.row(i).data(), 1, 0,
                    row.data());
    std::copy_n(row.begin(), b.rows, out.row(i).begin());
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
  DenseMatrix dense_a = a.to_dense();
  DenseMatrix dense_b = b.to_dense();
  switch (pairing_of(type)) {
    case simd::Pairing::squared_distance:
      return squared_distances(std::move(dense_a), std::move(dense_b));
    case simd::Pairing::manhattan_distance:
      return manhattan_distances(dense_a, dense_b);
    case simd::Pairing::dot_product:
      break;
  }
  return dot_products(dense_a, dense_b);
}

}  // namespace

data::DenseMatrix kernel_block(const Kernel& kernel, const data::Features& a, const data::Features& b) {
  if (kernel.type == KernelType::precomputed) {
    throw Error(ErrorCode::invalid_argument, "a precomputed kernel has no function that could be evaluated");
  }
  if (a.columns() != b.columns()) {
    throw Error(ErrorCode::invalid_argument, "the two sets of rows of a kernel block differ in their number of columns");
  }
  if (a.rows() == 0 || b.rows() == 0) {
    return {a.rows(), b.rows()};
  }
  DenseMatrix block = base_block(kernel.type, a, b);
  simd::apply_kernel(kernel, block.values.data(), block.values.data(), block.values.size());
  return block;
}

}  // namespace credence::kernel
