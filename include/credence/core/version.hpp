#pragma once

#include <string_view>

namespace credence {

/// Returns "major.minor.patch"; the CMake project is the one place that states the version.
std::string_view version();

}  // namespace credence
