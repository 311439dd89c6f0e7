#pragma once

#include <string>

/// OpenBLAS as the command uses it. The library calls BLAS by the usual names; in the command these names lead to
/// OpenBLAS's shared library, which is loaded when the first of them is called (blas_calls.cpp). So
///   - the command can see which core type OpenBLAS takes, and load it anew with one that fits the processor
///     better; OpenBLAS reads OPENBLAS_CORETYPE once, when it is loaded;
///   - OpenBLAS maps its buffers (128 MiB each) only after a look whether there is room. Where there is none, OpenBLAS
///     0.3.21 itself tries for ever;
///   - work without BLAS needs none of its memory.
namespace credence::cli::blas {

/// Says, before any call of BLAS, how many threads may call it at once. So many buffers are mapped, or as many as fit:
/// further threads then wait for one.
void expect_threads(int threads);

struct Description {
  std::string config;     ///< OpenBLAS's own words: version, options
  std::string core_type;  ///< whose kernels are in use
  std::string reason;     ///< who chose the core type
};

/// Loads OpenBLAS if need be. @throws std::bad_alloc, or std::runtime_error if there is no OpenBLAS
Description describe();

/// What calls of BLAS are made of: a function of OpenBLAS. @throws as describe
void* function(const char* name);

/// Holds the right to one of OpenBLAS's buffers while a function of BLAS runs. @throws as describe
class BufferUse {
 public:
  BufferUse();
  ~BufferUse();
  BufferUse(const BufferUse&) = delete;
  BufferUse& operator=(const BufferUse&) = delete;
};

}  // namespace credence::cli::blas
