#include "selection/choose/further_widths.hpp"

#include <algorithm>
#include <cmath>

#include "selection/choose/choose.hpp"

namespace credence::selection {
namespace {

bool ascend(const std::vector<Cell>& cells) {
  const auto not_above = [](const Cell& a, const Cell& b) { return !(a.gamma < b.gamma); };
  return std::adjacent_find(cells.begin(), cells.end(), not_above) == cells.end();
}

}  // namespace

WidthWalk::WidthWalk(const Options& options, const Selection& selection) {
  const std::vector<Cell>& cells = selection.grid;
  const std::size_t count = cells.size();
  if (!options.has_machines() || count < 2 || !(cells.front().gamma > 0) || !ascend(cells)) return;
  further_ = static_cast<std::size_t>(std::max(0, options.machines.further.value_or(0)));
  first_ratio_ = cells[0].gamma / cells[1].gamma;
  last_ratio_ = cells[count - 1].gamma / cells[count - 2].gamma;
}

std::optional<FurtherWidth> WidthWalk::next(const Selection& selection, const core::Context& context) {
  const bool complete =
      std::all_of(selection.grid.begin(), selection.grid.end(), [](const Cell& cell) { return cell.complete; });
  if (further_ == 0 || !selection.best || !complete || context.monitor.should_stop()) return std::nullopt;
  const Cell& best = selection.grid[*selection.best];
  const bool front = *selection.best == 0;
  std::size_t& added = front ? front_ : back_;
  if ((!front && *selection.best + 1 != selection.grid.size()) || added == further_ ||
      (best.evidence && best.evidence->memorised) || (least_ && !(best.error < *least_))) {
    return std::nullopt;
  }
  const double gamma = best.gamma * (front ? first_ratio_ : last_ratio_);
  if (!(gamma > 0 && std::isfinite(gamma))) return std::nullopt;
  least_ = best.error;
  ++added;
  return FurtherWidth{gamma, front};
}

void WidthWalk::mark_added(Selection& selection) const {
  for (std::size_t k = 0; k < selection.grid.size(); ++k)
    selection.grid[k].added = k < front_ || k + back_ >= selection.grid.size();
}

}  // namespace credence::selection
