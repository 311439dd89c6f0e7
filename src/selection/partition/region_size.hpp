#pragma once

#include <cstddef>
#include <span>

#include "credence/selection/partition.hpp"

namespace credence::selection {

/// Chooses the rows of a region among 500, 1,000, 2,000 and 4,000. Blocks of 4,000 rows, a tenth of all and at least
/// two, are each split into regions of two sizes, and two partitions averaged; the sizes are compared by the soft
/// losses of the same rows, which vary about half as much as errors. Another size than 1,000 has to be better by more
/// than a standard error of the difference. With less than 8,000 rows the answer is 2,000. With more than 100,000,
/// where twice the cost is minutes, and where rows belong to groups, the answer is 1,000. Cost: about a fifth of the
/// first partition with 1,000 rows in a region for each size that is tried.
/// @param dataset  of which labels and groups are looked at  @param options  of the method Regions, resolved
std::size_t chosen_region_rows(const data::Dataset& dataset, const RowSource& source, const Options& options,
                               const core::Context& context);

/// Whether the mean loss falls by more than a standard error of the paired difference.
bool falls(std::span<const double> before, std::span<const double> after);

/// Whole regions in parallel, each on one thread; where they are fewer than the threads, one after the other on all.
std::vector<RegionResult> run_regions(const RegionCourse& course, bool judged, const core::Context& context);

}  // namespace credence::selection
