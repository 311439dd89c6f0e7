#include "selection/choose/choose.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <utility>

#include "selection/resample/prepared.hpp"

namespace credence::selection {

namespace {

/// Values of the axis other than gamma.
std::size_t costs_of_grid(const Selection& selection, const Options& options) {
  return options.learner() == Learner::knn ? selection.grid.size() : costs_of(options);
}

}  // namespace

bool same_space(const Cell& one, const Cell& other) {
  return one.kernel == other.kernel && one.scale == other.scale;
}

Options options_of_cell(const Options& options, const Cell& cell) {
  return cell.kernel ? in_space(options, *cell.scale, *cell.kernel) : options;
}

std::string_view name(GivenUp reason) {
  switch (reason) {
    case GivenUp::no:
      return "no";
    case GivenUp::step_budget:
      return "step budget";
    case GivenUp::step_limit:
      return "step limit";
  }
  return "";
}

std::vector<Cell> named_cells(std::span<const double> gammas, const Options& options) {
  std::vector<Cell> cells;
  if (options.learner() == Learner::knn) {
    for (const int k : options.k) {
      cells.emplace_back().k = k;
      cells.back().scale = options.preparation.scaling();
    }
    return cells;
  }
  const std::vector<GridKernel> kernels = kernels_of(options);
  for (std::size_t k = 0; k < gammas.size(); ++k) {
    Cell named;
    named.kernel = kernels[k].shape.type;
    named.scale = kernels[k].scaling;
    named.gamma = gammas[k];
    if (options.has_rvms()) {
      cells.push_back(named);
      continue;
    }
    for (const double cost : options.costs.axis()) {
      (options.costs.nu.empty() ? named.C : named.nu) = cost;
      cells.push_back(named);
    }
  }
  return cells;
}

std::vector<std::size_t> preference(const Selection& selection, const Options& options, bool usable_only) {
  const std::size_t costs = costs_of_grid(selection, options);
  std::vector<std::size_t> order;
  for (std::size_t k = 0; k < selection.grid.size(); ++k)
    if (!usable_only || selection.grid[k].complete) order.push_back(k);
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (a % costs != b % costs) return a % costs < b % costs;
    const Cell& one = selection.grid[a];
    const Cell& other = selection.grid[b];
    return same_space(one, other) && one.gamma != other.gamma ? one.gamma < other.gamma : a < b;
  });
  return order;
}

bool on_border(std::size_t index, std::size_t count) {
  return count > 1 && (index == 0 || index + 1 == count);
}

std::optional<double> selected_error(const Selection& selection) {
  if (selection.weighted || selection.options.score != Score::accuracy) return std::nullopt;
  return selection.chosen_error();
}

double deviation(std::span<const double> values) {
  if (values.size() < 2) return 0;
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

std::optional<std::size_t> smallest(std::span<const double> losses, std::span<const std::size_t> preference) {
  std::optional<std::size_t> best;
  for (const std::size_t cell : preference)
    if (!std::isnan(losses[cell]) && (!best || losses[cell] < losses[*best])) best = cell;
  return best;
}

std::vector<std::size_t> within_reach(std::span<const double> losses, std::span<const std::size_t> preference,
                                      const std::function<double(std::size_t cell)>& standard_error) {
  std::vector<std::size_t> near;
  const std::optional<std::size_t> best = smallest(losses, preference);
  if (!best) return near;
  const double limit = losses[*best] + standard_error(*best);
  std::ranges::copy_if(preference, std::back_inserter(near), [&](std::size_t cell) { return losses[cell] <= limit; });
  return near;
}

std::vector<std::size_t> averaged_members(std::span<const double> losses, std::span<const std::size_t> preference,
                                          const std::function<double(std::size_t cell)>& standard_error) {
  std::vector<std::size_t> members = within_reach(losses, preference, standard_error);
  std::ranges::stable_sort(members, {}, [&](std::size_t cell) { return losses[cell]; });
  members.resize(std::min(members.size(), CellAverage::most_members));
  std::ranges::sort(members);
  return members;
}

std::optional<std::size_t> chosen_by(Rule rule, std::span<const double> losses, std::span<const std::size_t> preference,
                                     const std::function<double(std::size_t cell)>& standard_error) {
  if (rule != Rule::one_se) return smallest(losses, preference);
  const std::vector<std::size_t> near = within_reach(losses, preference, standard_error);
  return near.empty() ? std::nullopt : std::optional(near.front());
}

std::string loss_name(const Selection& selection) {
  if (selection.options.task == data::Task::regression) return "mean squared error";
  const Options& options = selection.options;
  return (selection.weighted ? "weighted " : "") +
         (options.loss == Loss::soft ? "soft loss" : loss_title(options.score));
}

std::string score_name(const std::string& procedure, const Selection& selection) {
  return procedure + ' ' + loss_name(selection);
}

std::vector<double> losses_of_cells(const Selection& selection) {
  std::vector<double> losses;
  for (const Cell& cell : selection.grid) {
    const bool counts = cell.complete && std::isfinite(cell.error);
    losses.push_back(counts ? cell.error : std::numeric_limits<double>::quiet_NaN());
  }
  return losses;
}

void choose(const Options& options, Selection& selection, const std::function<bool(const Cell&)>& eligible) {
  const std::vector<std::size_t> order = preference(selection, options, true);
  std::vector<double> losses = losses_of_cells(selection);
  for (std::size_t k = 0; eligible && k < losses.size(); ++k)
    if (!eligible(selection.grid[k])) losses[k] = std::numeric_limits<double>::quiet_NaN();
  const auto best =
      chosen_by(options.rule_or_best(), losses, order, [&](std::size_t k) { return selection.grid[k].error_se; });
  if (!best) return;
  selection.best = best;
  losses[*best] = std::numeric_limits<double>::quiet_NaN();
  if (const auto next = smallest(losses, order)) selection.runner_up = next;
  const std::size_t values = costs_of_grid(selection, options);
  const auto in_space = [&](const Cell& cell) { return same_space(cell, selection.grid[*best]); };
  const auto first = static_cast<std::size_t>(std::ranges::find_if(selection.grid, in_space) - selection.grid.begin());
  const auto count = static_cast<std::size_t>(std::ranges::count_if(selection.grid, in_space));
  selection.best_on_border = on_border(*best % values, values) || on_border((*best - first) / values, count / values);
}

namespace {

bool ascend(const std::vector<Cell>& cells) {
  const auto not_above = [](const Cell& a, const Cell& b) { return !(a.gamma < b.gamma); };
  return std::adjacent_find(cells.begin(), cells.end(), not_above) == cells.end();
}

}  // namespace

WidthWalk::WidthWalk(const Options& options, const Selection& selection) {
  const std::vector<Cell>& cells = selection.grid;
  const std::size_t count = cells.size();
  if (!options.has_rvms() || count < 2 || !(cells.front().gamma > 0) || !ascend(cells)) return;
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
