#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "credence/selection/selector.hpp"
#include "selection/judge/judged_grid.hpp"

/// What surrounds the work of every selection method: checks of data and options and the head of the report before it;
/// the honest estimate, the warnings and the end of the report after it.
namespace credence::selection {

/// @throws Error invalid_argument if the data are not of the task asked for, or have more classes than the score takes;
/// invalid_data if nothing can be trained on them, or sample weights are given where relevance vector machines take
/// part
void check_data(const data::Dataset& dataset, const Options& options);

/// A Selection with everything that does not depend on the grid's results. Its `seconds` are the time of the start,
/// until `conclude` replaces them by the duration.
Selection begin_report(const data::Dataset& dataset, const Options& options, const core::Context& context);

/// Fills what every predictor of a selection has beside its models. The record lacks C, and has the tolerance of the
/// options' solver.
/// @param dataset  all rows that took part: its schema, without the hint, and its rows are noted and kept
/// @param with_rows  false: they are neither noted nor kept
void set_head(model::Predictor& predictor, const data::Dataset& dataset, data::Preprocessing preprocessing,
              const Options& options, bool with_rows = true);

/// Adds warnings of constant columns, folds without a class, groups, hints and fixed folds that the method does not
/// use, solves that did not converge, settings without a model, and what separates bounds from their theorem.
/// @param known  constant columns, where the preprocessing is known; otherwise it is fitted on all rows
void add_warnings(const data::Dataset& dataset, Selection& selection,
                  const std::optional<std::vector<std::string>>& known = std::nullopt);

/// Returns a warning if single precision cannot distinguish rows: C times the largest kernel value of a row with
/// itself, among at most 1,000 rows (looked_at_rows), is 1e8 or more.  @param options  resolved  @param C  0 for nu-SVC
std::string beyond_floats(const data::Dataset& dataset, const Options& options, double C,
                          const kernel::GammaRule& gamma);

/// Warns that the model of the chosen setting repeats its training targets.
void warn_of_memory(Selection& selection);

/// Stores the effective kernels of the chosen regression, and warns if they are many for the rows.
void note_effective(double effective, Selection& selection);

/// Sets whether the selection was stopped, its warnings and its time.
void conclude(const data::Dataset& dataset, const core::Context& context, Selection& selection);

/// @param weighted  Selection::weighted
BbcOptions bbc_options(const Options& options, bool weighted = false);
/// Adds the honest estimate of a method whose rule can be repeated on resampled rows, if it is wanted. If it cannot be
/// made, adds a warning. If the run is stopped, adds neither.
/// @param rows  rows judged  @param clusters  what is drawn as a whole (data::Dataset::clusters)
/// @param make  bootstrap_bias_corrected or bbc_of_smallest_loss with their arguments
void add_bbc(const Options& options, const core::Context& context, std::size_t rows, std::span<const int> clusters,
             const std::function<HonestEstimate(const core::Context&)>& make, Selection& selection);
/// Whether to make an honest estimate of that kind: it was asked for, and the grid was not stopped.
bool wants(Estimate estimate, const Options& options, const core::Context& context);

/// The bootstrap correction of the choice among the settings of a grid.
HonestEstimate bbc_of_choice(const data::Dataset& dataset, const Options& options, const JudgedGrid& judged,
                             const Selection& selection, const core::Context& context);

/// Does what is left once the settings have their errors, for methods that choose the smallest: it chooses, makes the
/// honest estimate by resampling the predictions, and concludes.
/// @param own  makes the bootstrap correction in place of bbc_of_choice; may be empty
using OwnEstimate = std::function<HonestEstimate(const core::Context&)>;
void finish(const data::Dataset& dataset, const Options& options, const core::Context& context,
            const JudgedGrid& judged, Selection& selection, const OwnEstimate& own = {});

}  // namespace credence::selection
