#pragma once

#include <vector>

#include "credence/data/dataset.hpp"
#include "credence/selection/comparison.hpp"
#include "credence/selection/forecast.hpp"
#include "credence/selection/one_cell.hpp"
#include "run.hpp"

/// What a run will cost, on standard error before the run starts, where there are many rows.
namespace credence::cli {

/// Begins the work of a selection, whose forecast is printed unless the run is quiet. @param forecast  nullptr: none
void begin_work(const selection::Forecast* forecast, Run& run);
/// The forecast of a comparison: the sum over methods and outer folds.
void print_forecast(const data::Dataset& dataset, const std::vector<selection::Contestant>& contestants,
                    const selection::ComparisonOptions& options, Run& run);
/// The forecast of a selection on a share of the rows, and that it is one of so many. The selection makes a forecast of
/// its own, on its own rows.
void print_forecast(const data::Dataset& dataset, double share, int times, const selection::Options& options, Run& run);
/// The forecast of one cell that is trained `times` times, on a share of the rows each.
void print_forecast(const data::Dataset& dataset, double share, int times, const selection::OneCell& cell, Run& run);
/// The forecast of one cell trained on all rows, and on the training rows of each fold.
void print_forecast(const data::Dataset& dataset, const selection::OneCell& cell, int folds, Run& run);

}  // namespace credence::cli
