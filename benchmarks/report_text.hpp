#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>

namespace credence::bench {

/// Two or three digits that matter.
inline std::string seconds_text(double seconds) {
  return seconds >= 100 ? fmt::format("{:.0f}", seconds)
         : seconds >= 1 ? fmt::format("{:.2f}", seconds)
                        : fmt::format("{:.3f}", seconds);
}

inline std::string count_text(std::uint64_t count) {
  return count >= 10000000 ? fmt::format("{:.1f}M", static_cast<double>(count) / 1e6)
         : count >= 10000  ? fmt::format("{:.0f}k", static_cast<double>(count) / 1e3)
                           : fmt::format("{}", count);
}

}  // namespace credence::bench
