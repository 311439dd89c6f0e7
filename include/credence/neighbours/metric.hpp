#pragma once

#include <string_view>

namespace credence::neighbours {

/// How far apart two rows x, z of d numbers are. All are symmetric to the last bit, and 0 for equal rows. Sums run over
/// features in ascending order in double, every operation rounded once (no fused multiply-add).
enum class Metric {
  euclidean,    ///< sqrt(sum (x_f - z_f)^2)
  manhattan,    ///< sum |x_f - z_f|
  cosine,       ///< 1 - cos(x, z), as 1/2 sum (x_f/|x| - z_f/|z|)^2; not defined for a row of zeros
  precomputed,  ///< the features are the distances to the training rows
};

/// "euclidean", "manhattan", "cosine", "precomputed".
std::string_view name(Metric metric);
/// @throws Error invalid_argument, naming what is allowed
Metric parse_metric(std::string_view text);

}  // namespace credence::neighbours
