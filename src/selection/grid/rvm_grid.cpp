#include "selection/grid/rvm_grid.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "credence/svm/loss.hpp"
#include "rvm/machine_parts.hpp"
#include "rvm/train_constant.hpp"

namespace credence::selection {
namespace {

/// Kernel values of some rows with others.
data::DenseMatrix kernel_values(const kernel::Kernel& kernel, const data::Features& features,
                                std::span<const std::size_t> rows, const std::vector<std::size_t>& columns) {
  if (kernel.type != kernel::KernelType::precomputed)
    return kernel::kernel_block(kernel, features.select_rows(rows), features.select_rows(columns));
  const data::DenseMatrix given = features.select_rows(rows).to_dense();
  data::DenseMatrix values(rows.size(), columns.size());
  for (std::size_t h = 0; h < rows.size(); ++h)
    for (std::size_t a = 0; a < columns.size(); ++a) values.row(h)[a] = given.row(h)[columns[a]];
  return values;
}

bool all_equal(const std::vector<double>& values) {
  return std::adjacent_find(values.begin(), values.end(), std::not_equal_to<>{}) == values.end();
}

/// What a machine says whose targets are all equal.
double constant_value(const std::vector<double>& targets, data::Task task) {
  if (task == data::Task::regression) return targets.front();
  const double never = rvm::constant_fit(targets.size(), false).weights.front();
  return targets.front() > 0.5 ? -never : never;
}

void fit_part(const data::Dataset& training, data::Features rows, const kernel::Kernel& kernel, const Options& options,
              std::size_t centres, const std::vector<std::size_t>& training_rows, const core::Context& context,
              RvmPart& part) {
  const rvm::Problem problem = rvm::make_problem(training, std::move(rows), kernel.type, centres, options.seed);
  const rvm::KernelFit fit = rvm::fit_machines(problem, kernel, options.machines.fit, false, context);
  part.complete = !fit.stopped();
  for (std::size_t m = 0; part.complete && m < fit.machines.size(); ++m) {
    const rvm::Fit& own = fit.machines[m];
    part.machines[m] = rvm::sparse_machine(own);
    for (std::uint32_t& row : part.machines[m].rows)
      row = static_cast<std::uint32_t>(training_rows[problem.centre_rows[row]]);
    part.newton_steps += own.newton_steps;
    part.factorisations += own.factorisations;
    part.unconverged += own.status == rvm::Status::iteration_limit ? 1U : 0U;
  }
}

}  // namespace

std::size_t resolved_centres(std::size_t rows, const Options& options) {
  return options.machines.centres.value_or(rvm::default_centres(rows));
}

std::size_t fit_bytes(std::size_t rows, std::size_t centres, data::Task task) {
  const std::size_t most = std::min(rows, centres);
  const auto bytes = [&](std::size_t n) { return rvm::fit_memory(n, std::min(n, most), task).least(); };
  return std::max(bytes(rows), bytes(std::min(rows, 4 * (most + 1) / 3)));  // fewer rows may take the longer way
}

void for_each_fit(std::span<const std::size_t> units, std::size_t bytes, const core::Context& context,
                  const std::function<void(std::size_t task, const core::Context& part)>& fit) {
  const auto threads = static_cast<std::size_t>(context.threads.count());
  const std::size_t fitting = std::max<std::size_t>(1, context.memory_budget / std::max<std::size_t>(1, bytes));
  const std::size_t workers = std::max<std::size_t>(1, std::min({threads, units.size(), fitting}));
  // Threads of a fit's own are worth less than a fit to each thread, unless most threads would have none.
  const bool one_by_one = 2 * workers <= threads;
  const core::Threads outer(one_by_one ? 1 : static_cast<int>(workers));
  const core::Threads inner(1);
  std::size_t total = 0;
  for (const std::size_t count : units) total += count;
  context.monitor.expect(total);
  outer.for_each(units.size(), [&](std::size_t task) {
    if (context.monitor.should_stop()) return;
    core::Monitor part(context.monitor, units[task]);
    part.expect(1);
    fit(task, {one_by_one ? context.threads : inner, part, context.memory_budget / (one_by_one ? 1 : workers),
               context.checkpoint});
    part.advance();
  });
}

void for_each_rvm(const GridRun& run, const Options& options, std::size_t rows, const core::Context& context,
                  const std::function<void(std::size_t gamma, std::size_t resample, const core::Context& part)>& work) {
  const std::span<const std::size_t> gammas = run.wanted().gammas();
  const std::size_t resamples = run.which().size();
  const std::vector<std::size_t> units(gammas.size() * resamples, 1);
  for_each_fit(units, fit_bytes(rows, resolved_centres(rows, options), options.task), context,
               [&](std::size_t task, const core::Context& part) {
                 work(gammas[task / resamples], run.which()[task % resamples], part);
               });
}

data::DenseMatrix RvmPart::decisions(const kernel::Kernel& kernel, const data::Features& features,
                                     std::span<const std::size_t> rows) const {
  const std::vector<std::size_t> used = support();
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

RvmPart train_part(const data::Dataset& dataset, const data::Features& features, const kernel::Kernel& kernel,
                   const Options& options, const std::vector<std::size_t>& training_rows,
                   const core::Context& context) {
  const data::Dataset training = dataset.select_rows(training_rows);
  const std::vector<std::vector<double>> targets = rvm::machine_targets(training);
  RvmPart part;
  part.class_counts.assign(dataset.class_count(), 0);
  for (std::size_t i = 0; !dataset.is_regression() && i < training.rows(); ++i)
    ++part.class_counts[static_cast<std::size_t>(training.labels[i])];
  part.machines.resize(targets.size());
  if (std::all_of(targets.begin(), targets.end(), all_equal)) {
    for (std::size_t m = 0; m < targets.size(); ++m)
      part.machines[m].bias = constant_value(targets[m], training.schema.task);
    part.complete = true;
    return part;
  }
  fit_part(training, svm::own_problem(features, training_rows, kernel.type), kernel, options,
           resolved_centres(dataset.rows(), options), training_rows, context, part);
  return part;
}

void RvmTask::solve(const data::Features& features, const kernel::Kernel& kernel, const core::Context& context) {
  const double begun = context.monitor.seconds();
  part_ = train_part(dataset_, features, kernel, options_, resample_.training_rows(), context);
  result_.complete = part_.complete;
  if (!part_.complete) return;
  const double fitted = context.monitor.seconds();
  decisions_ = part_.decisions(kernel, features, judged_);
  result_.fit_seconds = fitted - begun;
  result_.score_seconds = context.monitor.seconds() - fitted;
  result_.support = part_.support().size();
  result_.steps = part_.newton_steps;
  result_.factorisations = part_.factorisations;
  result_.unconverged = part_.unconverged;
}

RowJudgement RvmTask::judge_row(std::size_t h) const {
  const std::size_t row = judged_[h];
  const std::span<const double> y = decisions_.row(h);
  if (dataset_.is_regression()) {
    const double residual = dataset_.targets[row] - y[0];
    return {false, -std::abs(residual), residual * residual};
  }
  const int own = dataset_.labels[row];
  const double score = dataset_.class_count() == 2 ? (own == 1 ? y[0] : -y[0]) : y[static_cast<std::size_t>(own)];
  return {label(0, h) != own, score, svm::soft_loss(score), label(0, h), -rvm::log_probability(y, own)};
}

}  // namespace credence::selection
