#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "credence/selection/partition.hpp"
#include "credence/selection/selector.hpp"

namespace credence::selection {

/// What the partitions of a course found.
struct FoundInRegions {
  std::vector<JudgedPartition> judged;  ///< at least one; only the first may lack regions, and it alone has region_of
  const MeanOfPartitions& average;      ///< of the complete ones
  std::vector<double> curve;            ///< as PartitionReport has it
  const std::vector<bool>& unknown;     ///< as note_known_classes leaves it
};

Selection merged_regions(const data::Dataset& dataset, const RowSource& source, const Options& options,
                         FoundInRegions found, const core::Context& context);

/// Takes off the rows whose class the regions of a partition tell apart from others.
void note_known_classes(const data::Dataset& dataset, const JudgedPartition& judged, std::vector<bool>& unknown);

/// The largest violation of the machines of regions; none if all are within the tolerance.
std::optional<double> violation_of(const std::vector<RegionResult>& results);

/// The predictor of complete partitions, with calibration and machines of the folds where rows were judged.
std::shared_ptr<Ensemble> merged_predictor(const data::Dataset& dataset, const RowSource& source,
                                           const Options& options, std::vector<JudgedPartition>& judged,
                                           const MeanOfPartitions* average);

/// The cells that a region of a further partition judges, gamma-major: the cell with the least mean loss in the regions
/// of the first partition, each weighted by the rows that it shares with this region, the cells one step from this cell
/// in C and in gamma, and the cell with the least mean loss of all rows. Empty, for the whole grid, where the first
/// partition judged nothing.
/// @param first  with the losses of all cells  @param shared  rows that each region of `first` shares with the region
/// @param costs  of the grid
std::vector<std::uint8_t> near_cells(std::span<const RegionResult> first, std::span<const std::size_t> shared,
                                     std::size_t costs);

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

/// The score of the options and its spread over the folds, as `cv` has them of one cell: from the out-of-fold labels
/// and scores of all rows. Pairs of an AUC are of one fold each. Log losses come from sigmoids that are cross-fitted in
/// each region of the first partition, where probabilities of the model are fitted too.
/// @param average  of one partition or more  @param dataset  of which labels and weights are looked at
/// @param options  with another score than the accuracy
Cell score_of_average(const MeanOfPartitions& average, const data::Dataset& dataset, const Options& options,
                      const core::Context& context);

}  // namespace credence::selection
