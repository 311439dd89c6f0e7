#pragma once

#include <cstddef>
#include <vector>

#include "selection/race/pilot.hpp"

/// What a race is likely to do, derived from a pilot.
namespace credence::selection {

/// A rung of a race, or a part of the last one.
struct Stage {
  std::size_t rows = 0;
  bool begins_rung = true;
  double resamples = 1;     ///< their share
  std::vector<bool> cells;  ///< that are judged, for each of the grid
};

/// The stages of a race on n rows: after each, cells are dropped as if the losses of the pilot's rows were those of as
/// many rows as the stage has judged. A pilot that judged no rung has no losses row by row: the cells within a standard
/// error of its best one stay.
std::vector<Stage> stages_of_race(const Pilot& pilot, const Options& options, std::size_t n);

}  // namespace credence::selection
