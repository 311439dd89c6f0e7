#include "rvm/sparse_bayes/column_factors.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "blas/calls.hpp"

namespace credence::rvm {
namespace {

/// Number of columns for one task.
constexpr std::size_t columns_of_task = 32;

/// B^1/2 Psi of the mode's columns.
core::UninitializedVector<double> scaled_columns(const Basis& basis, const Mode& mode, std::span<const double> roots) {
  core::UninitializedVector<double> scaled(basis.rows * mode.size());
  for (std::size_t k = 0; k < mode.size(); ++k) {
    const double* phi = basis.column(mode.columns()[k]);
    const double whitening = 1 / std::sqrt(mode.alpha()[k]);
    double* out = scaled.data() + k * basis.rows;
    for (std::size_t n = 0; n < basis.rows; ++n) out[n] = phi[n] * roots[n] * whitening;
  }
  return scaled;
}

}  // namespace

Factors factors_of(const Basis& basis, const Mode& mode, const core::Context& context) {
  const blasint rows = blas::size(basis.rows);
  const blasint active = blas::size(mode.size());
  std::vector<double> roots(basis.rows);
  std::ranges::transform(mode.factor_curvatures(), roots.begin(), [](double h) { return std::sqrt(h); });
  const core::UninitializedVector<double> scaled = scaled_columns(basis, mode, roots);
  Factors factors{std::vector<double>(basis.columns), std::vector<double>(basis.columns),
                  std::vector<double>(basis.columns)};
  context.threads.for_each((basis.columns + columns_of_task - 1) / columns_of_task, [&](std::size_t part) {
    const std::size_t first = part * columns_of_task;
    const std::size_t count = std::min(columns_of_task, basis.columns - first);
    core::UninitializedVector<double> block(basis.rows * count);  // B^1/2 phi
    for (std::size_t k = 0; k < count; ++k) {
      const double* phi = basis.column(first + k);
      double* out = block.data() + k * basis.rows;
      for (std::size_t n = 0; n < basis.rows; ++n) out[n] = phi[n] * roots[n];
      factors.square[first + k] = blas::dot(rows, out, 1, out, 1);
      factors.quality[first + k] = blas::dot(rows, phi, 1, mode.slopes().data(), 1);
      factors.sparsity[first + k] = factors.square[first + k];
    }
    if (active == 0) return;
    core::UninitializedVector<double> products(mode.size() * count);
    blas::gemm(CblasColMajor, CblasTrans, CblasNoTrans, active, blas::size(count), rows, 1, scaled.data(), rows,
               block.data(), rows, 0, products.data(), active);
    blas::trsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, active, blas::size(count), 1,
               mode.factor().column(0), active, products.data(), active);
    for (std::size_t k = 0; k < count; ++k) {
      const double* inside = products.data() + k * mode.size();
      factors.sparsity[first + k] -= blas::dot(active, inside, 1, inside, 1);
    }
  });
  return factors;
}

}  // namespace credence::rvm
