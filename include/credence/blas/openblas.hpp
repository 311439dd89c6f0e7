#pragma once

#include <string>

/// OpenBLAS as Credence uses it: one copy in a process, kernels that fit the processor, and each call on one thread.
namespace credence::blas {

/// Vector instructions of x86 processors, the narrowest first.
enum class Vectors { sse, avx, avx2, avx512 };

/// The widest vectors that the processor has and the system allows: avx512 needs F, CD, BW, DQ and VL, avx2 also FMA.
/// Other processors have `sse`.
Vectors widest_vectors();

struct Description {
  std::string config;     ///< OpenBLAS's own words: version, options
  std::string core_type;  ///< the core type whose kernels are in use
  std::string reason;     ///< who chose the core type
  std::string fitting;    ///< the best core type for this processor; empty if unknown
  bool lesser = false;    ///< the kernels in use have narrower vectors than those of `fitting`
};

/// Loads OpenBLAS if need be. @throws std::bad_alloc, or std::runtime_error if there is no OpenBLAS
Description describe();

}  // namespace credence::blas
