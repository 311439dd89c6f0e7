#pragma once

#include <cblas.h>

#include <cstddef>

inline blasint as_blas(std::size_t n) {
  return static_cast<blasint>(n);
}

/// The functions of LAPACK in use, which OpenBLAS exports without a C header of its own. Column-major; `info` is 0 if
/// all went well.
extern "C" {
/// Cholesky factor of the triangle ("L" or "U") of a symmetric matrix, in place.
void dpotrf_(const char* triangle, const blasint* n, double* matrix, const blasint* leading, blasint* info);
}
