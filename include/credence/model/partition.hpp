#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "credence/core/context.hpp"
#include "credence/data/features.hpp"

namespace credence::model {

/// A partition of the feature space into regions, each the points that are nearer to its centre than to any other
/// (Euclidean distance; ties to the lowest index).
struct Partition {
  data::Features centres;  ///< regions x preprocessed columns

  std::size_t regions() const { return centres.rows(); }
  /// The region of each row, which depends on that row alone. Cost: rows x regions x columns, in blocks, on all
  /// threads.
  /// @throws Error invalid_data if rows and centres differ in columns; interrupted if the monitor says stop
  std::vector<std::uint32_t> regions_of(const data::Features& rows, const core::Context& context) const;
};

/// The rows of each region, ascending.
std::vector<std::vector<std::size_t>> rows_by_region(std::span<const std::uint32_t> region_of, std::size_t regions);

/// Splits rows into regions of at most about `size` rows. A set of more rows is cut at the median of its projections on
/// the line through the two centres that two-means finds on a sample of it; a set that is to become an odd number of
/// regions is cut beside the median. If rows are many, sets get about 4/5 `size` rows, and the training cost for each
/// row does not depend on n. The means of the final sets become the centres. Rows then go to their nearest centre, so
/// that a region can have more or fewer rows than its set had. A region with more than 3/2 `size` rows is cut again,
/// and a centre without rows is left out. Equal rows stay together.
///
/// The result depends on rows, size and seed, not on the number of threads.
/// Cost: O(rows x columns x log2(rows / size)), and that of Partition::regions_of a few times.
/// @param rows  preprocessed, at least one  @param size  rows of a region, at least 1
/// @throws Error interrupted if the monitor says stop
/// Source: the splitting is that of random-projection and two-means trees (Dasgupta and Freund, STOC 2008); regions
/// with SVMs of their own: Thomann, Blaschzyk, Meister, Steinwart, AISTATS 2017.
Partition fit_partition(const data::Features& rows, std::size_t size, std::uint64_t seed, const core::Context& context);

}  // namespace credence::model
