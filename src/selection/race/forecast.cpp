#include "credence/selection/forecast.hpp"

#include <algorithm>
#include <cmath>

#include "credence/kernel/gram.hpp"
#include "credence/selection/selector.hpp"
#include "kernel/row_base.hpp"
#include "selection/estimate/set_aside.hpp"
#include "selection/race/nested_rows.hpp"
#include "selection/race/pilot.hpp"
#include "selection/race/race.hpp"
#include "selection/race/stages.hpp"

namespace credence::selection {
namespace {

/// The power with which cost grows. Two samples tell the power of a grid of SVMs to about 0.2, and from 1,000 to 8,000
/// rows of eight data sets the updates grow with the power 1.97, with a standard deviation of 0.17: so the forecast
/// believes both as much. A power above 2.5 is mostly chance: rows that contradict each other cost many steps, and
/// in one of four draws of the set adult only the larger sample had any.
/// @param small_updates  of the cells in question  @param large_updates  of the same
double growth_of(const Pilot& small, const Pilot& large, double small_updates, double large_updates,
                 const Options& options) {
  constexpr double usual_of_svms = 2.0;
  constexpr double most_of_svms = 2.5;
  const bool counted = small_updates > 0 && large_updates > 0;
  const double ratio = counted ? large_updates / small_updates : large.seconds / small.seconds;
  const double growth = std::log(ratio) / std::log(static_cast<double>(large.rows) / static_cast<double>(small.rows));
  if (counted && options.learner() == Learner::svm) return (std::clamp(growth, 1.3, most_of_svms) + usual_of_svms) / 2;
  return std::clamp(growth, counted ? 1.3 : 1.0, 3.0);
}

/// Kernel rows of the pilot come from the processor's caches, those of the run from memory.
double slower_memory(std::size_t rows, const Forecast& forecast) {
  constexpr double in_cache = 4000;
  const double out = std::log2(std::max(1.0, static_cast<double>(rows) / in_cache));
  const double out_of_pilot = std::log2(std::max(1.0, static_cast<double>(forecast.pilot_rows) / in_cache));
  return 1 + 0.25 * std::min(3.0, out - out_of_pilot);
}

/// What an update takes on so many rows, as a multiple of what it takes in the pilot. A step costs its updates, one for
/// each row of the machine, and as much as 400 further ones.
double seconds_of_update(const Pilot& pilot, std::size_t rows, const Options& options) {
  if (options.learner() != Learner::svm) return 1;
  constexpr double further = 400;
  const auto classes = static_cast<double>(std::max<std::size_t>(2, pilot.selection.classes.size()));
  const double at_pilot = static_cast<double>(pilot.rows) * 2 / classes;
  const double at_rows = static_cast<double>(rows) * 2 / classes;
  return (1 + further / at_rows) / (1 + further / at_pilot);
}

/// Kernel matrices of `rows` rows for each gamma and resample.
double counted_kernel_values(const Selection& selection, const Options& options, std::size_t rows) {
  const double n = static_cast<double>(rows);
  return n * n / 2 * gammas_of(options) * matrices_of_gamma(selection, options);
}

/// The work that is done of an exact grid's.
struct Share {
  double updates = 1;
  double bases = 1;
  double grams = 1;
  double seconds_of_updates = 1;  ///< as a multiple of what they take in an exact grid
};

Cost grown(const Pilot& pilot, std::size_t rows, double growth, const Share& share, const Forecast& forecast,
           const Options& options, const core::Context& context) {
  Cost cost;
  const double larger = static_cast<double>(rows) / static_cast<double>(pilot.rows);
  const double factor = std::pow(larger, growth);
  cost.updates = pilot.updates * factor * share.updates;
  cost.seconds = (pilot.solver_seconds() * factor * share.updates * share.seconds_of_updates *
                      seconds_of_update(pilot, rows, options) +
                  pilot.gram_seconds * larger * larger * share.grams) *
                     slower_memory(rows, forecast) +
                 pilot.base_seconds * larger * larger * share.bases;
  cost.kernel_values = counted_kernel_values(pilot.selection, options, rows) * share.grams;
  const double at_a_time = 2.25 * context.threads.count() + 1;
  cost.bytes =
      std::min(static_cast<double>(kernel::gram_bytes(rows)) * at_a_time, static_cast<double>(context.memory_budget));
  return cost;
}

void add(const Cost& part, Cost& sum) {
  sum.updates += part.updates;
  sum.seconds += part.seconds;
  sum.kernel_values += part.kernel_values;
  sum.bytes = std::max(sum.bytes, part.bytes);
}

/// Only rows that are visited are computed on the last rung, mostly support vectors. A row that is computed by itself,
/// as most are at first, costs six times its part of a whole matrix of base values, of which many features need all.
/// Later, when most rows are computed among many, a row costs three times its part. One thread computes the base values
/// of a resample, and others wait where there are too few resamples. Three tenths of the pilot's
/// solver seconds are a cost of each cell that hardly grows with the rows.
/// @param visited  share of the rows  @param wide  a pass over the features exceeds the caches
Share by_row(const Stage& stage, double visited, bool wide, int threads, Share share) {
  const auto resamples = static_cast<double>(stage.resamples);
  const double rounds = std::ceil(resamples / threads) * threads / resamples;
  share.bases *= rounds * (stage.begins_rung ? (wide ? 1 : 6 * visited) : 3 * visited);
  share.grams *= visited;
  share.seconds_of_updates = 0.7;
  return share;
}

/// What the cells that a stage judges do, by their chances.
struct Expected {
  double cells = 0;
  double gammas = 0;
  double vectors = 0;        ///< of a cell
  double updates = 0;        ///< in the pilot
  double small_updates = 0;  ///< in its smaller sample
};

Expected expected_of(const Stage& stage, const Pilot& small, const Pilot& large, const Options& options) {
  const std::vector<Cell>& grid = large.selection.grid;
  const std::size_t costs = cost_count(options);
  Expected sum;
  for (std::size_t first = 0; first < grid.size(); first += costs) {
    double of_gamma = 0;
    for (std::size_t k = first; k < first + costs; ++k) {
      const double chance = stage.chances[k];
      sum.cells += chance;
      sum.vectors += chance * grid[k].n_sv;
      sum.updates += chance * updates_of(grid[k], large.rows, options);
      sum.small_updates += chance * updates_of(small.selection.grid[k], small.rows, options);
      of_gamma = std::max(of_gamma, chance);
    }
    sum.gammas += of_gamma;
  }
  sum.vectors /= sum.cells;
  return sum;
}

/// @param begins_with_pilot  the pilot has judged the smallest rung
Cost race_cost(const Pilot& small, const Pilot& pilot, bool begins_with_pilot, const Forecast& forecast,
               const Options& options, const core::Context& context) {
  const auto cells = static_cast<double>(pilot.selection.grid.size());
  const auto gammas = cells / static_cast<double>(cost_count(options));
  const auto resamples = static_cast<double>(pilot.selection.folds);
  const bool wide = forecast.rows * pilot.selection.features * sizeof(double) > kernel::RowBase::cache_bytes;
  // Base values and kernel matrices that all resamples share are made once for each stage.
  const bool shared = shares_bases(pilot.selection, options);
  Cost cost;
  for (const Stage& stage : stages_of_race(pilot, options, forecast.rows)) {
    if (begins_with_pilot && stage.rows == pilot.rows) continue;
    const Expected expected = expected_of(stage, small, pilot, options);
    const double of_resamples = static_cast<double>(stage.resamples) / resamples;
    const double of_matrices = shared ? 1 : of_resamples;
    const double of_grid = pilot.updates > 0 ? expected.updates / pilot.updates : expected.cells / cells;
    Share share{of_grid * of_resamples, of_matrices, expected.gammas / gammas * of_matrices};
    if (stage.rows == forecast.rows && options.learner() == Learner::svm && !shared)
      share = by_row(stage, std::min(1.0, expected.vectors / static_cast<double>(pilot.rows)), wide,
                     context.threads.count(), share);
    const double growth = growth_of(small, pilot, expected.small_updates, expected.updates, options);
    add(grown(pilot, stage.rows, growth, share, forecast, options, context), cost);
  }
  return cost;
}

Cost cells_cost(const Pilot& pilot, const Forecast& forecast, const Options& options, const core::Context& context) {
  // Bisection leaves three quarters of the most rows in a part on average; five folds take half of the time of ten, and
  // the partition, the estimate and the last machines as much as three more.
  const auto rows = static_cast<std::size_t>(0.75 * static_cast<double>(forecast.cell_rows));
  const double parts = static_cast<double>(forecast.rows) / static_cast<double>(rows);
  Cost cost = grown(pilot, rows, forecast.growth, {0.8, 0.8, 0.8}, forecast, options, context);
  cost.updates *= parts;
  cost.seconds *= parts;
  cost.kernel_values *= parts;
  return cost;
}

std::vector<Cell> grid_of(const Pilot& pilot) {
  std::vector<Cell> grid = pilot.selection.grid;
  for (Cell& cell : grid) cell.rung = pilot.rows;
  return grid;
}

/// What a pilot leaves that was stopped. None where no cell was judged.
std::shared_ptr<const Forecast> unfinished(std::size_t rows, const Pilot& small) {
  if (std::ranges::none_of(small.selection.grid, &Cell::complete)) return nullptr;
  Forecast made;
  made.rows = rows;
  made.pilot_rows = small.rows;
  made.pilot_seconds = small.seconds;
  made.finished = false;
  made.grid = grid_of(small);
  return std::make_shared<const Forecast>(std::move(made));
}

/// @param dataset  the rows that the method judges
std::shared_ptr<const Forecast> forecast_of_method(const data::Dataset& dataset, const Options& options,
                                                   const core::Context& context, bool handed_on) {
  const std::size_t rows = first_rung_size(dataset.rows());
  const bool may_race = options.race() != Race::no && reason_against_race(dataset, options).empty();
  const std::optional<PilotPlan> plan = plan_of_pilot(dataset, options, may_race);
  const std::optional<Pilot> small = plan ? pilot_on(dataset, *plan, rows / 2, options, context) : std::nullopt;
  if (small && !small->finished) return unfinished(dataset.rows(), *small);
  const std::optional<Pilot> large = small ? pilot_on(dataset, *plan, rows, options, context) : std::nullopt;
  if (large && !large->finished) return unfinished(dataset.rows(), *small);
  if (!large || !large->selection.best) return nullptr;
  Forecast made;
  made.rows = dataset.rows();
  made.pilot_rows = rows;
  made.pilot_seconds = small->seconds + large->seconds;
  made.growth = growth_of(*small, *large, small->updates, large->updates, options);
  made.exact = grown(*large, made.rows, made.growth, {}, made, options, context);
  if (may_race) made.race = race_cost(*small, *large, handed_on && large->rung != nullptr, made, options, context);
  made.races = may_race && (options.race() == Race::yes || made.exact.updates > Forecast::stated_cost);
  if (options.is<CrossValidation>() && options.learner() == Learner::svm) {
    const std::optional<std::size_t> asked = options.as<CrossValidation>().cells;
    made.cell_rows = asked.value_or(Forecast::usual_cell);
    made.in_cells = asked.has_value();
    made.races = made.races && !made.in_cells;
    made.cells = cells_cost(*large, made, options, context);
  }
  if (options.is<CrossValidation>() || options.is<Bootstrap>())
    made.gammas = gammas_by_error(large->selection.grid, cost_count(options));
  made.grid = grid_of(*large);
  made.first_rung = large->rung;
  return std::make_shared<const Forecast>(std::move(made));
}

}  // namespace

std::shared_ptr<const Forecast> forecast(const data::Dataset& dataset, const Options& options,
                                         const core::Context& context, bool handed_on) {
  if (dataset.rows() < Forecast::from_rows || is_precomputed(options)) return nullptr;
  const bool sets_aside = options.estimate.value_or(default_estimate(dataset, options)) == Estimate::holdout;
  if (!sets_aside || !dataset.splits.empty()) return forecast_of_method(dataset, options, context, handed_on);
  std::shared_ptr<const Forecast> made =
      forecast_of_method(rows_not_set_aside(dataset, options), options, context, handed_on);
  if (!made) return made;
  Forecast whole = *made;
  whole.set_aside = dataset.rows() - made->rows;
  return std::make_shared<const Forecast>(std::move(whole));
}

}  // namespace credence::selection
