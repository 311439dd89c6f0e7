#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "credence/selection/partition.hpp"

namespace credence::selection {

/// Rows as `part_rows` gives them, for callers who know them.
data::Dataset prepared_rows(const data::Dataset& dataset, const FittedPartition& fitted,
                            std::span<const std::size_t> rows);

/// The seed of a part's folds and of its honest estimate.
std::uint64_t seed_of_part(std::uint64_t seed, std::size_t part);

}  // namespace credence::selection
