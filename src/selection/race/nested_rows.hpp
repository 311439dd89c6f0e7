#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "credence/data/dataset.hpp"
#include "selection/resample/resamples.hpp"

/// The growing subsets of the rows on which a race judges its cells.
namespace credence::selection {

/// A race needs so many rows.
inline constexpr std::size_t least_rows_to_race = 4000;
/// Rows of the smallest rung of n rows, which are those of the larger sample of a pilot too: 1,000, or 2,000 from
/// 16,000 rows on.
std::size_t first_rung_size(std::size_t n);
/// Rows of each rung, ascending: the smallest, then n / 16, n / 4 and so on where they are at least twice the smallest,
/// and all n. The rung after the smallest has two to eight times its rows, the others four times those of the one
/// before. One rung of n rows where a race cannot be had.
std::vector<std::size_t> rung_sizes(std::size_t n);
/// Rows of the next rung over those of a rung with `rows`, in a race on n rows; 1 on the last rung.
double growth_after(std::size_t rows, std::size_t n);

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
