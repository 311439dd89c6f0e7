#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "credence/data/dataset.hpp"
#include "selection/grid/grid_run.hpp"

/// The growing subsets of the rows on which a race judges its cells.
namespace credence::selection {

/// Rows of each rung: the last has all n, the one before a quarter of them, and so on while at least `least_rung` rows
/// are left. One rung of n rows where n / 4 is less.
inline constexpr std::size_t least_rung = 1000;
inline constexpr std::size_t rung_factor = 4;
std::vector<std::size_t> rung_sizes(std::size_t n);

/// All rows in an order of which every beginning is a stratified sample: rows of the same class and of the same pattern
/// of resamples (for folds, the same fold) take turns in proportion to their number. Drawn by the seed.
std::vector<std::size_t> stratified_order(const data::Dataset& dataset, std::span<const Resample> resamples,
                                          std::uint64_t seed);

/// The first `count` rows of an order, ascending.
std::vector<std::size_t> first_rows(std::span<const std::size_t> order, std::size_t count);

/// What resamples of all rows are on some of the rows: the rows keep what they are in each.
std::vector<Resample> restricted(std::span<const Resample> resamples, std::span<const std::size_t> rows);

/// The data set of some rows, with what the resamples are made of left out.
data::Dataset rung_data(const data::Dataset& dataset, std::span<const std::size_t> rows);

}  // namespace credence::selection
