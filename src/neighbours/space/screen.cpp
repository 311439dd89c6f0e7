#include <algorithm>
#include <limits>

#include "kernel/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "neighbours/space/screen.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.
#include <hwy/highway.h>

#include "neighbours/space/screen.hpp"

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

/// Hands the lower bounds of `points` points from number `first` on to `vectors` vectors of columns from number
/// `vector` on to take(sums).
template <Pairing pairing, std::size_t points, std::size_t vectors, class Take>
HWY_INLINE void panel(const Tile& tile, std::size_t first, std::size_t vector, const Take& take) {
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
  take(sum);
}

/// Writes sums to where a point and a column have their place.
struct Store {
  float* out;
  std::size_t stride;

  template <std::size_t points, std::size_t vectors>
  HWY_INLINE void operator()(std::size_t first, std::size_t vector, FloatVector (&sum)[points][vectors]) const {
    const Floats tag;
    for (std::size_t p = 0; p < points; ++p)
      for (std::size_t v = 0; v < vectors; ++v)
        hn::Store(sum[p][v], tag, out + (first + p) * stride + (vector + v) * hn::Lanes(tag));
  }
};

/// The true lanes as bits.
HWY_INLINE unsigned bits_of(Floats tag, hn::Mask<Floats> mask) {
  std::uint8_t bytes[8] = {};  // StoreMaskBits may write eight
  hn::StoreMaskBits(tag, mask, bytes);
  return bytes[0] | static_cast<unsigned>(bytes[1]) << 8U;
}

/// Appends first + l for each true lane l.
HWY_INLINE std::size_t append(Floats tag, auto mask, std::size_t first, std::uint32_t* out, std::size_t count) {
  if (hn::AllFalse(tag, mask)) return count;
  for (unsigned bits = bits_of(tag, mask); bits != 0; bits &= bits - 1)
    out[count++] = static_cast<std::uint32_t>(first) + static_cast<std::uint32_t>(__builtin_ctz(bits));
  return count;
}

/// Keeps the pairs below one of their limits. Nearly all panels hold none, so one branch decides for a panel.
struct Keep {
  const float* point_limits;
  const float* column_limits;
  NearPair* out;
  std::size_t* count;

  template <std::size_t points, std::size_t vectors>
  HWY_INLINE void operator()(std::size_t first, std::size_t vector, FloatVector (&sum)[points][vectors]) const {
    const Floats tag;
    const std::size_t lanes = hn::Lanes(tag);
    hn::Mask<Floats> any = hn::FirstN(tag, 0);
    for (std::size_t v = 0; v < vectors; ++v) {
      const FloatVector here = hn::Load(tag, column_limits + (vector + v) * lanes);
      for (std::size_t p = 0; p < points; ++p) {
        const FloatVector limit = hn::Max(here, hn::Set(tag, point_limits[first + p]));
        any = hn::Or(any, hn::Lt(sum[p][v], limit));
      }
    }
    if (HWY_LIKELY(hn::AllFalse(tag, any))) return;
    HWY_ALIGN float values[block];
    for (std::size_t v = 0; v < vectors; ++v) {
      const std::size_t j = (vector + v) * lanes;
      const FloatVector here = hn::Load(tag, column_limits + j);
      for (std::size_t p = 0; p < points; ++p) {
        const auto mask = hn::Lt(sum[p][v], hn::Max(here, hn::Set(tag, point_limits[first + p])));
        if (HWY_LIKELY(hn::AllFalse(tag, mask))) continue;
        hn::Store(sum[p][v], tag, values);
        for (unsigned bits = bits_of(tag, mask); bits != 0; bits &= bits - 1) {
          const auto lane = static_cast<std::uint32_t>(__builtin_ctz(bits));
          out[(*count)++] = {static_cast<std::uint32_t>(first + p), static_cast<std::uint32_t>(j) + lane, values[lane]};
        }
      }
    }
  }
};

template <Pairing pairing, std::size_t points, class Take>
HWY_INLINE void row_of_panels(const Tile& tile, std::size_t first, const Take& take) {
  const std::size_t total = tile.block_count * block / hn::Lanes(Floats());
  std::size_t vector = 0;
  for (; vector + 2 <= total; vector += 2)
    panel<pairing, points, 2>(tile, first, vector, [&](auto& sum) HWY_ATTR { take(first, vector, sum); });
  if (vector < total)
    panel<pairing, points, 1>(tile, first, vector, [&](auto& sum) HWY_ATTR { take(first, vector, sum); });
}

template <Pairing pairing, class Take>
HWY_INLINE void panels_of(const Tile& tile, const Take& take) {
  std::size_t p = 0;
  for (; p + points_at_once <= tile.count; p += points_at_once) row_of_panels<pairing, points_at_once>(tile, p, take);
  for (; p < tile.count; ++p) row_of_panels<pairing, 1>(tile, p, take);
}

HWY_INLINE void all_panels(const Tile& tile, const auto& take) {
  if (tile.pairing == Pairing::half_square)
    panels_of<Pairing::half_square>(tile, take);
  else
    panels_of<Pairing::manhattan>(tile, take);
}

void LowerBounds(const Tile& tile, float* out, std::size_t stride) {
  all_panels(tile, Store{out, stride});
}

std::size_t NearPairs(const Tile& tile, const float* point_limits, const float* column_limits, NearPair* out) {
  std::size_t count = 0;
  all_panels(tile, Keep{point_limits, column_limits, out, &count});
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
HWY_EXPORT(NearPairs);
HWY_EXPORT(Below);
HWY_EXPORT(Minima);
HWY_EXPORT(WithinReach);

void lower_bounds(const Tile& tile, float* out, std::size_t stride) {
  HWY_DYNAMIC_DISPATCH(LowerBounds)(tile, out, stride);
}

std::size_t near_pairs(const Tile& tile, const float* point_limits, const float* column_limits, NearPair* out) {
  return HWY_DYNAMIC_DISPATCH(NearPairs)(tile, point_limits, column_limits, out);
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
