#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "credence/selection/selector.hpp"
#include "selection/score/out_of_sample.hpp"

/// What every selection method needs around its own work: the head of the report, the choice, the honest estimate, the
/// warnings.
namespace credence::selection {

/// Whether the grid has no other axis than gamma: relevance vector machines are the models, or choose the kernel.
bool chooses_gamma_alone(const Options& options);

/// @throws Error invalid_argument if the data are not of the task asked for, or have more classes than the score;
/// invalid_data if nothing can be trained on them, or sample weights are given where relevance vector machines take
/// part
void check_data(const data::Dataset& dataset, const Options& options);

/// A Selection with everything that does not depend on the grid's results. Its `seconds` hold the time of the start
/// until `conclude` replaces it.
Selection begin_report(const data::Dataset& dataset, const Options& options, const core::Context& context);

/// The gammas of the grid as reported: words resolved on all rows; a single 0 for kernels without gamma.
std::vector<double> reported_gammas(const data::Dataset& dataset, const Options& options);

/// Fills what every predictor of a selection carries beside its machines: the record lacks C, and has the tolerance of
/// the options' solver.
/// @param rows  rows trained on
void set_head(model::Predictor& predictor, data::Schema schema, data::Preprocessing preprocessing,
              const Options& options, std::size_t rows);

/// The cells of the grid (or one for each k of nearest neighbours) with their names and nothing else.
std::vector<Cell> named_cells(std::span<const double> gammas, const Options& options);

/// Cells in the order in which ties are settled: most regularised first, then smaller gamma.
/// @param usable_only  complete cells only
std::vector<std::size_t> preference(const Selection& selection, const Options& options, bool usable_only);

/// Whether the index is the first or the last of more than one.
bool on_border(std::size_t index, std::size_t count);

/// The error of the chosen cell, for the record of a model; none where cells have another score.
std::optional<double> selected_error(const Selection& selection);

/// Standard deviation (n - 1); 0 of fewer than two values.
double deviation(std::span<const double> values);

/// The cell with the smallest loss (NaN: not to be chosen); ties to the first in the order of preference.
std::optional<std::size_t> smallest(std::span<const double> losses, std::span<const std::size_t> preference);

/// What is to be small: "error", "weighted error", "soft loss", "1 - balanced accuracy", "mean squared error", ...
std::string loss_name(const Selection& selection);
/// That after what it was found by: "CV" -> "CV error".
std::string score_name(const std::string& procedure, const Selection& selection);

/// Fills best, runner_up and best_on_border, by the rule of the options, from the complete cells whose error is a
/// finite number.
/// @param eligible  which of them may be chosen; empty: all
void choose(const Options& options, Selection& selection, const std::function<bool(const Cell&)>& eligible = {});

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
