#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "credence/core/context.hpp"
#include "credence/core/describe.hpp"
#include "credence/data/features.hpp"

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

/// Classifies by plain k nearest neighbours for k = 1, ..., most: a query gets the label that most of its k nearest
/// rows have. Of rows at equal distance the row of the lower class counts as nearer. Of labels with equal counts the
/// label of the nearest row wins.
/// @param labels  label of each row, 0 .. class_count - 1  @param most  1 <= most <= rows
/// @return for each k a list of labels, one for each query
/// @throws Error invalid_argument for sizes that do not fit; invalid_data for a value that is not finite; interrupted
/// Cost: one brute-force query of the `most` nearest rows of each class. Source: Cover and Hart, IEEE Trans. IT 13
/// (1967).
std::vector<std::vector<int>> majority_labels(const data::Features& rows, std::span<const int> labels,
                                              std::size_t class_count, const data::Features& queries, std::size_t most,
                                              Metric metric, const core::Context& context);

}  // namespace credence::neighbours
