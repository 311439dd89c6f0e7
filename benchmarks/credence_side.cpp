#include <cmath>

#include "credence/selection/selector.hpp"
#include "credence/svm/train.hpp"
#include "process.hpp"
#include "sides.hpp"

namespace credence::bench {

GridRun credence_grid(const Problem& problem, const selection::Grid& grid, Scale scale, int threads) {
  selection::Options options;
  options.grid = grid;
  options.folds = 10;
  options.seed = 0;
  options.scaling = scale == Scale::none ? data::Scaling::none : data::Scaling::standard;
  options.solver.tolerance = tolerance;
  const data::Dataset& dataset = scale == Scale::none ? problem.standardised : problem.raw;

  const auto selector = selection::make_selector(options);
  const core::Threads workers(threads);
  core::Monitor monitor;
  const Stopwatch stopwatch;
  const selection::Selection found = selector->select(dataset, {workers, monitor});

  GridRun run;
  run.seconds = stopwatch.elapsed();
  for (const selection::Cell& cell : found.grid) {
    run.errors.push_back(static_cast<std::size_t>(std::lround(cell.error * static_cast<double>(found.n))));
    run.steps += cell.steps;
    run.factorisations += cell.factorisations;
  }
  return run;
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
