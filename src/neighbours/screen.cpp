#include "kernel/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "neighbours/screen.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.
#include <hwy/highway.h>

#include "neighbours/screen.hpp"

HWY_BEFORE_NAMESPACE();
namespace credence::neighbours::screen::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// At most `block` lanes: a block holds a whole number of vectors on every target.
using Floats = hn::CappedTag<float, block>;
using FloatVector = hn::Vec<Floats>;

/// As many points as registers hold sums for.
constexpr std::size_t points_at_once = hn::MaxLanes(Floats()) >= 16 ? 8 : 4;

template <Pairing pairing>
HWY_INLINE FloatVector accumulate(FloatVector sum, FloatVector a, FloatVector b) {
  if constexpr (pairing == Pairing::half_square)
    return hn::NegMulAdd(a, b, sum);
  else
    return hn::Add(sum, hn::Abs(hn::Sub(a, b)));
}

/// `points` points from number `first` on against `vectors` vectors of columns from number `vector` on.
template <Pairing pairing, std::size_t points, std::size_t vectors>
HWY_INLINE void panel(const Tile& tile, std::size_t first, std::size_t vector, float* HWY_RESTRICT out,
                      std::size_t stride) {
  const Floats tag;
  const std::size_t lanes = hn::Lanes(tag);
  const float* columns[vectors];
  FloatVector sum[points][vectors];
  for (std::size_t v = 0; v < vectors; ++v) {
    const std::size_t j = (vector + v) * lanes;
    columns[v] = tile.columns + j / block * tile.d * block + j % block;
    const FloatVector start = hn::Load(tag, tile.column_starts + j);
    for (std::size_t p = 0; p < points; ++p) sum[p][v] = hn::Add(start, hn::Set(tag, tile.point_starts[first + p]));
  }
  const float* HWY_RESTRICT x = tile.points + first * tile.d;
  for (std::size_t f = 0; f < tile.d; ++f) {
    FloatVector column[vectors];
    for (std::size_t v = 0; v < vectors; ++v) column[v] = hn::Load(tag, columns[v] + f * block);
    for (std::size_t p = 0; p < points; ++p) {
      const FloatVector value = hn::Set(tag, x[p * tile.d + f]);
      for (std::size_t v = 0; v < vectors; ++v) sum[p][v] = accumulate<pairing>(sum[p][v], value, column[v]);
    }
  }
  for (std::size_t p = 0; p < points; ++p)
    for (std::size_t v = 0; v < vectors; ++v)
      hn::Store(sum[p][v], tag, out + (first + p) * stride + (vector + v) * lanes);
}

template <Pairing pairing, std::size_t points>
void row_of_panels(const Tile& tile, std::size_t first, float* out, std::size_t stride) {
  const std::size_t total = tile.block_count * block / hn::Lanes(Floats());
  std::size_t vector = 0;
  for (; vector + 2 <= total; vector += 2) panel<pairing, points, 2>(tile, first, vector, out, stride);
  if (vector < total) panel<pairing, points, 1>(tile, first, vector, out, stride);
}

template <Pairing pairing>
void lower_bounds_of(const Tile& tile, float* out, std::size_t stride) {
  std::size_t p = 0;
  for (; p + points_at_once <= tile.count; p += points_at_once)
    row_of_panels<pairing, points_at_once>(tile, p, out, stride);
  for (; p < tile.count; ++p) row_of_panels<pairing, 1>(tile, p, out, stride);
}

void LowerBounds(const Tile& tile, float* out, std::size_t stride) {
  if (tile.pairing == Pairing::half_square)
    lower_bounds_of<Pairing::half_square>(tile, out, stride);
  else
    lower_bounds_of<Pairing::manhattan>(tile, out, stride);
}

/// Appends first + l for each true lane l.
template <class Mask>
HWY_INLINE std::size_t append(Floats tag, Mask mask, std::size_t first, std::uint32_t* out, std::size_t count) {
  if (hn::AllFalse(tag, mask)) return count;
  std::uint8_t bytes[8] = {};  // StoreMaskBits may write eight
  hn::StoreMaskBits(tag, mask, bytes);
  for (unsigned bits = bytes[0] | static_cast<unsigned>(bytes[1]) << 8U; bits != 0; bits &= bits - 1)
    out[count++] = static_cast<std::uint32_t>(first) + static_cast<std::uint32_t>(__builtin_ctz(bits));
  return count;
}

std::size_t Below(const float* values, const float* limits, float limit, std::size_t n, std::uint32_t* out) {
  const Floats tag;
  const FloatVector all = hn::Set(tag, limit);
  std::size_t count = 0;
  for (std::size_t j = 0; j < n; j += hn::Lanes(tag)) {
    const FloatVector here = limits == nullptr ? all : hn::Max(all, hn::Load(tag, limits + j));
    count = append(tag, hn::Lt(hn::Load(tag, values + j), here), j, out, count);
  }
  return count;
}

std::size_t Minima(const float* values, std::size_t n, float* out) {
  const Floats tag;
  std::size_t count = 0;
  for (std::size_t first = 0; first < n; first += group, count += block) {
    const std::size_t end = first + group < n ? first + group : n;
    for (std::size_t lane = 0; lane < block; lane += hn::Lanes(tag)) {
      FloatVector least = hn::Load(tag, values + first + lane);
      for (std::size_t j = first + block; j < end; j += block) least = hn::Min(least, hn::Load(tag, values + j + lane));
      hn::Store(least, tag, out + count + lane);
    }
  }
  return count;
}

std::size_t WithinReach(const float* values, const Reach& reach, std::size_t n, std::uint32_t* out) {
  const Floats tag;
  const FloatVector factor = hn::Set(tag, reach.factor);
  const FloatVector half = hn::Set(tag, 0.5F);
  const FloatVector lowest = hn::Set(tag, -std::numeric_limits<float>::infinity());
  std::size_t count = 0;
  for (std::size_t j = 0; j < n; j += hn::Lanes(tag)) {
    const FloatVector value = hn::Load(tag, values + j);
    auto mask = hn::Lt(value, reach.own == nullptr ? lowest : hn::Load(tag, reach.own + j));
    if (reach.other != nullptr) {
      const FloatVector product = hn::Mul(hn::Load(tag, reach.own_sum + j), factor);
      FloatVector farthest = hn::Max(hn::Sub(product, hn::Load(tag, reach.rest + j)), hn::Zero(tag));
      if (reach.squared) farthest = hn::Mul(hn::Mul(farthest, farthest), half);
      const auto matters = hn::And(hn::Lt(value, hn::Load(tag, reach.other + j)), hn::Le(value, farthest));
      mask = hn::Or(mask, matters);
    }
    count = append(tag, mask, j, out, count);
  }
  return count;
}

}  // namespace credence::neighbours::screen::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace credence::neighbours::screen {

HWY_EXPORT(LowerBounds);
HWY_EXPORT(Below);
HWY_EXPORT(Minima);
HWY_EXPORT(WithinReach);

void lower_bounds(const Tile& tile, float* out, std::size_t stride) {
  HWY_DYNAMIC_DISPATCH(LowerBounds)(tile, out, stride);
}

std::size_t below(const float* values, const float* limits, float limit, std::size_t n, std::uint32_t* out) {
  return HWY_DYNAMIC_DISPATCH(Below)(values, limits, limit, n, out);
}

std::size_t minima(const float* values, std::size_t n, float* out) {
  return HWY_DYNAMIC_DISPATCH(Minima)(values, n, out);
}

std::size_t within_reach(const float* values, const Reach& reach, std::size_t n, std::uint32_t* out) {
  return HWY_DYNAMIC_DISPATCH(WithinReach)(values, reach, n, out);
}

}  // namespace credence::neighbours::screen
#endif
