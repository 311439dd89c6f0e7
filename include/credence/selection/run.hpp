#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "credence/selection/forecast.hpp"
#include "credence/selection/selector.hpp"

/// One run: the way, the forecast, the selection, the model, and what a time limit leaves of them.
namespace credence::selection {

/// Up to so many rows the chosen cell is trained for what is said of it alone.
inline constexpr std::size_t rows_trained_quickly = 5000;

enum class Training {
  none,
  quick,   ///< up to rows_trained_quickly rows, to see what is to be warned of
  wanted,  ///< a time limit keeps time for it
};

/// What the caller of a run wants.
struct RunRequest {
  Training training = Training::wanted;
  bool forecast = false;  ///< also where nothing depends on one
  /// Called before the selection begins, with the forecast if there is one.
  std::function<void(const Forecast*)> begins{};
  /// Those of the rows that looked_at_rows names, where the rows of the data set are elsewhere.
  const data::Dataset* looked_at = nullptr;
};

/// What a run leaves.
struct Run {
  /// Its options have the way that was taken. `later_warnings` has what is wrong with the model, and the sentence
  /// `unfinished`.
  Selection selection;
  std::shared_ptr<const model::Predictor> model;  ///< null where none was wanted, or none could be trained
  std::string unfinished;                         ///< what is not finished, and what became of the model; or empty
  std::exception_ptr failure;                     ///< of the training of a wanted model; the selection stands
  double training_seconds = 0;
};

/// Takes the way that the forecast and the time limit leave (way_of), selects, and trains what was chosen (fitted).
/// Where the monitor ends the selection, the best cell so far is trained, if that fits into the limit. Selections in
/// regions have no such cell: the partitions that are complete are their model, or there is none.
/// @throws Error as Selector
Run run(const data::Dataset& dataset, const Options& options, const RunRequest& request, const core::Context& context);
/// Does what comes after a selection that was made elsewhere.
Run finished(Selection selection, const data::Dataset& dataset, const RunRequest& request,
             const core::Context& context);

/// What is to be warned of in a model that was trained: it is that of the next best setting, its training did not
/// converge, it remembers its rows one by one (svm::memorised), or it gives all training rows one class.
/// Cost: predictions of at most 1000 rows. The last two are not looked for in regressions, for a relevance vector
/// machine that warns of being a constant itself, and once the monitor says stop.
/// @param training  the rows of the training
/// @param looked_at  as in RunRequest
std::vector<std::string> trained_warnings(const model::Predictor& model, const data::Dataset& training,
                                          const core::Context& context, const data::Dataset* looked_at = nullptr);

/// How far a selection came.
struct Reached {
  std::size_t settings = 0;  ///< cells among which the best was chosen, all judged on the same rows
  std::size_t of_settings = 0;
  std::size_t rows = 0;     ///< on which they were judged
  std::size_t of_rows = 0;  ///< of the data set
};

/// None of a selection that was not stopped, that has no choice yet, or that chooses for each cell of the feature
/// space.
std::optional<Reached> reached(const Selection& selection);

/// "INTERRUPTED: partial result, 3 of 144 cells"; empty for a complete selection.
std::string partial_mark(const Selection& selection);
/// The same: "TIME LIMIT: partial result, 7 of 30 runs".
std::string partial_mark(const Comparison& comparison);
/// What is left where a run is stopped: the mark of a partial result, and what became of the model that was wanted.
std::string unfinished_text(const Selection& selection, core::StopReason reason, bool trained);
/// Why a model lacks the p-values that its selection makes, and what to do next; empty if it has them.
std::string no_p_values_text(const Selection& selection, const model::Predictor& model);

/// Seconds, of those that a time limit leaves, that a selection is to keep for the training of its choice: twice what
/// the pilot's best cell would take, and at least a tenth. 0 where that is more than half, as the training would not
/// fit, and where the method trains no cell.
/// @param forecast  nullptr: none was made
double seconds_kept_to_train(double seconds_left, const Options& options, const Forecast* forecast);

}  // namespace credence::selection
