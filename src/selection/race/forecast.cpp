#include "credence/selection/forecast.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "credence/core/error.hpp"
#include "credence/kernel/gram.hpp"
#include "credence/selection/selector.hpp"
#include "selection/grid/rvm_grid.hpp"
#include "selection/race/nested_rows.hpp"
#include "selection/race/race.hpp"

namespace credence::selection {
namespace {

/// A selection on some of the rows.
struct Pilot {
  std::size_t rows = 0;
  double updates = 0;
  double seconds = 0;
  Selection selection;
  double base_seconds = 0;  ///< of `seconds`, for the distances or products that kernels are made of
  double gram_seconds = 0;  ///< of `seconds`, for the kernel matrices
  double solver_seconds() const { return std::max(0.0, seconds - base_seconds - gram_seconds); }
};

double updates_of(const Cell& cell, std::size_t rows, const Options& options) {
  const double per_step = static_cast<double>(rows);
  if (options.learner() != Learner::rvm) return static_cast<double>(cell.steps) * per_step;
  const auto centres = static_cast<double>(resolved_centres(rows, options));
  return static_cast<double>(cell.steps) * per_step * centres * centres;
}

double updates_of(const Selection& selection, const Options& options) {
  return std::accumulate(selection.grid.begin(), selection.grid.end(), 0.0,
                         [&](double sum, const Cell& cell) { return sum + updates_of(cell, selection.n, options); });
}

Options pilot_options(const Options& options) {
  Options plain = options;
  plain.estimate = Estimate::none;
  std::visit(
      [](auto& method) {
        if constexpr (requires { method.racing; }) method.racing.race = Race::no;
        if constexpr (requires { method.cells; }) method.cells.reset();
      },
      plain.method);
  return plain;
}

bool shares_bases(const Selection& selection, const Options& options) {
  return selection.scale_scope == ScaleScope::all || options.preparation.scaling == data::Scaling::none;
}

double gammas_of(const Options& options) {
  const bool many = options.has_kernels() && options.kernels().shape.uses_gamma();
  return many ? static_cast<double>(std::max<std::size_t>(1, options.kernels().gamma.size())) : 1;
}

/// Kernel matrices of each gamma.
double matrices_of_gamma(const Selection& selection, const Options& options) {
  return shares_bases(selection, options) ? 1 : std::max(1, selection.folds);
}

/// Times one base and one kernel matrix, which tell what those of all resamples and gammas took.
void time_matrices(const data::Dataset& some, const Options& options, const core::Context& context, Pilot& pilot) {
  if (!options.has_kernels()) return;
  const data::Features features = fit_preprocessing(some, options).apply(some, data::UnknownLevel::ignore);
  const double times = matrices_of_gamma(pilot.selection, options) / context.threads.count();
  const core::Monitor clock;
  const kernel::Base base(options.kernels().shape.type, features);
  const double base_seconds = clock.seconds();
  const kernel::Gram gram(kernel_of(options, 1 / static_cast<double>(std::max<std::size_t>(1, features.columns()))),
                          base);
  const double gram_seconds = clock.seconds() - base_seconds;
  pilot.base_seconds = std::min(pilot.seconds, base_seconds * times);
  pilot.gram_seconds = std::min(pilot.seconds - pilot.base_seconds, gram_seconds * times * gammas_of(options));
}

std::optional<Pilot> pilot_on(const data::Dataset& dataset, std::span<const std::size_t> order, std::size_t rows,
                              const Options& options, const core::Context& context) {
  // A monitor of its own: the pilot is no part of the work that is forecast.
  core::Monitor quiet([&](const core::Monitor::Progress&) { return !context.monitor.should_stop(); });
  const data::Dataset some = rung_data(dataset, first_rows(order, rows));
  try {
    Pilot pilot{rows, 0, 0,
                Selector(pilot_options(options)).select(some, {context.threads, quiet, context.memory_budget})};
    if (context.monitor.should_stop() || pilot.selection.stopped != core::StopReason::none) return std::nullopt;
    pilot.seconds = pilot.selection.seconds;
    pilot.updates = updates_of(pilot.selection, options);
    time_matrices(some, options, context, pilot);
    return pilot;
  } catch (const Error& error) {
    if (error.code() == ErrorCode::memory) throw;
    return std::nullopt;  // what cannot be selected on a sample is not forecast
  }
}

/// The power with which cost grows. Two samples tell the power of a grid of SVMs to about 0.2, and from 1,000 to 8,000
/// rows of eight data sets the updates grow with the power 1.97, with a standard deviation of 0.17: so the forecast
/// believes both as much. A power above 2.5 is mostly chance: rows that contradict each other cost many steps, and
/// in one of four draws of the set adult only the larger sample had any.
double growth_of(const Pilot& small, const Pilot& large, const Options& options) {
  constexpr double usual_of_svms = 2.0;
  constexpr double most_of_svms = 2.5;
  const bool counted = small.updates > 0 && large.updates > 0;
  const double ratio = counted ? large.updates / small.updates : large.seconds / small.seconds;
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

/// Kernel matrices of `rows` rows for each gamma and resample.
double kernel_values(const Selection& selection, const Options& options, std::size_t rows) {
  const double n = static_cast<double>(rows);
  return n * n / 2 * gammas_of(options) * matrices_of_gamma(selection, options);
}

/// The work that is done of an exact grid's.
struct Share {
  double updates = 1;
  double bases = 1;
  double grams = 1;
};

Cost grown(const Pilot& pilot, std::size_t rows, const Share& share, const Forecast& forecast, const Options& options,
           const core::Context& context) {
  Cost cost;
  const double larger = static_cast<double>(rows) / static_cast<double>(pilot.rows);
  const double factor = std::pow(larger, forecast.growth);
  cost.updates = pilot.updates * factor * share.updates;
  cost.seconds =
      (pilot.solver_seconds() * factor * share.updates + pilot.gram_seconds * larger * larger * share.grams) *
          slower_memory(rows, forecast) +
      pilot.base_seconds * larger * larger * share.bases;
  cost.kernel_values = kernel_values(pilot.selection, options, rows) * share.grams;
  const double at_a_time = 2.25 * context.threads.count() + 1;
  cost.bytes =
      std::min(static_cast<double>(kernel::gram_bytes(rows)) * at_a_time, static_cast<double>(context.memory_budget));
  return cost;
}

/// The cells of a grid that a race would keep for its next rung.
struct Kept {
  double updates = 1;  ///< share of the grid's
  double cells = 0;    ///< their number
  double gammas = 1;   ///< share of the grid's
  double visited = 1;  ///< share of the rows that their solvers visit: the support vectors
};

/// The pilot has no losses row by row, so that its cells are judged by the standard errors of their errors.
Kept kept_cells(const Pilot& pilot, const Options& options, std::size_t costs) {
  const std::vector<Cell>& grid = pilot.selection.grid;
  const Cell& best = grid[*pilot.selection.best];
  const double rows = static_cast<double>(pilot.rows);
  const double se = std::sqrt(std::max(best.error * (1 - best.error), 1 / rows) / rows);
  std::vector<std::size_t> kept;
  for (std::size_t k = 0; k < grid.size(); ++k)
    if (grid[k].complete && grid[k].error <= best.error + se) kept.push_back(k);
  std::stable_sort(kept.begin(), kept.end(),
                   [&](std::size_t a, std::size_t b) { return grid[a].error < grid[b].error; });
  kept.resize(std::min(kept.size(), most_after_rung));
  const std::vector<bool> wanted = cells_after({{}, {}, {}, most_after_rung, true}, kept, grid.size(), costs);
  Kept found;
  double updates = 0;
  double vectors = 0;
  std::set<std::size_t> gammas;
  for (std::size_t k = 0; k < grid.size(); ++k) {
    if (!wanted[k]) continue;
    found.cells += 1;
    updates += updates_of(grid[k], pilot.rows, options);
    vectors += grid[k].n_sv;
    gammas.insert(k / costs);
  }
  const double cells = static_cast<double>(grid.size());
  found.updates = pilot.updates > 0 ? updates / pilot.updates : found.cells / cells;
  found.gammas = static_cast<double>(gammas.size() * costs) / cells;
  found.visited = std::min(1.0, vectors / found.cells / rows);
  return found;
}

void add(const Cost& part, Cost& sum) {
  sum.updates += part.updates;
  sum.seconds += part.seconds;
  sum.kernel_values += part.kernel_values;
  sum.bytes = std::max(sum.bytes, part.bytes);
}

/// The share of the cells' work on the last rung that is left where cells are dropped within the rung.
double share_of_last_rung(double cells) {
  double sum = 0;
  double since = 0;
  double left = cells;
  for (const LastRungPart& part : last_rung_parts) {
    sum += (part.until - since) * left / cells;
    since = part.until;
    left = std::min(left, static_cast<double>(part.most));
  }
  return sum;
}

Cost race_cost(const Pilot& pilot, const Forecast& forecast, const Options& options, const core::Context& context) {
  const Kept kept = kept_cells(pilot, options, cost_count(options));
  const std::vector<std::size_t> sizes = rung_sizes(forecast.rows);
  Cost cost;
  for (std::size_t r = 0; r < sizes.size(); ++r) {
    Share share;
    if (r > 0) share = {kept.updates, 1, kept.gammas};
    const bool last = r + 1 == sizes.size();
    if (last) share.updates *= share_of_last_rung(kept.cells);
    if (last && options.learner() == Learner::svm && !shares_bases(pilot.selection, options)) {
      // Only rows that are visited are computed. For the first fifth of the resamples they are computed one by one,
      // which costs as much as whole matrices. Later ones are computed together, and each costs twice the half of a
      // row that stands right of the diagonal.
      share.bases = std::min(1.0, 0.3 + 3 * kept.visited);
      share.grams *= std::min(1.0, 2 * kept.visited);
    }
    add(grown(pilot, sizes[r], share, forecast, options, context), cost);
  }
  return cost;
}

Cost cells_cost(const Pilot& pilot, const Forecast& forecast, const Options& options, const core::Context& context) {
  // Bisection leaves three quarters of the most rows in a part on average; five folds take half of the time of ten, and
  // the partition, the estimate and the last machines as much as three more.
  const auto rows = static_cast<std::size_t>(0.75 * static_cast<double>(forecast.cell_rows));
  const double parts = static_cast<double>(forecast.rows) / static_cast<double>(rows);
  Cost cost = grown(pilot, rows, {0.8, 0.8, 0.8}, forecast, options, context);
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

/// What a pilot leaves that was stopped on its larger sample.
std::shared_ptr<const Forecast> unfinished(std::size_t rows, const Pilot& small) {
  Forecast made;
  made.rows = rows;
  made.pilot_rows = small.rows;
  made.pilot_seconds = small.seconds;
  made.finished = false;
  made.grid = grid_of(small);
  return std::make_shared<const Forecast>(std::move(made));
}

}  // namespace

std::shared_ptr<const Forecast> forecast(const data::Dataset& dataset, const Options& options,
                                         const core::Context& context) {
  if (dataset.rows() < Forecast::from_rows || is_precomputed(options)) return nullptr;
  constexpr std::size_t many = 16000;
  const std::size_t rows = dataset.rows() < many ? 1000 : 2000;
  const std::vector<std::size_t> order = stratified_order(dataset, {}, options.seed);
  const std::optional<Pilot> small = pilot_on(dataset, order, rows / 2, options, context);
  const std::optional<Pilot> large = small ? pilot_on(dataset, order, rows, options, context) : std::nullopt;
  if (small && !large && context.monitor.should_stop()) return unfinished(dataset.rows(), *small);
  if (!large || !large->selection.best) return nullptr;
  Forecast made;
  made.rows = dataset.rows();
  made.pilot_rows = rows;
  made.pilot_seconds = small->seconds + large->seconds;
  made.growth = growth_of(*small, *large, options);
  made.exact = grown(*large, made.rows, {}, made, options, context);
  const bool may_race = options.race() != Race::no && reason_against_race(dataset, options).empty();
  if (may_race) made.race = race_cost(*large, made, options, context);
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
  return std::make_shared<const Forecast>(std::move(made));
}

}  // namespace credence::selection
