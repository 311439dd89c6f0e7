#include "credence/selection/unfinished.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <variant>

#include "selection/race/race.hpp"

namespace credence::selection {
namespace {

/// @param rows  of the data set
std::optional<double> growing_seconds(std::span<const Cell> grid, std::size_t best, const Options& options,
                                      std::size_t rows) {
  const std::size_t costs = options.has_costs() && options.learner() == Learner::svm ? cost_count(options) : 1;
  const Cell& chosen = grid[best];
  if (chosen.fit_seconds.empty()) return std::nullopt;
  double seconds = 0;
  for (std::size_t k = best - best % costs; k <= best; ++k) {
    const std::vector<double>& times = grid[k].fit_seconds;
    if (!times.empty()) seconds += std::accumulate(times.begin(), times.end(), 0.0) / static_cast<double>(times.size());
  }
  const auto resamples = static_cast<double>(std::max<std::size_t>(2, chosen.fit_seconds.size()));
  const double judged = static_cast<double>(chosen.rung > 0 ? chosen.rung : rows);
  const double trained = options.traits().folds ? judged * (resamples - 1) / resamples : judged;
  return seconds * std::pow(static_cast<double>(rows) / trained, 2);
}

}  // namespace

bool trains_best_cell(const Options& options) {
  if (options.learner() == Learner::knn) return false;
  if (options.final_classifier == FinalClassifier::random) return false;
  return options.traits().trains_cell && options.refit == Refit::all_rows;
}

std::optional<Reached> reached(const Selection& selection) {
  if (selection.stopped == core::StopReason::none || !selection.best || selection.partition() != nullptr)
    return std::nullopt;
  const std::size_t rung = selection.grid[*selection.best].rung;
  const auto settings =
      std::count_if(selection.grid.begin(), selection.grid.end(), [](const Cell& cell) { return cell.complete; });
  return Reached{static_cast<std::size_t>(settings), selection.grid.size(),
                 rung > 0 ? rung : selection.n - selection.set_aside, selection.n};
}

std::optional<double> seconds_to_train(const Selection& selection) {
  if (!selection.best || !trains_best_cell(selection.options)) return std::nullopt;
  return growing_seconds(selection.grid, *selection.best, selection.options, selection.n);
}

double seconds_kept_to_train(double seconds_left, const Options& options, const Forecast* forecast) {
  if (!trains_best_cell(options)) return 0;
  constexpr double margin = 2;
  constexpr double least = 0.1;
  constexpr double most = 0.5;
  double training = 0;
  if (forecast != nullptr && !forecast->grid.empty()) {
    std::optional<std::size_t> best;
    for (std::size_t k = 0; k < forecast->grid.size(); ++k)
      if (forecast->grid[k].complete && (!best || forecast->grid[k].error < forecast->grid[*best].error)) best = k;
    if (best)
      training = growing_seconds(forecast->grid, *best, options, forecast->rows + forecast->set_aside).value_or(0);
  }
  const double kept = std::max(margin * training, least * seconds_left);
  return kept > most * seconds_left ? 0 : kept;
}

}  // namespace credence::selection
