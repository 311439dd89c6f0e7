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

/// One run: the forecast, the method that it leads to, the selection, the model, and what a time limit leaves of them.
namespace credence::selection {

/// Up to this number of rows the chosen setting is trained for its warnings alone (Training::quick).
inline constexpr std::size_t rows_trained_quickly = 5000;

enum class Training {
  none,
  quick,   ///< trained if there are at most rows_trained_quickly rows, for its warnings
  wanted,  ///< trained; a part of the time limit is kept for it
};

/// What the caller of a run wants.
struct RunRequest {
  Training training = Training::wanted;
  bool forecast = false;  ///< make one even if nothing depends on it
  /// Called before the selection begins, with the forecast if there is one.
  std::function<void(const Forecast*)> begins{};
  /// The rows that looked_at_rows names, if the features of the data set are stored elsewhere.
  const data::Dataset* looked_at = nullptr;
};

/// The result of a run.
struct Run {
  /// Its options are those that were used (way_of). `later_warnings` has the warnings of the model, and the sentence
  /// `unfinished`.
  Selection selection;
  std::shared_ptr<const model::Predictor> model;  ///< null where none was wanted, or none could be trained
  std::string unfinished;                         ///< what was left undone, and which model there is; or empty
  std::exception_ptr failure;                     ///< why a wanted model could not be trained; the selection is valid
  double training_seconds = 0;
};

/// Chooses the method by the forecast and the time limit (way_of), selects, and trains what was chosen (fitted).
/// Where the monitor ends the selection, the best setting so far is trained, if that fits into the limit. Selections in
/// regions have no such setting: the partitions that are complete are their model, or there is none.
/// @throws Error as Selector
Run run(const data::Dataset& dataset, const Options& options, const RunRequest& request, const core::Context& context);
/// Trains and describes the model of a selection that was made elsewhere.
Run finished(Selection selection, const data::Dataset& dataset, const RunRequest& request,
             const core::Context& context);

/// Warnings about a trained model: the next best setting was trained, training did not converge, the model remembers
/// its rows one by one (svm::memorised), or it gives all training rows one class.
/// Cost: predictions of at most 1000 rows. The last two are not checked in regressions, for a relevance vector
/// machine that warns of being a constant itself, and once the monitor says stop.
/// @param training  the rows of the training
/// @param looked_at  as in RunRequest
std::vector<std::string> trained_warnings(const model::Predictor& model, const data::Dataset& training,
                                          const core::Context& context, const data::Dataset* looked_at = nullptr);

/// How far a selection came.
struct Reached {
  std::size_t settings = 0;  ///< settings among which the best was chosen, all judged on the same rows
  std::size_t of_settings = 0;
  std::size_t rows = 0;     ///< on which they were judged
  std::size_t of_rows = 0;  ///< of the data set
};

/// None if the selection was not stopped, has no choice yet, or chooses for each region of the feature space.
std::optional<Reached> reached(const Selection& selection);

/// "INTERRUPTED: partial result, 3 of 144 settings"; empty for a complete selection.
std::string partial_mark(const Selection& selection);
/// The same for a comparison: "TIME LIMIT: partial result, 7 of 30 runs".
std::string partial_mark(const Comparison& comparison);
/// For a stopped run: the mark of a partial result, and what became of the model that was wanted.
std::string unfinished_text(const Selection& selection, core::StopReason reason, bool trained);
/// Why a model lacks the p-values that its selection makes, and what to do next; empty if it has them.
std::string no_p_values_text(const Selection& selection, const model::Predictor& model);

/// Returns how many of the remaining seconds a selection keeps for the training of its choice. It keeps the largest of
/// a fifth, three times the pilot's estimate of the training, and two seconds. If that is more than half, it keeps
/// half, or 1.25 times the estimate if this is larger. It keeps none if 1.25 times the estimate is more than three
/// quarters, because the training would not fit. It keeps none either if the method trains no setting.
/// @param forecast  nullptr: none was made
double seconds_kept_to_train(double seconds_left, const Options& options, const Forecast* forecast);

}  // namespace credence::selection
