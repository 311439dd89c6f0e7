#include "selection/race/stages.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

#include "selection/choice.hpp"
#include "selection/race/nested_rows.hpp"
#include "selection/race/rule.hpp"

namespace credence::selection {
namespace {

/// Which cells of a pilot a race would keep.
class Keeper {
 public:
  Keeper(const Pilot& pilot, const Options& options) : pilot_(pilot) {
    if (pilot.rung == nullptr) return;
    losses_ = losses_of(pilot.rung->judged, options, preference(pilot.selection, options, true), pilot.rung->rows,
                        most_after_rung, true);
  }

  /// The best `most` or so of the cells that are left, the best first, after so many rows have judged them: those of
  /// the rung before too, where a part of the last rung has looked at others.
  std::vector<std::size_t> kept(std::size_t rows, std::size_t most, const std::vector<bool>& left) {
    if (!losses_) return close_to_best(most, left);
    losses_->most = most;
    const auto times = static_cast<std::uint32_t>(std::max<std::size_t>(1, (rows + pilot_.rows / 2) / pilot_.rows));
    return survivors(*losses_, std::vector<std::uint32_t>(pilot_.rows, times), left);
  }

 private:
  std::vector<std::size_t> close_to_best(std::size_t most, const std::vector<bool>& left) const {
    const std::vector<Cell>& grid = pilot_.selection.grid;
    const Cell& best = grid[*pilot_.selection.best];
    const double rows = static_cast<double>(pilot_.rows);
    const double se = std::sqrt(std::max(best.error * (1 - best.error), 1 / rows) / rows);
    std::vector<std::size_t> kept;
    for (std::size_t k = 0; k < grid.size(); ++k)
      if (left[k] && grid[k].complete && grid[k].error <= best.error + se) kept.push_back(k);
    std::stable_sort(kept.begin(), kept.end(),
                     [&](std::size_t a, std::size_t b) { return grid[a].error < grid[b].error; });
    kept.resize(std::min(kept.size(), most));
    return kept;
  }

  const Pilot& pilot_;
  std::optional<RungLosses> losses_;
};

}  // namespace

std::vector<Stage> stages_of_race(const Pilot& pilot, const Options& options, std::size_t n) {
  const std::size_t cells = pilot.selection.grid.size();
  const std::size_t costs = cost_count(options);
  Keeper keeper(pilot, options);
  std::vector<Stage> stages;
  std::vector<bool> left(cells, true);
  std::vector<std::size_t> sizes = rung_sizes(n);
  sizes.pop_back();
  for (const std::size_t rows : sizes) {
    stages.push_back({.rows = rows, .cells = left});
    left = cells_after(keeper.kept(rows, most_after_rung, left), true, cells, costs);
  }
  const auto resamples = static_cast<std::size_t>(pilot.selection.folds);
  std::size_t since = 0;
  for (const LastRungPart& part : parts_of_last_rung(resamples)) {
    const double share = static_cast<double>(part.until - since) / static_cast<double>(resamples);
    stages.push_back({.rows = n, .begins_rung = since == 0, .resamples = share, .cells = left});
    since = part.until;
    const std::size_t looked_at = sizes.back() + since * n / resamples;
    left = cells_after(keeper.kept(looked_at, part.most, left), false, cells, costs);
  }
  return stages;
}

}  // namespace credence::selection
