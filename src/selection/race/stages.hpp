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
  std::size_t resamples = 0;
  std::vector<double> chances{};  ///< that a cell is judged, for each of the grid
};

/// The stages of a race on n rows. The smallest rung, if the pilot has judged it, tells for certain which cells go on
/// from there. Later a cell goes on if it is worse than the best one by at most two standard errors. The pilot knows
/// the difference up to a standard error of its own, so that the cell has a chance to go on.
std::vector<Stage> stages_of_race(const Pilot& pilot, const Options& options, std::size_t n);

}  // namespace credence::selection
