#include "selection/fit/fit_task.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "credence/svm/loss.hpp"
#include "rvm/machine_parts.hpp"
#include "selection/fit/grid_run.hpp"
#include "selection/resample/error_weights.hpp"

namespace credence::selection {

FittedTask empty_task(std::size_t costs, std::size_t classes, const TaskWants& wants) {
  FittedTask task;
  task.costs.resize(costs);
  task.labels.assign(costs * wants.judged.size(), 0);
  task.scores.assign(task.labels.size(), 0);
  if (wants.class_scores) task.class_scores.assign(task.labels.size() * classes, 0);
  if (!wants.machines.empty()) task.machines.resize(costs);
  task.judged = wants.judged;
  return task;
}

std::size_t machines_of_setting(const data::Dataset& dataset, const Options& options) {
  if (dataset.is_regression()) return 1;
  const std::size_t classes = dataset.class_count();
  return (options.learner() == Learner::rvm ? svm::one_against_rest(classes) : svm::machine_layout(classes)).size();
}

namespace {

/// Kernel values of some rows with others.
data::DenseMatrix kernel_values(const kernel::Kernel& kernel, const data::Features& features,
                                std::span<const std::size_t> rows, std::span<const std::size_t> columns) {
  if (kernel.type != kernel::KernelType::precomputed)
    return kernel::kernel_block(kernel, features.select_rows(rows), features.select_rows(columns));
  const data::DenseMatrix given = features.select_rows(rows).to_dense();
  data::DenseMatrix values(rows.size(), columns.size());
  for (std::size_t h = 0; h < rows.size(); ++h)
    for (std::size_t a = 0; a < columns.size(); ++a) values.row(h)[a] = given.row(h)[columns[a]];
  return values;
}

bool all_equal(const std::vector<double>& values) {
  return std::ranges::adjacent_find(values, std::not_equal_to<>{}) == values.end();
}

/// What a machine says whose targets are all equal.
double constant_value(const std::vector<double>& targets, data::Task task) {
  if (task == data::Task::regression) return targets.front();
  const double never = rvm::constant_fit(targets.size(), false).weights.front();
  return targets.front() > 0.5 ? -never : never;
}

/// Fits the machines on some rows, repeats allowed, as weights of rows of the data set.
std::vector<svm::SparseMachine> train_rows(const data::Dataset& dataset, const data::Features& features,
                                           const kernel::Kernel& kernel, const Options& options,
                                           const std::vector<std::size_t>& rows, const core::Context& context,
                                           TaskResult& result) {
  const data::Dataset training = dataset.select_rows(rows);
  const std::vector<std::vector<double>> targets = rvm::machine_targets(training);
  std::vector<svm::SparseMachine> machines(targets.size());
  if (std::ranges::all_of(targets, all_equal)) {
    for (std::size_t m = 0; m < targets.size(); ++m)
      machines[m].bias = constant_value(targets[m], training.schema.task);
    result.complete = true;
    return machines;
  }
  const rvm::Problem problem = rvm::make_problem(training, svm::own_problem(features, rows, kernel.type), kernel.type,
                                                 resolved_centres(dataset.rows(), options), options.seed);
  const FittedRvms fitted = fitted_rvms(problem, kernel, options, context);
  if (!fitted.complete) return machines;
  result.complete = true;
  result.steps = fitted.newton_steps;
  result.factorisations = fitted.factorisations;
  result.unconverged = fitted.unconverged;
  for (std::size_t m = 0; m < machines.size(); ++m) {
    machines[m] = rvm::sparse_machine(fitted.fit.machines[m]);
    for (std::uint32_t& row : machines[m].rows) row = static_cast<std::uint32_t>(rows[problem.centre_rows[row]]);
  }
  return machines;
}

/// y of each machine: rows x machines.
data::DenseMatrix decisions_of(std::span<const svm::SparseMachine> machines, std::span<const std::size_t> used,
                               const kernel::Kernel& kernel, const data::Features& features,
                               std::span<const std::size_t> rows) {
  const data::DenseMatrix values = kernel_values(kernel, features, rows, used);
  data::DenseMatrix result(rows.size(), machines.size());
  for (std::size_t m = 0; m < machines.size(); ++m) {
    const svm::SparseMachine& machine = machines[m];
    const std::vector<std::uint32_t> position = svm::positions_in(used, machine.rows);
    for (std::size_t h = 0; h < rows.size(); ++h) {
      double y = machine.bias;
      for (std::size_t a = 0; a < position.size(); ++a) y += machine.coefficients[a] * values.row(h)[position[a]];
      result.row(h)[m] = y;
    }
  }
  return result;
}

/// Takes what the machines say of the h-th judged row. @param row  of the data set
void take_row(const data::Dataset& dataset, std::size_t row, std::span<const double> y,
              std::span<const std::size_t> class_counts, std::size_t h, FittedTask& found) {
  if (dataset.is_regression()) {
    found.scores[h] = -std::abs(dataset.targets[row] - y[0]);
    return;
  }
  const int own = dataset.labels[row];
  found.labels[h] = static_cast<std::uint16_t>(rvm::label_of(y, class_counts));
  found.scores[h] = dataset.class_count() == 2 ? (own == 1 ? y[0] : -y[0]) : y[static_cast<std::size_t>(own)];
  found.log_losses.push_back(-rvm::log_probability(y, own));
}

}  // namespace

FittedRvms fitted_rvms(const rvm::Problem& problem, const kernel::Kernel& kernel, const Options& options,
                       const core::Context& context) {
  FittedRvms result;
  result.fit = rvm::fit_machines(problem, kernel, options.rvms.fit, false, context);
  result.complete = !result.fit.stopped();
  for (const rvm::Fit& machine : result.fit.machines) {
    result.newton_steps += machine.newton_steps;
    result.factorisations += machine.factorisations;
    result.unconverged += machine.status == rvm::Status::iteration_limit ? 1U : 0U;
  }
  return result;
}

FittedTask fit_rvms(const data::Dataset& dataset, const data::Features& features, const kernel::Kernel& kernel,
                    const Options& options, const Resample& resample, const TaskWants& wants,
                    const core::Context& context) {
  FittedTask found = empty_task(1, dataset.class_count(), wants);
  TaskResult& result = found.costs.front();
  const double begun = context.monitor.seconds();
  const std::vector<std::size_t> rows = resample.training_rows();
  std::vector<svm::SparseMachine> machines = train_rows(dataset, features, kernel, options, rows, context, result);
  if (!result.complete) return found;
  const double fitted = context.monitor.seconds();
  const std::vector<std::size_t> support = svm::support_of(machines);
  const data::DenseMatrix decisions = decisions_of(machines, support, kernel, features, found.judged);
  result.fit_seconds = fitted - begun;
  result.score_seconds = context.monitor.seconds() - fitted;
  result.support = support.size();
  std::vector<std::size_t> class_counts(dataset.class_count(), 0);
  for (std::size_t i = 0; !dataset.is_regression() && i < rows.size(); ++i)
    ++class_counts[static_cast<std::size_t>(dataset.labels[rows[i]])];
  for (std::size_t h = 0; h < found.judged.size(); ++h) {
    take_row(dataset, found.judged[h], decisions.row(h), class_counts, h, found);
    if (wants.class_scores)
      std::ranges::copy(decisions.row(h),
                        found.class_scores.begin() + static_cast<std::ptrdiff_t>(h * decisions.columns));
  }
  if (!wants.machines.empty()) found.machines.front() = std::move(machines);
  return found;
}

}  // namespace credence::selection
