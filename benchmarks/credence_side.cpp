#include <cmath>
#include <numeric>

#include "credence/selection/selector.hpp"
#include "credence/svm/train.hpp"
#include "process.hpp"
#include "sides.hpp"

namespace credence::bench {

namespace {

GridRun grid_run(const SelectionRun& found) {
  GridRun run;
  run.seconds = found.seconds;
  for (const selection::Setting& setting : found.selection.grid) {
    run.errors.push_back(static_cast<std::size_t>(std::lround(setting.error * static_cast<double>(found.selection.n))));
    run.steps += setting.steps;
    run.factorisations += setting.factorisations;
  }
  return run;
}

/// Nothing but the errors of the settings, as LIBSVM is asked.
selection::Options grid_options(const Grid& grid, Scale scale) {
  selection::Options options;
  set_grid(options, grid);
  options.method = selection::CrossValidation{.folds = 10};
  options.seed = 0;
  options.preparation.scalings = {scale == Scale::none ? data::Scaling::none : data::Scaling::standard};
  options.estimate = selection::Estimate::none;
  options.costs.solver.tolerance = tolerance;
  return options;
}

}  // namespace

SelectionRun credence_selection(const data::Dataset& dataset, const selection::Options& options, int threads,
                                bool with_training) {
  const selection::Selector selector(options);
  const core::Threads workers(threads);
  core::Monitor monitor;
  const core::Context context{workers, monitor};
  const Stopwatch stopwatch;
  SelectionRun run;
  run.selection = selector.select(dataset, context);
  if (with_training) selection::fitted(dataset, run.selection, context);
  run.seconds = stopwatch.elapsed();
  return run;
}

GridRun credence_grid(const Problem& problem, const Grid& grid, Scale scale, int threads) {
  return grid_run(credence_selection(scale == Scale::none ? problem.standardised : problem.raw,
                                     grid_options(grid, scale), threads));
}

GridRun credence_leave_one_out(const Problem& problem, const Grid& grid, LeftOut way) {
  selection::Options options = grid_options(grid, Scale::none);
  if (way == LeftOut::in_turn) {
    options.method = selection::LeaveOneOut{};
    return grid_run(credence_selection(problem.standardised, options, 1));
  }
  data::Dataset dataset = problem.standardised;
  dataset.folds.resize(dataset.rows());
  std::iota(dataset.folds.begin(), dataset.folds.end(), 0);
  return grid_run(credence_selection(dataset, options, 1));
}

TrainingRun credence_training(const data::Dataset& dataset, double C, double gamma, std::size_t memory_budget) {
  svm::TrainOptions options;
  options.C = C;
  options.gamma.value = gamma;
  options.scaling = data::Scaling::none;
  options.solver.tolerance = tolerance;
  const core::Threads workers(1);
  core::Monitor monitor;
  const core::Context context{workers, monitor, memory_budget};

  TrainingRun run;
  const MemoryMeter memory;
  const Stopwatch stopwatch;
  const svm::TrainResult result = svm::train(dataset, options, context);
  run.seconds = stopwatch.elapsed();
  run.megabytes = memory.megabytes();
  run.objective = result.objective;
  run.support = result.model.support_count();
  run.predictions = result.model.predict_preprocessed(dataset.features, context).label;
  return run;
}

}  // namespace credence::bench
