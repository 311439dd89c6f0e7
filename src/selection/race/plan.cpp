#include "selection/race/plan.hpp"

#include <algorithm>
#include <memory>

#include "credence/core/error.hpp"
#include "credence/selection/forecast.hpp"
#include "selection/race/race.hpp"

namespace credence::selection {

RacePlan plan_race(const data::Dataset& dataset, const Options& options, const core::Context& context) {
  const std::string reason = reason_against_race(dataset, options);
  RacePlan plan;
  if (options.forecast && options.forecast->rows == dataset.rows()) plan.forecast = options.forecast;
  if (options.race() == Race::yes) {
    if (!reason.empty()) throw Error(ErrorCode::invalid_argument, "race: " + reason);
    plan.races = true;
    return plan;
  }
  if (!plan.forecast) plan.forecast = forecast(dataset, options, context);
  const std::shared_ptr<const Forecast>& cost = plan.forecast;
  if (!cost) return plan;
  plan.races = cost->races;
  const std::size_t costs = cost_count(options);
  if (!plan.races) {
    plan.wanted.emplace(std::vector<bool>(cost->gammas.size() * costs, true), costs, cost->gammas);
    plan.wanted->weigh(steps_of(cost->grid));
  }
  return plan;
}

void RacePlan::fall_back(const core::Context& context, Selection& selection) const {
  const auto complete = [](const Cell& cell) { return cell.complete; };
  if (!context.monitor.should_stop() || !forecast || forecast->grid.size() != selection.grid.size()) return;
  if (std::any_of(selection.grid.begin(), selection.grid.end(), complete)) return;
  for (std::size_t k = 0; k < selection.grid.size(); ++k) {
    const Cell parameters = selection.grid[k];  // gammas given by a word are resolved on all rows
    selection.grid[k] = forecast->grid[k];
    selection.grid[k].gamma = parameters.gamma;
  }
  selection.stopped = context.monitor.stop_reason();
}

}  // namespace credence::selection
