#pragma once

#include <limits>

namespace credence::core {

inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr float float_infinity = std::numeric_limits<float>::infinity();
inline constexpr double nan = std::numeric_limits<double>::quiet_NaN();

}  // namespace credence::core
