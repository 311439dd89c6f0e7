#include "selection/race/plan.hpp"

#include <memory>

#include "credence/core/error.hpp"
#include "credence/selection/forecast.hpp"
#include "selection/race/race.hpp"

namespace credence::selection {

RacePlan plan_race(const data::Dataset& dataset, const Options& options, const core::Context& context) {
  const std::string reason = reason_against_race(dataset, options);
  RacePlan plan;
  if (options.race() == Race::yes) {
    if (!reason.empty()) throw Error(ErrorCode::invalid_argument, "race: " + reason);
    plan.races = true;
    return plan;
  }
  const bool known = options.forecast && options.forecast->rows == dataset.rows();
  const std::shared_ptr<const Forecast> cost = known ? options.forecast : forecast(dataset, options, context);
  if (!cost) return plan;
  plan.races = cost->races;
  const std::size_t costs = cost_count(options);
  if (!plan.races) plan.wanted.emplace(std::vector<bool>(cost->gammas.size() * costs, true), costs, cost->gammas);
  return plan;
}

}  // namespace credence::selection
