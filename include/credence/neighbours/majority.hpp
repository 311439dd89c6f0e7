#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "credence/core/context.hpp"
#include "credence/data/features.hpp"
#include "credence/neighbours/metric.hpp"

namespace credence::neighbours {

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
