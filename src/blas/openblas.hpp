#pragma once

/// How OpenBLAS gets into the process. A program that links OpenBLAS (the Python module does) uses this copy. Any other
/// program loads OpenBLAS's shared library at its first call of BLAS (calls.hpp), so that work without BLAS needs none
/// of its memory. Either way
///   - OpenBLAS takes its narrowest kernels on a processor that it does not know, and then gets a core type that fits
///     the processor better;
///   - OpenBLAS maps its buffers (128 MiB each) only after a look whether there is room. Where there is none, OpenBLAS
///     0.3.21 itself tries for ever.
namespace credence::blas {

/// Says how many threads may call BLAS at once. So many buffers, the most that was said before the first call of BLAS,
/// are mapped, or as many as fit: further threads then wait for one. A linked OpenBLAS is set to one thread.
void expect_threads(int threads);

/// A function of OpenBLAS. @throws as describe
void* function(const char* name);

/// Holds the right to one of OpenBLAS's buffers while a function of BLAS runs. @throws as describe
class BufferUse {
 public:
  BufferUse();
  ~BufferUse();
  BufferUse(const BufferUse&) = delete;
  BufferUse& operator=(const BufferUse&) = delete;
};

}  // namespace credence::blas
