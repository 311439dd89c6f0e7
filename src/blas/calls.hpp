#pragma once

#include <cblas.h>

#include <atomic>
#include <cstddef>

#include "blas/openblas.hpp"

/// LAPACK's Cholesky factor of the triangle ("L" or "U") of a symmetric matrix, in place. Column-major; `info` is 0 if
/// all went well. OpenBLAS exports this function without a C header of its own.
extern "C" void dpotrf_(const char* triangle, const blasint* n, double* matrix, const blasint* leading, blasint* info);

namespace credence::blas {

inline blasint size(std::size_t n) {
  return static_cast<blasint>(n);
}

/// A function of OpenBLAS by its name, found at the first call. `in_buffer`: the function works in one of OpenBLAS's
/// buffers.
template <typename Signature, bool in_buffer>
class Function;

template <typename Result, typename... Arguments, bool in_buffer>
class Function<Result(Arguments...), in_buffer> {
 public:
  constexpr explicit Function(const char* name) : name_(name) {}

  Result operator()(Arguments... arguments) const {
    auto* call = found_.load(std::memory_order_relaxed);
    if (call == nullptr) {
      call = reinterpret_cast<Result (*)(Arguments...)>(function(name_));
      found_.store(call, std::memory_order_relaxed);
    }
    if constexpr (in_buffer) {
      const BufferUse use;
      return call(arguments...);
    } else {
      return call(arguments...);
    }
  }

 private:
  const char* name_;
  mutable std::atomic<Result (*)(Arguments...)> found_{nullptr};
};

/// The functions that the library calls, under their names in BLAS without the letter for double precision.
inline const Function<decltype(cblas_dgemm), true> gemm{"cblas_dgemm"};
inline const Function<decltype(cblas_dsyrk), true> syrk{"cblas_dsyrk"};
inline const Function<decltype(cblas_dtrsm), true> trsm{"cblas_dtrsm"};
inline const Function<decltype(cblas_dsymv), true> symv{"cblas_dsymv"};
inline const Function<decltype(cblas_dtrsv), true> trsv{"cblas_dtrsv"};
inline const Function<decltype(dpotrf_), true> potrf{"dpotrf_"};
inline const Function<decltype(cblas_ddot), false> dot{"cblas_ddot"};
inline const Function<decltype(cblas_daxpy), false> axpy{"cblas_daxpy"};

}  // namespace credence::blas
