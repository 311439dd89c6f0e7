#pragma once

#include <string>
#include <string_view>
#include <vector>

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

/// Core types of OpenBLAS that fit this processor and the system on it, the best first: SkylakeX for
/// `Vectors::avx512`, and Haswell for this and `Vectors::avx2`. Empty on other processors,
/// Arm among them: what OpenBLAS detects stands.
std::vector<std::string> fitting_core_types();

/// Whether kernels of `detected` use narrower vectors than those of `fitting`. Names are OpenBLAS's; a name that is not
/// known here belongs to a newer OpenBLAS, which knows better.
bool is_lesser_core_type(std::string_view detected, std::string_view fitting);

/// Names of core types in whatever case are the same.
bool same_core_type(std::string_view left, std::string_view right);

}  // namespace credence::blas
