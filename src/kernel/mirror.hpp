#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

namespace credence::kernel {

/// Rows of a symmetric matrix that are made together.
inline constexpr std::size_t block_rows = 64;

inline std::size_t block_count(std::size_t n) {
  return (n + block_rows - 1) / block_rows;
}

/// Copies the part of a block of rows that lies right of the diagonal to where it stands mirrored, in tiles that fit
/// the first-level cache.
/// @param row  the n rows' addresses, by number
void mirror(std::size_t n, std::size_t block, const auto& row) {
  constexpr std::size_t tile = 32;
  const std::size_t end = std::min((block + 1) * block_rows, n);
  for (std::size_t i0 = block * block_rows; i0 < end; i0 += tile) {
    std::array<const float*, tile> sources{};
    for (std::size_t i = i0; i < std::min(i0 + tile, end); ++i) sources[i - i0] = row(i);
    for (std::size_t j = i0; j < n; ++j) {
      float* target = row(j) + i0;
      const std::size_t count = std::min({i0 + tile, end, j}) - i0;
      for (std::size_t i = 0; i < count; ++i) target[i] = sources[i][j];
    }
  }
}

}  // namespace credence::kernel
