#pragma once

#include <zlib.h>

#include <cstdint>
#include <string_view>

namespace credence::core {

/// CRC-32 of the bytes.
inline std::uint32_t checksum(std::string_view bytes) {
  return static_cast<std::uint32_t>(
      crc32_z(crc32_z(0, nullptr, 0), reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

}  // namespace credence::core
