#pragma once

#include <cstddef>
#include <optional>

#include "credence/selection/forecast.hpp"
#include "credence/selection/selector.hpp"

/// What a selection that a time limit ends leaves, and the time that the training of its choice needs.
namespace credence::selection {

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

/// Whether the method hands over its best cell trained on all rows: not a model of its own, and no model of rows that
/// the choice leaves out.
bool trains_best_cell(const Options& options);

/// Seconds for which the best cell would train on all rows: those of its machines and of the smaller costs before it on
/// the rows that judged them, grown with the square of the rows. None without a best cell or its times.
std::optional<double> seconds_to_train(const Selection& selection);

/// Seconds, of those that a time limit leaves, that a selection is to keep for the training of its choice: twice what
/// the pilot's best cell would take, and at least a tenth. 0 where that is more than half, as the training would not
/// fit, and where the method trains no cell.
/// @param forecast  nullptr: none was made
double seconds_kept_to_train(double seconds_left, const Options& options, const Forecast* forecast);

}  // namespace credence::selection
