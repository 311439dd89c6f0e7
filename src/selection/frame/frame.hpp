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

/// @throws Error invalid_argument if the data are not of the task asked for, or have more classes than the score;
/// invalid_data if nothing can be trained on them, or sample weights are given where relevance vector machines take
/// part
void check_data(const data::Dataset& dataset, const Options& options);

/// A Selection with everything that does not depend on the grid's results. Its `seconds` hold the time of the start
/// until `conclude` replaces it.
Selection begin_report(const data::Dataset& dataset, const Options& options, const core::Context& context);

/// Fills what every predictor of a selection carries beside its machines: the record lacks C, and has the tolerance of
/// the options' solver.
/// @param dataset  all rows that took part: its schema, the hint left out, and its rows are noted and kept
/// @param with_rows  false: they are neither noted nor kept
void set_head(model::Predictor& predictor, const data::Dataset& dataset, data::Preprocessing preprocessing,
              const Options& options, bool with_rows = true);

/// Constant columns, folds without a class, groups, hints and fixed folds that the method does not use, solves that
/// did not converge, settings without a machine; of methods with bounds, what separates them from their theorem.
/// @param known  constant columns, where the preprocessing is known; otherwise it is fitted on all rows
void add_warnings(const data::Dataset& dataset, Selection& selection,
                  const std::optional<std::vector<std::string>>& known = std::nullopt);

/// That single precision does not hold the rows apart: C times the largest kernel value of a row with itself, of at
/// most 1,000 rows (looked_at_rows), is 1e8 or more. Empty otherwise. @param options  resolved  @param C  0 of nu-SVC
std::string beyond_floats(const data::Dataset& dataset, const Options& options, double C,
                          const kernel::GammaRule& gamma);

/// Says that the machine of the chosen setting repeats its training targets.
void warn_of_memory(Selection& selection);

/// Keeps the effective kernels of a regression's chosen machine, and says if they are many for the rows.
void note_effective(double effective, Selection& selection);

/// Stopped or complete, warnings, and the time.
void conclude(const data::Dataset& dataset, const core::Context& context, Selection& selection);

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

/// The bootstrap correction of the choice among the settings of a grid.
HonestEstimate bbc_of_choice(const data::Dataset& dataset, const Options& options, const JudgedGrid& judged,
                             const Selection& selection, const core::Context& context);

/// All that is left once the settings have their scores, for methods that choose the setting with the smallest: choose;
/// an honest estimate, by resampling the predictions; conclude.
/// @param own  makes the bootstrap correction in place of bbc_of_choice, if it is not empty
using OwnEstimate = std::function<HonestEstimate(const core::Context&)>;
void finish(const data::Dataset& dataset, const Options& options, const core::Context& context,
            const JudgedGrid& judged, Selection& selection, const OwnEstimate& own = {});

}  // namespace credence::selection
