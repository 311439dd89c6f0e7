#pragma once

#include <memory>
#include <optional>

#include "credence/selection/forecast.hpp"
#include "credence/selection/selector.hpp"
#include "selection/grid/wanted_cells.hpp"

namespace credence::selection {

/// How a method that may race goes about its grid.
struct RacePlan {
  bool races = false;
  std::optional<WantedCells> wanted;  ///< all cells of an exact grid, with the gamma first that a pilot found best
  std::shared_ptr<const Forecast> forecast;  ///< none where no pilot was run

  /// Where the run was stopped before a cell was complete: gives the selection what the pilot found.
  void fall_back(const core::Context& context, Selection& selection) const;
};

/// @throws Error invalid_argument where Race::yes is asked for and cannot be had
RacePlan plan_race(const data::Dataset& dataset, const Options& options, const core::Context& context);

}  // namespace credence::selection
