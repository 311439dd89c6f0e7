#pragma once

#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <vector>

#include "credence/data/features.hpp"

/// Dense algebra in plain loops: what the tests of the relevance vector machine compare with.
namespace credence::test {

using Vector = std::vector<double>;
using data::DenseMatrix;

inline double dot(const Vector& a, const Vector& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// A x.
inline Vector times(const DenseMatrix& a, const Vector& x) {
  Vector result(a.rows);
  for (std::size_t i = 0; i < a.rows; ++i)
    for (std::size_t j = 0; j < a.columns; ++j) result[i] += a.row(i)[j] * x[j];
  return result;
}

/// A' x.
inline Vector transposed_times(const DenseMatrix& a, const Vector& x) {
  Vector result(a.columns);
  for (std::size_t i = 0; i < a.rows; ++i)
    for (std::size_t j = 0; j < a.columns; ++j) result[j] += a.row(i)[j] * x[i];
  return result;
}

/// A' diag(d) A.
inline DenseMatrix weighted_gram(const DenseMatrix& a, const Vector& d) {
  DenseMatrix result(a.columns, a.columns);
  for (std::size_t n = 0; n < a.rows; ++n) {
    for (std::size_t i = 0; i < a.columns; ++i)
      for (std::size_t j = 0; j < a.columns; ++j) result.row(i)[j] += a.row(n)[i] * d[n] * a.row(n)[j];
  }
  return result;
}

/// Lower triangular L with A = L L'.
inline DenseMatrix cholesky(const DenseMatrix& a) {
  DenseMatrix l(a.rows, a.rows);
  for (std::size_t i = 0; i < a.rows; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = a.row(i)[j];
      for (std::size_t k = 0; k < j; ++k) sum -= l.row(i)[k] * l.row(j)[k];
      if (i == j && !(sum > 0)) throw std::runtime_error("not positive definite");
      l.row(i)[j] = i == j ? std::sqrt(sum) : sum / l.row(j)[j];
    }
  }
  return l;
}

/// x with L L' x = b.
inline Vector solve(const DenseMatrix& l, Vector b) {
  for (std::size_t i = 0; i < b.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) b[i] -= l.row(i)[k] * b[k];
    b[i] /= l.row(i)[i];
  }
  for (std::size_t i = b.size(); i-- > 0;) {
    for (std::size_t k = i + 1; k < b.size(); ++k) b[i] -= l.row(k)[i] * b[k];
    b[i] /= l.row(i)[i];
  }
  return b;
}

/// (L L')^-1.
inline DenseMatrix inverse(const DenseMatrix& l) {
  DenseMatrix result(l.rows, l.rows);
  for (std::size_t j = 0; j < l.rows; ++j) {
    Vector unit(l.rows);
    unit[j] = 1;
    const Vector column = solve(l, unit);
    for (std::size_t i = 0; i < l.rows; ++i) result.row(i)[j] = column[i];
  }
  return result;
}

/// log |L L'|.
inline double log_determinant(const DenseMatrix& l) {
  double sum = 0;
  for (std::size_t i = 0; i < l.rows; ++i) sum += 2 * std::log(l.row(i)[i]);
  return sum;
}

}  // namespace credence::test
