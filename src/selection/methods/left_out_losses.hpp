#pragma once

#include <functional>
#include <span>
#include <string>

#include "credence/selection/forecast.hpp"
#include "selection/grid/judged_grid.hpp"
#include "selection/resample/resamples.hpp"

/// The frame of methods that judge cells by the rows that resamples leave out.
namespace credence::selection {

/// What was found elsewhere of a selection by left-out losses.
struct FoundElsewhere {
  JudgedGrid judged;  ///< the grid of the options
  /// The calibration of the chosen cell, if it is known; else the cell is judged once more.
  std::function<const model::Calibration*(const Selection&)> calibration;
  /// Adds the nested estimate, if one was asked for.
  std::function<void(Selection&)> add_nested;
};

/// What a selection by left-out losses need not find out itself.
struct KnownBefore {
  FoundElsewhere* found = nullptr;     ///< nullptr: nothing
  const Forecast* forecast = nullptr;  ///< nullptr: none was made
};

/// The whole of a method that judges cells by the rows that resamples leave out.
/// @param procedure  see score_name
Selection select_by_left_out_losses(const data::Dataset& dataset, const Options& options,
                                    std::span<const Resample> resamples, const std::string& procedure,
                                    const core::Context& context, const KnownBefore& known = {});

}  // namespace credence::selection
