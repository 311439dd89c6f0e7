#include "selection/race/stages.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <optional>
#include <span>

#include "selection/choose/choose.hpp"
#include "selection/race/nested_rows.hpp"
#include "selection/race/rule.hpp"

namespace credence::selection {
namespace {

double normal_probability_below(double x) {
  return 0.5 * std::erfc(-x / std::numbers::sqrt2);
}

/// What a pilot says of the cells that a race will keep.
class Outlook {
 public:
  Outlook(const Pilot& pilot, const Options& options) : pilot_(pilot) {
    if (pilot.rung != nullptr) {
      losses_ = losses_of(pilot.rung->judged, options, preference(pilot.selection, options, true), pilot.rung->rows,
                          most_after_rung, 1);
      above_best_.assign(pilot.selection.grid.size(), std::numeric_limits<double>::infinity());
      const std::vector<double> known = standard_errors_above_best(*losses_);
      for (std::size_t k = 0; k < known.size(); ++k) above_best_[losses_->cells[k]] = known[k];
    } else {
      for (const Cell& cell : pilot.selection.grid) above_best_.push_back(above_best(cell));
    }
  }

  /// For each cell, the chance that it is not dropped on any of the samples, each of so many rows. The true difference
  /// is the pilot's plus a normal error of the pilot, and each sample adds an error of its own.
  std::vector<double> chances(std::span<const std::size_t> samples) const {
    std::vector<double> result;
    for (const double above : above_best_) {
      double chance = 0;
      double weights = 0;
      constexpr int nodes = 5;  // on either side of 0, half a standard error apart
      for (int node = -nodes; node <= nodes; ++node) {
        const double error = 0.5 * node;
        const double weight = std::exp(-error * error / 2);
        double stays = weight;
        for (const std::size_t rows : samples) {
          const double larger = std::sqrt(static_cast<double>(rows) / static_cast<double>(pilot_.rows));
          stays *= normal_probability_below(standard_errors_to_drop - (above + error) * larger);
        }
        chance += stays;
        weights += weight;
      }
      result.push_back(chance / weights);
    }
    return result;
  }

  /// The cells that go on from the smallest rung, the best first: known where the pilot judged it, else likely.
  std::vector<std::size_t> kept_on_first_rung() const {
    if (losses_) return survivors(*losses_);
    std::vector<std::size_t> kept(above_best_.size());
    std::iota(kept.begin(), kept.end(), std::size_t{0});
    std::erase_if(kept, [&](std::size_t k) { return !(above_best_[k] <= 1); });
    std::stable_sort(kept.begin(), kept.end(),
                     [&](std::size_t a, std::size_t b) { return above_best_[a] < above_best_[b]; });
    kept.resize(std::min(kept.size(), most_after_rung));
    return kept;
  }

  /// The best cell of each gamma on the pilot's rows.
  std::vector<std::size_t> best_of_gammas(std::size_t costs) const {
    std::vector<double> errors;
    for (const Cell& cell : pilot_.selection.grid)
      errors.push_back(cell.complete ? cell.error : std::numeric_limits<double>::infinity());
    return selection::best_of_gammas(errors, costs);
  }

 private:
  /// Without losses row by row, in standard errors of the best cell's error.
  double above_best(const Cell& cell) const {
    if (!cell.complete) return std::numeric_limits<double>::infinity();
    const double best = pilot_.selection.grid[*pilot_.selection.best].error;
    const double rows = static_cast<double>(pilot_.rows);
    // Squared errors of a regression vary about as their mean does.
    const bool regression = pilot_.selection.task == data::Task::regression;
    const double variance = regression ? 2 * best * best : std::max(best * (1 - best), 1 / rows);
    return variance > 0 ? (cell.error - best) / std::sqrt(variance / rows) : 0;
  }

  const Pilot& pilot_;
  std::optional<RungLosses> losses_;
  std::vector<double> above_best_;
};

/// How many of n rows the first `until` of the resamples leave out: each fold has its own, and each bootstrap sample a
/// share of 0.368.
std::size_t rows_left_out(std::size_t n, std::size_t until, std::size_t resamples, const Options& options) {
  if (!options.is<Bootstrap>()) return n * until / resamples;
  constexpr double drawn = 0.632;
  return static_cast<std::size_t>(static_cast<double>(n) * (1 - std::pow(drawn, static_cast<double>(until))));
}

/// At most so many cells go on.
void limit(std::vector<double>& chances, std::size_t most) {
  const double sum = std::accumulate(chances.begin(), chances.end(), 0.0);
  const double factor = std::min(1.0, static_cast<double>(most) / std::max(sum, 1.0));
  for (double& chance : chances) chance *= factor;
}

}  // namespace

std::vector<Stage> stages_of_race(const Pilot& pilot, const Options& options, std::size_t n) {
  const std::size_t cells = pilot.selection.grid.size();
  const std::size_t costs = cost_count(options);
  const auto resamples = static_cast<std::size_t>(pilot.selection.folds);
  const Outlook outlook(pilot, options);
  const std::vector<std::size_t> kept = outlook.kept_on_first_rung();
  const std::vector<std::size_t> of_gammas = outlook.best_of_gammas(costs);
  const auto best = std::span(kept).first(std::min<std::size_t>(1, kept.size()));
  std::vector<double> chances(cells, 1.0);  // of the present stage
  std::vector<bool> after_first;
  std::vector<bool> neighbours;      // of the best cell, which join after each rung
  std::vector<std::size_t> samples;  // that have dropped cells since the first rung
  std::vector<Stage> stages;
  const std::vector<std::size_t> sizes = rung_sizes(n);
  for (std::size_t r = 0; r + 1 < sizes.size(); ++r) {
    stages.push_back({.rows = sizes[r], .resamples = resamples, .chances = chances});
    const double growth = growth_after(sizes[r], n);
    neighbours = cells_after(best, growth, cells, costs, of_gammas);
    if (r == 0)
      after_first = cells_after(kept, growth, cells, costs, of_gammas);
    else
      samples.push_back(sizes[r]);
    chances = outlook.chances(samples);
    for (std::size_t k = 0; k < cells; ++k) chances[k] *= after_first[k] ? 1 : 0;
    if (r > 0) limit(chances, most_after_rung);
    for (std::size_t k = 0; k < cells; ++k)
      if (neighbours[k]) chances[k] = 1;
  }
  std::size_t since = 0;
  for (const LastRungPart& part : parts_of_last_rung(resamples)) {
    stages.push_back({.rows = n, .begins_rung = since == 0, .resamples = part.until - since, .chances = chances});
    since = part.until;
    const std::size_t looked_at = rows_left_out(n, part.until, resamples, options);
    samples.push_back(looked_at);
    const std::vector<double> alone = outlook.chances(std::vector{looked_at});
    std::vector<double> next = outlook.chances(samples);
    samples.pop_back();
    for (std::size_t k = 0; k < cells; ++k) {
      next[k] = after_first[k] ? next[k] : 0;
      if (neighbours[k]) next[k] = alone[k];
    }
    limit(next, part.most);
    for (std::size_t k = 0; k < cells; ++k) chances[k] = std::min(chances[k], next[k]);
  }
  return stages;
}

}  // namespace credence::selection
