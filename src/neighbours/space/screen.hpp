#pragma once

#include <cstddef>
#include <cstdint>

/// SIMD loops in float that leave out pairs of rows which are surely too far apart. They never decide: what they let
/// through is computed exactly.
///
/// All arrays of floats but points are 64-byte aligned. Columns come in blocks of `block` rows: value f of row r of
/// block b at blocks[(b * d + f) * block + r].
namespace credence::neighbours::screen {

inline constexpr std::size_t block = 16;
inline constexpr std::size_t padded(std::size_t n) {
  return (n + block - 1) / block * block;
}

enum class Pairing {
  half_square,  ///< start_i + start_j - x_i'x_j
  manhattan,    ///< start_i + start_j + |x_i - x_j|_1
};

/// Points in rows of d numbers, and blocks of columns.
struct Tile {
  Pairing pairing;
  std::size_t d;
  const float* points;         ///< count x d
  const float* point_starts;   ///< count
  const float* columns;        ///< blocks
  const float* column_starts;  ///< block_count * block
  std::size_t count;
  std::size_t block_count;
};

/// out[q * stride + j] for every point q and column j.
void lower_bounds(const Tile& tile, float* out, std::size_t stride);

/// A pair whose lower bound is small enough.
struct NearPair {
  std::uint32_t point;
  std::uint32_t column;
  float bound;
};

/// The pairs (q, j) whose lower bound is below max(point_limits[q], column_limits[j]), in any order. The bounds stay in
/// registers; `lower_bounds` would write them to memory.
/// @param column_limits  64-byte aligned  @param out  room for every pair
/// @return how many
std::size_t near_pairs(const Tile& tile, const float* point_limits, const float* column_limits, NearPair* out);

/// Indices j of [0, n), ascending, with values[j] < max(limit, limits[j]), or < limit where `limits` is null.
/// @param n  a multiple of block  @param out  room for n
/// @return how many
std::size_t below(const float* values, const float* limits, float limit, std::size_t n, std::uint32_t* out);

/// Values in groups of `group`, the last one perhaps smaller: number g * block + l of `out` is the smallest of those
/// values of group g whose place is l modulo block.
/// @param n  a multiple of block  @param out  room for block numbers a group
/// @return how many
inline constexpr std::size_t group = 16 * block;
std::size_t minima(const float* values, std::size_t n, float* out);

/// What decides whether a new row at lower bound v may change the nonconformity score of row j in a way that matters.
struct Reach {
  const float* own;      ///< v < own[j] may change the own-class list; null if that does not matter
  const float* other;    ///< v < other[j] may change the other list; null if that does not matter
  const float* own_sum;  ///< and matters only if the distance is at most own_sum[j] * factor - rest[j]
  const float* rest;     ///<
  float factor;          ///< > 0, finite
  bool squared;          ///< v is half the square of a distance, instead of a distance
};

/// Indices j of [0, n), ascending, that `reach` lets through.
std::size_t within_reach(const float* values, const Reach& reach, std::size_t n, std::uint32_t* out);

}  // namespace credence::neighbours::screen
