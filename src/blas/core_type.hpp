#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace credence::blas {

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
