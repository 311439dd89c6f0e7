#pragma once

#include <cmath>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "credence/core/aligned.hpp"
#include "credence/data/features.hpp"
#include "credence/kernel/gram.hpp"
#include "credence/kernel/kernel.hpp"

namespace credence::test {

/// K(a, b), the formula, term by term in double.
inline double reference_kernel(const kernel::Kernel& kernel, std::span<const double> a, std::span<const double> b) {
  double dot = 0;
  double squared = 0;
  double absolute = 0;
  for (std::size_t j = 0; j < a.size(); ++j) {
    const double difference = a[j] - b[j];
    dot += a[j] * b[j];
    squared += difference * difference;
    absolute += std::abs(difference);
  }
  switch (kernel.type) {
    case kernel::KernelType::rbf:
      return std::exp(-kernel.gamma * squared);
    case kernel::KernelType::linear:
      return dot;
    case kernel::KernelType::polynomial:
      return std::pow(kernel.gamma * dot + kernel.coef0, kernel.degree);
    case kernel::KernelType::sigmoid:
      return std::tanh(kernel.gamma * dot + kernel.coef0);
    case kernel::KernelType::laplacian:
      return std::exp(-kernel.gamma * absolute);
    case kernel::KernelType::precomputed:
      break;
  }
  return std::nan("");
}

/// K(a_i, b_j) for all pairs of rows.
inline data::DenseMatrix reference_block(const kernel::Kernel& kernel, const data::DenseMatrix& a,
                                         const data::DenseMatrix& b) {
  data::DenseMatrix block(a.rows, b.rows);
  for (std::size_t i = 0; i < a.rows; ++i)
    for (std::size_t j = 0; j < b.rows; ++j) block.row(i)[j] = reference_kernel(kernel, a.row(i), b.row(j));
  return block;
}

/// The kernels with formulas, with parameters that keep their values moderate on standard normal features.
inline std::vector<kernel::Kernel> formula_kernels(std::size_t d) {
  const double gamma = 0.5 / static_cast<double>(d);
  return {{.type = kernel::KernelType::rbf, .gamma = gamma},
          {.type = kernel::KernelType::linear},
          {.type = kernel::KernelType::polynomial, .gamma = gamma, .coef0 = 1, .degree = 3},
          {.type = kernel::KernelType::polynomial, .gamma = gamma, .coef0 = 0, .degree = 2},
          {.type = kernel::KernelType::sigmoid, .gamma = gamma, .coef0 = -0.5},
          {.type = kernel::KernelType::laplacian, .gamma = gamma}};
}

/// Any symmetric matrix, rounded to float, as Rows: what the solver sees, without the library's own kernels.
class MatrixRows final : public kernel::Rows {
 public:
  explicit MatrixRows(const data::DenseMatrix& matrix)
      : n_(matrix.rows), stride_(kernel::padded(matrix.rows)), values_(n_ * stride_), diagonal_(stride_) {
    for (std::size_t i = 0; i < n_; ++i) {
      for (std::size_t j = 0; j < n_; ++j) values_[i * stride_ + j] = static_cast<float>(matrix.row(i)[j]);
      diagonal_[i] = values_[i * stride_ + i];
    }
  }
  std::size_t size() const override { return n_; }
  const float* row(std::size_t i) override { return values_.data() + i * stride_; }
  const float* diagonal() const override { return diagonal_.data(); }
  std::unique_ptr<kernel::Rows> subset(std::span<const std::size_t> keep) override {
    data::DenseMatrix part(keep.size(), keep.size());
    for (std::size_t i = 0; i < keep.size(); ++i)
      for (std::size_t j = 0; j < keep.size(); ++j)
        part.row(i)[j] = static_cast<double>(values_[keep[i] * stride_ + keep[j]]);
    return std::make_unique<MatrixRows>(part);
  }
  /// The rounded values, in double.
  data::DenseMatrix matrix() const {
    data::DenseMatrix result(n_, n_);
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t j = 0; j < n_; ++j) result.row(i)[j] = static_cast<double>(values_[i * stride_ + j]);
    return result;
  }

 private:
  std::size_t n_;
  std::size_t stride_;
  core::AlignedVector<float> values_;
  core::AlignedVector<float> diagonal_;
};

}  // namespace credence::test
