#pragma once

#include <cstddef>
#include <optional>

#include "credence/selection/selector.hpp"

/// Values of gamma beyond the ends of a grid, where relevance vector machines are chosen from (RvmCandidates::further).
namespace credence::selection {

/// One more value.
struct FurtherWidth {
  double gamma = 0;
  bool front = false;  ///< before the first cell, else behind the last
};

/// Which value comes next. The caller fits it, puts its cell into the grid at the end that was named, and chooses anew;
/// nothing but the scores decides, so threads do not.
class WidthWalk {
 public:
  /// @param selection  with the cells of the grid, one for each gamma
  WidthWalk(const Options& options, const Selection& selection);

  /// The value beyond the best cell, if that lies on the border. None once `further` values were added at that end, the
  /// last one added is no better than the best before it, some cell is not complete, or the run is to stop; nor where
  /// the values do not ascend, or the machine repeats its targets, as narrower ones do even more.
  std::optional<FurtherWidth> next(const Selection& selection, const core::Context& context);

  /// Says of the cells that were added that they were.
  void mark_added(Selection& selection) const;

 private:
  std::size_t further_ = 0;  ///< at either end; 0: no walk
  double first_ratio_ = 1;   ///< below 1
  double last_ratio_ = 1;    ///< above 1
  std::size_t front_ = 0;    ///< added so far
  std::size_t back_ = 0;
  std::optional<double> least_;  ///< the best score before the last value was added
};

}  // namespace credence::selection
