#include "selection/choose/choose.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "core/numbers.hpp"
#include "credence/core/list.hpp"
#include "selection/resample/prepared.hpp"

namespace credence::selection {

namespace {

/// Values of the axis other than gamma.
std::size_t costs_of_grid(const Selection& selection, const Options& options) {
  return options.learner() == Learner::knn ? selection.grid.size() : costs_of(options);
}

}  // namespace

bool same_space(const Setting& one, const Setting& other) {
  return one.kernel == other.kernel && one.scale == other.scale;
}

Options options_of_setting(const Options& options, const Setting& setting) {
  return setting.kernel ? in_space(options, *setting.scale, *setting.kernel) : options;
}

std::string_view name(GivenUp reason) {
  return reason == GivenUp::no ? "no" : reason == GivenUp::step_budget ? "step budget" : "step limit";
}

std::vector<Setting> named_settings(std::span<const double> gammas, const Options& options) {
  std::vector<Setting> settings;
  if (options.learner() == Learner::knn) {
    for (const int k : options.k) {
      settings.emplace_back().k = k;
      settings.back().scale = options.preparation.scaling();
    }
    return settings;
  }
  const std::vector<GridKernel> kernels = kernels_of(options);
  for (std::size_t k = 0; k < gammas.size(); ++k) {
    Setting named;
    named.kernel = kernels[k].shape.type;
    named.scale = kernels[k].scaling;
    named.gamma = gammas[k];
    if (options.has_rvms()) {
      settings.push_back(named);
      continue;
    }
    for (const double cost : options.costs.axis()) {
      (options.costs.nu.empty() ? named.C : named.nu) = cost;
      settings.push_back(named);
    }
  }
  return settings;
}

std::vector<std::size_t> preference(const Selection& selection, const Options& options, bool usable_only) {
  const std::size_t costs = costs_of_grid(selection, options);
  std::vector<std::size_t> order = core::numbers_where(
      selection.grid.size(), [&](std::size_t k) { return !usable_only || selection.grid[k].complete; });
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    if (a % costs != b % costs) return a % costs < b % costs;
    const Setting& one = selection.grid[a];
    const Setting& other = selection.grid[b];
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
  const double mean = core::mean_of(values);
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

std::optional<std::size_t> smallest(std::span<const double> losses, std::span<const std::size_t> preference) {
  std::optional<std::size_t> best;
  for (const std::size_t setting : preference)
    if (!std::isnan(losses[setting]) && (!best || losses[setting] < losses[*best])) best = setting;
  return best;
}

std::vector<std::size_t> within_reach(std::span<const double> losses, std::span<const std::size_t> preference,
                                      const std::function<double(std::size_t setting)>& standard_error) {
  std::vector<std::size_t> near;
  const std::optional<std::size_t> best = smallest(losses, preference);
  if (!best) return near;
  const double limit = losses[*best] + standard_error(*best);
  std::ranges::copy_if(preference, std::back_inserter(near), [&](std::size_t k) { return losses[k] <= limit; });
  return near;
}

std::vector<std::size_t> averaged_members(std::span<const double> losses, std::span<const std::size_t> preference,
                                          const std::function<double(std::size_t setting)>& standard_error) {
  std::vector<std::size_t> members = within_reach(losses, preference, standard_error);
  std::ranges::stable_sort(members, {}, [&](std::size_t setting) { return losses[setting]; });
  members.resize(std::min(members.size(), SettingAverage::most_members));
  std::ranges::sort(members);
  return members;
}

std::optional<std::size_t> chosen_by(Rule rule, std::span<const double> losses, std::span<const std::size_t> preference,
                                     const std::function<double(std::size_t setting)>& standard_error) {
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

std::vector<double> losses_of_settings(const Selection& selection) {
  return core::mapped(selection.grid, [](const Setting& setting) {
    return setting.complete && std::isfinite(setting.error) ? setting.error : core::nan;
  });
}

void choose(const Options& options, Selection& selection, const std::function<bool(const Setting&)>& eligible) {
  const std::vector<std::size_t> order = preference(selection, options, true);
  std::vector<double> losses = losses_of_settings(selection);
  for (std::size_t k = 0; eligible && k < losses.size(); ++k)
    if (!eligible(selection.grid[k])) losses[k] = std::numeric_limits<double>::quiet_NaN();
  const auto best =
      chosen_by(options.rule_or_best(), losses, order, [&](std::size_t k) { return selection.grid[k].error_se; });
  if (!best) return;
  selection.best = best;
  losses[*best] = std::numeric_limits<double>::quiet_NaN();
  if (const auto next = smallest(losses, order)) selection.runner_up = next;
  const std::size_t values = costs_of_grid(selection, options);
  const auto in_space = [&](const Setting& setting) { return same_space(setting, selection.grid[*best]); };
  const auto first = static_cast<std::size_t>(std::ranges::find_if(selection.grid, in_space) - selection.grid.begin());
  const auto count = static_cast<std::size_t>(std::ranges::count_if(selection.grid, in_space));
  selection.best_on_border = on_border(*best % values, values) || on_border((*best - first) / values, count / values);
}

namespace {

bool ascend(const std::vector<Setting>& settings) {
  const auto not_above = [](const Setting& a, const Setting& b) { return !(a.gamma < b.gamma); };
  return std::ranges::adjacent_find(settings, not_above) == settings.end();
}

}  // namespace

WidthWalk::WidthWalk(const Options& options, const Selection& selection) {
  const std::vector<Setting>& settings = selection.grid;
  const std::size_t count = settings.size();
  if (!options.has_rvms() || count < 2 || !(settings.front().gamma > 0) || !ascend(settings)) return;
  further_ = static_cast<std::size_t>(std::max(0, options.rvms.further.value_or(0)));
  first_ratio_ = settings[0].gamma / settings[1].gamma;
  last_ratio_ = settings[count - 1].gamma / settings[count - 2].gamma;
}

std::optional<FurtherWidth> WidthWalk::next(const Selection& selection, const core::Context& context) {
  const bool complete = std::ranges::all_of(selection.grid, &Setting::complete);
  if (further_ == 0 || !selection.best || !complete || context.monitor.should_stop()) return std::nullopt;
  const Setting& best = selection.grid[*selection.best];
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
