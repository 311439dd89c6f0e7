#pragma once

#include <memory>
#include <vector>

#include "credence/selection/partition.hpp"
#include "credence/selection/selector.hpp"

namespace credence::selection {

/// @param judged  at least one; only the first may lack regions  @param average  of the complete ones
/// @param curve  as PartitionReport has it
Selection merged_regions(const data::Dataset& dataset, const Options& options, std::vector<JudgedPartition> judged,
                         const MeanOfPartitions& average, std::vector<double> curve, const core::Context& context);

/// What the partitions found, region after region.
PartitionReport report_of(const Options& options, const std::vector<JudgedPartition>& judged);

/// The predictor of complete partitions, with calibration and machines of the folds where rows were judged.
std::shared_ptr<svm::PartitionPredictor> merged_predictor(const data::Dataset& dataset, const Options& options,
                                                          std::vector<JudgedPartition>& judged,
                                                          const MeanOfPartitions* average);

}  // namespace credence::selection
