#include "selection/race/plan.hpp"

#include <algorithm>
#include <memory>

#include "credence/core/error.hpp"
#include "credence/selection/forecast.hpp"
#include "selection/grid/judged_grid.hpp"
#include "selection/grid/wanted_cells.hpp"
#include "selection/resample/prepared.hpp"

namespace credence::selection {

PlannedGrid::PlannedGrid(const data::Dataset& dataset, const Options& options, std::span<const Resample> resamples,
                         const core::Context& context, const Forecast* forecast)
    : dataset_(dataset), options_(options), resamples_(resamples), context_(context), forecast_(forecast) {
  if (decides_to_race())
    race_.emplace(dataset, options, resamples, context, forecast_ != nullptr ? forecast_->first_rung.get() : nullptr);
}

bool PlannedGrid::decides_to_race() {
  if (forecast_ != nullptr && forecast_->rows != dataset_.rows()) forecast_ = nullptr;
  if (options_.race == Race::yes) {
    const std::string reason = reason_against_race(dataset_, options_);
    if (!reason.empty()) throw Error(ErrorCode::invalid_argument, "race: " + reason);
    return true;
  }
  if (forecast_ == nullptr) {
    own_ = forecast(dataset_, options_, context_);
    forecast_ = own_.get();
  }
  return forecast_ != nullptr && forecast_->races;
}

JudgedGrid PlannedGrid::judge() {
  if (race_) return race_->judge_last();
  std::optional<WantedCells> wanted;
  if (forecast_ != nullptr && forecast_->finished) {
    // All cells, with the gamma first that the pilot found best.
    const std::size_t costs = costs_of(options_);
    wanted.emplace(std::vector<bool>(forecast_->gammas.size() * costs, true), costs, forecast_->gammas);
    wanted->weigh(steps_of(forecast_->grid));
  }
  return judge_grid(dataset_, options_, resamples_, context_, {}, ScoredCells::if_they_fit, wanted);
}

void PlannedGrid::report(const JudgedGrid& judged, Selection& selection) {
  if (race_) race_->report(judged, selection);
  fall_back(selection);
}

void PlannedGrid::fall_back(Selection& selection) const {
  const auto complete = [](const Cell& cell) { return cell.complete; };
  if (!context_.monitor.should_stop() || forecast_ == nullptr) return;
  if (forecast_->grid.size() != selection.grid.size()) return;
  if (std::any_of(selection.grid.begin(), selection.grid.end(), complete)) return;
  for (std::size_t k = 0; k < selection.grid.size(); ++k) {
    const Cell parameters = selection.grid[k];  // gammas given by a word are resolved on all rows
    selection.grid[k] = forecast_->grid[k];
    selection.grid[k].gamma = parameters.gamma;
  }
  selection.stopped = context_.monitor.stop_reason();
}

}  // namespace credence::selection
