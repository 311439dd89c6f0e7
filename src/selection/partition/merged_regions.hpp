#pragma once

#include <memory>
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

}  // namespace credence::selection
