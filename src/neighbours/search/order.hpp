#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "credence/core/context.hpp"
#include "credence/data/features.hpp"
#include "neighbours/space/screen.hpp"

namespace credence::neighbours {

/// Rows of a leaf. Leaves are screened as wholes.
inline constexpr std::size_t leaf_rows = 4 * screen::block;
/// Leaves of a part, at most.
inline constexpr std::size_t part_leaves = 16;

/// Puts rows that are near to each other next to each other: the rows are halved at the median of the column in which
/// they vary most, again and again, down to a leaf of `screen` rows. Only speed depends on the order. Halves hold whole
/// leaves, and whole parts where they are large.
/// @param numbers  the rows that are to be ordered; the order is left there
/// Sparse rows and few rows stay as they are. The order does not depend on the number of threads.
void order_by_place(const data::Features& rows, std::span<std::size_t> numbers, const core::Context* context);

}  // namespace credence::neighbours
