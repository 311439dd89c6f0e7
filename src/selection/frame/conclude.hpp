#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "credence/selection/selector.hpp"
#include "selection/score/out_of_sample.hpp"

/// What every selection method does after its own work: the honest estimate, the warnings and the end of the report.
namespace credence::selection {

/// The estimate by nested cross-validation. What was selected stands, whatever becomes of it.
void add_nested(const data::Dataset& dataset, const Options& options, const core::Context& context,
                Selection& selection);

/// Stopped or complete, warnings, and the time.
void conclude(const data::Dataset& dataset, const Options& options, const core::Context& context, Selection& selection);

/// @param weighted  Selection::weighted
BbcOptions bbc_options(const Options& options, bool weighted = false);
/// The honest estimate of a method whose rule can be repeated on resampled rows, if it is wanted and can be made;
/// otherwise the selection gets a warning, or nothing if the run was stopped.
/// @param rows  rows judged  @param clusters  what is drawn as a whole (data::Dataset::clusters)
/// @param make  bootstrap_bias_corrected or bbc_of_smallest_loss with their arguments
void add_bbc(const Options& options, const core::Context& context, std::size_t rows, std::span<const int> clusters,
             const std::function<HonestEstimate(const core::Context&)>& make, Selection& selection);
/// Whether an honest estimate of that kind is to be made: asked for, and the grid was not stopped.
bool wants(Estimate estimate, const Options& options, const core::Context& context);

/// All that is left once the cells have their scores, for methods that choose the cell with the smallest: choose; an
/// honest estimate, by resampling the losses or what score and rule need, or by nested cross-validation; conclude.
/// @param losses  made only where nothing is kept for score and rule
/// @param own  makes the bootstrap correction of a choice that is not by the losses alone; empty: it is
using OwnEstimate = std::function<HonestEstimate(const core::Context&)>;
void finish(const data::Dataset& dataset, const Options& options, const core::Context& context,
            const std::function<LossTable()>& losses, const OutOfSample& said, Selection& selection,
            const OwnEstimate& own = {});

}  // namespace credence::selection
