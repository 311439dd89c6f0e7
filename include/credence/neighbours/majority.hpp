#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "credence/core/context.hpp"
#include "credence/data/features.hpp"
#include "credence/neighbours/metric.hpp"

namespace credence::neighbours {

/// Plain k-nearest-neighbour classification for k = 1, ..., most: the label that most of the k nearest rows have. Of
/// rows equally far that of the lower class counts as nearer; of labels that equally many have, that of the nearest
/// among their rows is taken.
/// @param labels  of the rows, 0 .. class_count - 1  @param most  1 <= most <= rows
/// @return a list of labels, one for each query, for every k
/// @throws Error invalid_argument for sizes that do not fit; invalid_data for a value that is not finite; interrupted
/// Cost: one brute-force query of the `most` nearest of each class. Source: Cover and Hart, IEEE Trans. IT 13 (1967).
std::vector<std::vector<int>> majority_labels(const data::Features& rows, std::span<const int> labels,
                                              std::size_t class_count, const data::Features& queries, std::size_t most,
                                              Metric metric, const core::Context& context);

}  // namespace credence::neighbours
