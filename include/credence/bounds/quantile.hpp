#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

namespace credence::bounds {

/// Returns the p-quantile of one value or more, interpolated between order statistics (type 7 of Hyndman and Fan, The
/// American Statistician 50, 1996).  @param ascending  the values in order  @param p  in [0, 1]
inline double quantile(std::span<const double> ascending, double p) {
  const double at = p * static_cast<double>(ascending.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, ascending.size() - 1);
  return std::lerp(ascending[below], ascending[above], at - static_cast<double>(below));
}

}  // namespace credence::bounds
