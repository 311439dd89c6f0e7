#pragma once

#include <cstddef>
#include <span>

#include "credence/core/aligned.hpp"
#include "credence/core/context.hpp"

/// Symmetric matrices in tiles, so that threads share one factorisation. The size of a matrix alone determines its
/// tiles, so results do not depend on the number of threads.
namespace credence::rvm {

/// The lower triangle of a symmetric M x M matrix, then its Cholesky factor; column-major.
class Triangle {
 public:
  explicit Triangle(std::size_t size = 0) { resize(size); }
  /// Leaves the values undefined.
  void resize(std::size_t size) {
    size_ = size;
    values_.resize(size * size);
  }
  std::size_t size() const { return size_; }
  double* column(std::size_t j) { return values_.data() + j * size_; }
  const double* column(std::size_t j) const { return values_.data() + j * size_; }
  double at(std::size_t i, std::size_t j) const { return column(j)[i]; }

  /// Sets the lower triangle to X'X, X column-major with `rows` rows and size() columns. Cost: rows M^2.
  void set_product(const double* x, std::size_t rows, const core::Threads& threads);
  void add_identity();
  /// L of L L' in the lower triangle. False if the matrix is not positive definite in double. Cost: M^3 / 3.
  bool factorise(const core::Threads& threads);

  // The next functions need a factor.
  /// x <- (L L')^-1 x.
  void solve(std::span<double> x) const;
  /// x <- L^-1 x, for the columns of a column-major M x count matrix.
  void solve_lower(double* x, std::size_t count, const core::Threads& threads) const;
  /// sum_i log L_ii.
  double half_log_determinant() const;
  /// The diagonal of (L L')^-1. Cost: M^3 / 3.
  void inverse_diagonal(std::span<double> diagonal, const core::Threads& threads) const;

 private:
  std::size_t size_ = 0;
  core::UninitializedVector<double> values_;
};

}  // namespace credence::rvm
