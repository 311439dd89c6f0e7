#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "credence/selection/partition.hpp"

namespace credence::selection {

/// The cells that a region of a further partition judges, gamma-major: the cell with the least mean loss in the regions
/// of the first partition, each weighted by the rows that it shares with this region, the cells one step from this cell
/// in C and in gamma, and the cell with the least mean loss of all rows. Empty, for the whole grid, where the first
/// partition judged nothing.
/// @param first  with the losses of all cells  @param shared  rows that each region of `first` shares with the region
/// @param costs  of the grid
std::vector<std::uint8_t> near_cells(std::span<const RegionResult> first, std::span<const std::size_t> shared,
                                     std::size_t costs);

}  // namespace credence::selection
