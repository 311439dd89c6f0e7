#pragma once

#include "credence/selection/partition.hpp"
#include "credence/selection/selector.hpp"

namespace credence::selection {

/// The score of the options and its spread over the folds, as `cv` has them of one cell: from the out-of-fold labels
/// and scores of all rows. Pairs of an AUC are of one fold each. Log losses come from sigmoids that are cross-fitted in
/// each region of the first partition, where probabilities of the model are fitted too.
/// @param average  of one partition or more  @param dataset  of which labels and weights are looked at
/// @param options  with another score than the accuracy
Cell score_of_average(const MeanOfPartitions& average, const data::Dataset& dataset, const Options& options,
                      const core::Context& context);

}  // namespace credence::selection
