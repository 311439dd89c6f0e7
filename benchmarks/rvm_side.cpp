#include <span>

#include "comparison_rvm.hpp"
#include "credence/data/dataset.hpp"
#include "credence/rvm/train.hpp"

namespace credence::bench {
namespace {

data::Dataset dataset_of(const RvmTask& task) {
  if (task.regression()) return data::make_regression_dataset(task.training, task.targets);
  std::vector<std::string> labels;
  for (const double target : task.targets) labels.emplace_back(target > 0.5 ? "1" : "0");
  return data::make_dataset(task.training, labels);
}

RvmMachine machine_of(const rvm::Fit& fit, const rvm::Problem& problem) {
  RvmMachine machine;
  for (std::size_t m = 0; m < fit.columns.size(); ++m) {
    if (fit.columns[m] == 0) {
      machine.bias = fit.weights[m];
      machine.bias_alpha = fit.alpha[m];
    } else {
      machine.centres.push_back(static_cast<std::uint32_t>(problem.centre_rows[fit.columns[m] - 1]));
      machine.weights.push_back(fit.weights[m]);
      machine.alpha.push_back(fit.alpha[m]);
    }
  }
  if (problem.task == data::Task::regression) machine.noise_variance = fit.noise_variance;
  return machine;
}

}  // namespace

RvmRun credence_rvm(const RvmTask& task, rvm::Algorithm algorithm, int threads) {
  const core::Threads workers(threads);
  core::Monitor monitor;
  const core::Context context{workers, monitor};
  const data::Dataset dataset = dataset_of(task);
  rvm::FitOptions options;
  options.algorithm = algorithm;
  RvmRun run;
  const Stopwatch stopwatch;
  const rvm::Problem problem =
      rvm::make_problem(dataset, task.training, kernel::KernelType::rbf, task.training.rows, 0);
  const rvm::Basis basis = rvm::basis_of(problem, {kernel::KernelType::rbf, rvm::gamma_of_sigma(task.sigma)});
  run.fit = rvm::fit(basis, true, task.targets, task.task, options, true, context);
  run.seconds = stopwatch.elapsed();
  run.machine = machine_of(run.fit, problem);
  return run;
}

}  // namespace credence::bench
