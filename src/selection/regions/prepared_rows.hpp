#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "credence/selection/partition.hpp"

namespace credence::selection {

/// Some rows as the machines of regions see them: preprocessed, without a hint. The classes are those of all data.
data::Dataset prepared_rows(const data::Dataset& dataset, const FittedPartition& fitted,
                            std::span<const std::size_t> rows);

/// Rows as the machines of the partition see them.
data::Features features_in(const FittedPartition& fitted, const data::Dataset& rows);

/// The first partition, without region_of. @param options  of the method Regions, resolved
/// @throws Error as RegionCourse
FittedPartition first_partition(const data::Dataset& dataset, const RowSource& source, const Options& options,
                                const core::Context& context);

/// The partition after `fitted`, with its preprocessing, and a seed made from the seed before; without region_of.
/// @param seed  of the first partition, by which learnt_rows are drawn  @param space  of the partition
FittedPartition next_partition(const data::Dataset& dataset, const RowSource& source, std::uint64_t seed,
                               const FittedPartition& fitted, std::size_t space, const core::Context& context);

/// The regions of raw rows, in blocks. What a row gets depends on that row alone.
std::vector<std::uint32_t> regions_of_rows(const data::Dataset& dataset, const FittedPartition& fitted,
                                           const core::Context& context);

/// Notes the rows of the training in the record, and keeps some of them, as Predictor::keep_known_rows.
/// @param predictor  with preprocessing and the seed of the record
void keep_rows(std::size_t rows, const RowSource& source, model::Predictor& predictor);

/// n / (k n_c) of all rows, by their weights, as numbers: in a region the classes have other shares.
void fix_balance(const data::Dataset& dataset, svm::ClassWeights& weights);

/// The machine of a region with the classes, C and gamma that were chosen, trained on all rows of the region.
/// @param rows  as prepared_rows gives them
RegionResult retrain_region(const data::Dataset& rows, const RegionReport& chosen, const Options& options,
                            const core::Context& context);

/// Gives a selection in regions machines that are trained on all rows: the partitions, the preprocessing and the choice
/// of each region stay, and rows that were set aside take part in the training of the regions in which they lie.
/// @param selection  complete, of some of the rows  @throws Error interrupted if the monitor says stop
void train_regions_on_all_rows(const data::Dataset& dataset, const core::Context& context, Selection& selection);

/// The same with machines that were trained elsewhere.
/// @param source  of all rows  @param trained  what retrain_region gave, region after region of each partition
void take_trained_regions(std::size_t rows, const RowSource& source, std::vector<std::vector<RegionResult>> trained,
                          Selection& selection);

/// The seed of a region's folds and of its honest estimate. @param seed  of the partition
std::uint64_t seed_of_region(std::uint64_t seed, std::size_t region);

}  // namespace credence::selection
