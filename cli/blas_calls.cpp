#include <cblas.h>

#include "blas.hpp"
#include "core/lapack.hpp"

// The functions of BLAS and LAPACK that the library calls, each with OpenBLAS's function behind it. The linker names a
// function that is missing here.
namespace {

namespace blas = credence::cli::blas;

template <typename Function>
Function* openblas(const char* name) {
  return reinterpret_cast<Function*>(blas::function(name));
}

}  // namespace

// The header abbreviates its parameters.
// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name)

/// Functions that work in a buffer of OpenBLAS's.
#define CREDENCE_WITH_BUFFER(name, parameters, arguments)          \
  extern "C" void name parameters {                                \
    static auto* const function = openblas<decltype(name)>(#name); \
    const blas::BufferUse use;                                     \
    function arguments;                                            \
  }

CREDENCE_WITH_BUFFER(cblas_dgemm,
                     (CBLAS_ORDER order, CBLAS_TRANSPOSE transpose_a, CBLAS_TRANSPOSE transpose_b, blasint m, blasint n,
                      blasint k, double alpha, const double* a, blasint lda, const double* b, blasint ldb, double beta,
                      double* c, blasint ldc),
                     (order, transpose_a, transpose_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc))

CREDENCE_WITH_BUFFER(cblas_dsyrk,
                     (CBLAS_ORDER order, CBLAS_UPLO triangle, CBLAS_TRANSPOSE transpose, blasint n, blasint k,
                      double alpha, const double* a, blasint lda, double beta, double* c, blasint ldc),
                     (order, triangle, transpose, n, k, alpha, a, lda, beta, c, ldc))

CREDENCE_WITH_BUFFER(cblas_dtrsm,
                     (CBLAS_ORDER order, CBLAS_SIDE side, CBLAS_UPLO triangle, CBLAS_TRANSPOSE transpose,
                      CBLAS_DIAG diagonal, blasint m, blasint n, double alpha, const double* a, blasint lda, double* b,
                      blasint ldb),
                     (order, side, triangle, transpose, diagonal, m, n, alpha, a, lda, b, ldb))

CREDENCE_WITH_BUFFER(cblas_dgemv,
                     (CBLAS_ORDER order, CBLAS_TRANSPOSE transpose, blasint m, blasint n, double alpha, const double* a,
                      blasint lda, const double* x, blasint x_step, double beta, double* y, blasint y_step),
                     (order, transpose, m, n, alpha, a, lda, x, x_step, beta, y, y_step))

CREDENCE_WITH_BUFFER(cblas_dsymv,
                     (CBLAS_ORDER order, CBLAS_UPLO triangle, blasint n, double alpha, const double* a, blasint lda,
                      const double* x, blasint x_step, double beta, double* y, blasint y_step),
                     (order, triangle, n, alpha, a, lda, x, x_step, beta, y, y_step))

CREDENCE_WITH_BUFFER(cblas_dtrsv,
                     (CBLAS_ORDER order, CBLAS_UPLO triangle, CBLAS_TRANSPOSE transpose, CBLAS_DIAG diagonal, blasint n,
                      const double* a, blasint lda, double* x, blasint x_step),
                     (order, triangle, transpose, diagonal, n, a, lda, x, x_step))

CREDENCE_WITH_BUFFER(dpotrf_,
                     (const char* triangle, const blasint* n, double* matrix, const blasint* leading, blasint* info),
                     (triangle, n, matrix, leading, info))

extern "C" double cblas_ddot(blasint n, const double* x, blasint x_step, const double* y, blasint y_step) {
  static auto* const function = openblas<decltype(cblas_ddot)>("cblas_ddot");
  return function(n, x, x_step, y, y_step);
}

extern "C" void cblas_daxpy(blasint n, double alpha, const double* x, blasint x_step, double* y, blasint y_step) {
  static auto* const function = openblas<decltype(cblas_daxpy)>("cblas_daxpy");
  function(n, alpha, x, x_step, y, y_step);
}

// NOLINTEND(readability-inconsistent-declaration-parameter-name)

/// OpenBLAS is on one thread from the moment that it is loaded.
extern "C" void openblas_set_num_threads(int) {}
