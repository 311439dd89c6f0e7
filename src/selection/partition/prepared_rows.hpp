#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "credence/selection/partition.hpp"

namespace credence::selection {

/// Rows as `part_rows` gives them, for callers who know them.
data::Dataset prepared_rows(const data::Dataset& dataset, const FittedPartition& fitted,
                            std::span<const std::size_t> rows);

/// n / (k n_c) of all rows, by their weights, as numbers: in a part the classes have other shares.
void fix_balance(const data::Dataset& dataset, svm::ClassWeights& weights);

/// The machine of a part with the classes, C and gamma that were chosen, trained on all rows of the part.
/// @param rows  as part_rows gives them
PartResult retrain_part(const data::Dataset& rows, const PartReport& chosen, const Options& options,
                        const core::Context& context);

/// Gives a selection in parts machines that are trained on all rows: the partition, the preprocessing and the choice of
/// each part stay, and rows that were set aside take part in the training of the part in which they lie.
/// @param selection  complete, of some of the rows  @throws Error interrupted if the monitor says stop
void train_parts_on_all_rows(const data::Dataset& dataset, const core::Context& context, Selection& selection);

/// The seed of a part's folds and of its honest estimate.
std::uint64_t seed_of_part(std::uint64_t seed, std::size_t part);

}  // namespace credence::selection
