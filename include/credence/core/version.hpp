#pragma once

#include <string_view>

namespace credence {

/// "major.minor.patch", from the CMake project's version, its one place.
std::string_view version();

}  // namespace credence
