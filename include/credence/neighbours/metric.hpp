#pragma once

#include <array>

#include "credence/core/describe.hpp"

namespace credence::neighbours {

/// The distance between two rows x, z of d numbers. Every metric is symmetric to the last bit, and 0 for equal rows.
/// Sums run over features in ascending order in double, and every operation is rounded once (no fused multiply-add).
enum class Metric {
  euclidean,    ///< sqrt(sum (x_f - z_f)^2)
  manhattan,    ///< sum |x_f - z_f|
  cosine,       ///< 1 - cos(x, z), as 1/2 sum (x_f/|x| - z_f/|z|)^2; not defined for a row of zeros
  precomputed,  ///< the features are the distances to the training rows
};

constexpr auto words_of(Metric) {
  return std::array{core::Word{"euclidean", Metric::euclidean}, core::Word{"manhattan", Metric::manhattan},
                    core::Word{"cosine", Metric::cosine}, core::Word{"precomputed", Metric::precomputed}};
}

}  // namespace credence::neighbours
