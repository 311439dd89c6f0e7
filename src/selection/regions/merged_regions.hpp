#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "credence/selection/partition.hpp"
#include "credence/selection/selector.hpp"

namespace credence::selection {

/// Some rows as the SVMs of regions get them: preprocessed, without a hint. The classes are those of all data.
data::Dataset prepared_rows(const data::Dataset& dataset, const FittedPartition& fitted,
                            std::span<const std::size_t> rows);

/// Rows as the SVMs of the partition get them.
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

/// Replaces balanced weights by the numbers n / (k n_c) of all weighted rows, as regions have other class shares.
void fix_balance(const data::Dataset& dataset, svm::ClassWeights& weights);

/// Trains the SVMs of a region, with the classes, C and gamma that were chosen, on all rows of the region.
/// @param rows  as prepared_rows gives them
RegionResult retrain_region(const data::Dataset& rows, const RegionReport& chosen, const Options& options,
                            const core::Context& context);

/// Gives a selection in regions SVMs that are trained on all rows: the partitions, the preprocessing and the choice of
/// each region stay, and rows that were set aside take part in the training of the regions in which they lie.
/// @param selection  complete, of some of the rows  @throws Error interrupted if the monitor says stop
void train_regions_on_all_rows(const data::Dataset& dataset, const core::Context& context, Selection& selection);

/// The same with SVMs that were trained elsewhere.
/// @param source  of all rows  @param trained  what retrain_region gave, region after region of each partition
void take_trained_regions(std::size_t rows, const RowSource& source, std::vector<std::vector<RegionResult>> trained,
                          Selection& selection);

/// The seed of a region's folds and of its honest estimate. @param seed  of the partition
std::uint64_t seed_of_region(std::uint64_t seed, std::size_t region);

/// What the partitions of a course found.
struct FoundInRegions {
  std::vector<JudgedPartition> judged;  ///< at least one; only the first may lack regions, and it alone has region_of
  const MeanOfPartitions& average;      ///< of the complete ones
  std::vector<double> curve;            ///< as PartitionReport has it
  const std::vector<bool>& unknown;     ///< as note_known_classes leaves it
};

Selection merged_regions(const data::Dataset& dataset, const RowSource& source, const Options& options,
                         FoundInRegions found, const core::Context& context);

/// Unmarks in `unknown` the rows whose class the regions of a partition distinguish from others.
void note_known_classes(const data::Dataset& dataset, const JudgedPartition& judged, std::vector<bool>& unknown);

/// The largest KKT violation of the SVMs of regions; none if all are within the tolerance.
std::optional<double> violation_of(const std::vector<RegionResult>& results);

/// The predictor of complete partitions, with calibration and fold models where rows were judged.
std::shared_ptr<Ensemble> merged_predictor(const data::Dataset& dataset, const RowSource& source,
                                           const Options& options, std::vector<JudgedPartition>& judged,
                                           const MeanOfPartitions* average);

/// The settings that a region of a further partition judges, gamma-major. One has the least mean loss in the regions of
/// the first partition, each weighted by the rows that it shares with this region. The others are one step from it in C
/// and in gamma, or have the least mean loss of all rows. Empty, for the whole grid, where the first partition judged
/// nothing.
/// @param first  with the losses of all settings  @param shared  rows of each region of `first` in this region
/// @param costs  of the grid
std::vector<std::uint8_t> near_settings(std::span<const RegionResult> first, std::span<const std::size_t> shared,
                                        std::size_t costs);

/// Chooses the region size among 500, 1,000, 2,000 and 4,000 rows. Blocks of 4,000 rows, a tenth of all and at least
/// two, are each split into regions of two sizes, and two partitions averaged. The sizes are compared by the soft
/// losses of the same rows, which vary about half as much as errors. Another size than 1,000 has to be better by more
/// than a standard error of the difference. With fewer than 8,000 rows the answer is 2,000. With more than 100,000,
/// where twice the cost takes minutes, and where rows belong to groups, the answer is 1,000. Cost: about a fifth of the
/// first partition with 1,000 rows in a region for each size that is tried.
/// @param dataset  whose labels and groups are used  @param options  of the method Regions, resolved
std::size_t chosen_region_size(const data::Dataset& dataset, const RowSource& source, const Options& options,
                               const core::Context& context);

/// Whether the mean loss falls by more than a standard error of the paired difference.
bool falls(std::span<const double> before, std::span<const double> after);

/// Runs regions in parallel, each on one thread; fewer regions than threads run one after the other on all threads.
std::vector<RegionResult> run_regions(const RegionCourse& course, bool judged, const core::Context& context);

/// The score of the options and its spread over the folds, as `cv` has them of one setting: from the out-of-fold labels
/// and scores of all rows. Pairs of an AUC are of one fold each. Log losses come from sigmoids that are cross-fitted in
/// each region of the first partition, where probabilities of the model are fitted too.
/// @param average  of one partition or more  @param dataset  whose labels and weights are used
/// @param options  with another score than the accuracy
Setting score_of_average(const MeanOfPartitions& average, const data::Dataset& dataset, const Options& options,
                         const core::Context& context);

}  // namespace credence::selection
