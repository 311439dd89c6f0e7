#pragma once

#include <cstddef>
#include <vector>

#include "credence/selection/selector.hpp"

/// What every selection method does before its own work: the checks of data and options, and the head of the report.
namespace credence::selection {

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
/// @param dataset  all rows that took part: its schema, the hint left out, and its rows are noted and kept
/// @param with_rows  false: they are neither noted nor kept
void set_head(model::Predictor& predictor, const data::Dataset& dataset, data::Preprocessing preprocessing,
              const Options& options, bool with_rows = true);

}  // namespace credence::selection
