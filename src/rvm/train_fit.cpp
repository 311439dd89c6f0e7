#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "credence/core/error.hpp"
#include "credence/rvm/train.hpp"
#include "rvm/machine_parts.hpp"

namespace credence::rvm {
namespace {

double mebibytes(std::size_t bytes) {
  return static_cast<double>(bytes) / 1048576;
}

/// How many machines fit into memory at the same time, at most one for each thread.
std::size_t machines_at_once(const Problem& problem, const core::Context& context) {
  const FitMemory memory = fit_memory(problem.rows.rows(), problem.centre_rows.size(), problem.task);
  if (memory.least() > context.memory_budget) {
    throw Error(ErrorCode::memory,
                fmt::format("a relevance vector machine of {} rows and {} candidate centres needs {:.3g} MiB, but only "
                            "{:.3g} MiB were granted; fewer candidate centres need less",
                            problem.rows.rows(), problem.centre_rows.size(), mebibytes(memory.least()),
                            mebibytes(context.memory_budget)));
  }
  const std::size_t fitting = (context.memory_budget - memory.basis) / memory.machine;
  return std::min({problem.machines(), fitting, static_cast<std::size_t>(context.threads.count())});
}

Fit fit_machine(const Problem& problem, std::size_t m, const Basis& basis, const FitOptions& options,
                bool with_covariance, const core::Context& context) {
  const std::vector<double>& targets = problem.targets[m];
  if (problem.task == data::Task::classification && is_absent(targets))
    return constant_fit(targets.size(), with_covariance);
  return fit(basis, true, targets, problem.task, options, with_covariance, context);
}

}  // namespace

bool KernelFit::stopped() const {
  return std::ranges::any_of(machines, [](const Fit& machine) { return machine.status == Status::stopped; });
}

double effective_kernels(const KernelFit& fit) {
  double sum = 0;
  for (const Fit& machine : fit.machines)
    for (std::size_t i = 0; i < machine.columns.size(); ++i) sum += machine.columns[i] > 0 ? machine.gamma[i] : 0;
  return sum;
}

std::string many_kernels_sentence(double effective, std::size_t rows) {
  const double share = effective / static_cast<double>(rows);
  if (!(share >= many_effective)) return {};
  return fmt::format(
      "the model has {:.0f} effective kernels for {} rows, {:.0f} %, so its standard deviations are too small: "
      "mean +- 1.96 sd nearly always covers less than 90 % of new rows. Take a wider kernel, or intervals from the "
      "residuals of rows left out, as those of conformal regression",
      effective, rows, 100 * share);
}

FitMemory fit_memory(std::size_t rows, std::size_t candidates, data::Task task) {
  const std::size_t columns = candidates + 1;
  std::size_t numbers = rows * columns + columns * columns;
  if (task == data::Task::regression)
    numbers += columns * columns;
  else if (4 * columns >= 3 * rows)
    numbers += rows * columns + 2 * rows * rows;
  return {sizeof(double) * rows * columns, sizeof(double) * numbers};
}

KernelFit fit_machines(const Problem& problem, const kernel::Kernel& kernel, const FitOptions& options,
                       bool with_covariance, const core::Context& context) {
  throw_if_any(kernel.validate());
  throw_if_any(options.validate());
  const std::size_t at_once = machines_at_once(problem, context);
  const Basis basis = basis_of(problem, kernel);
  KernelFit result;
  result.kernel = kernel;
  result.machines.resize(problem.machines());
  for (std::size_t first = 0; first < problem.machines(); first += at_once) {
    context.threads.for_each(std::min(at_once, problem.machines() - first), [&](std::size_t k) {
      result.machines[first + k] = fit_machine(problem, first + k, basis, options, with_covariance, context);
    });
  }
  if (result.stopped()) return result;
  for (const Fit& machine : result.machines) result.log_evidence += machine.log_evidence;
  return result;
}

void add_validity(const Problem& problem, const ValidityOptions& validity, const core::Context& context,
                  KernelFit& fit) {
  if (!has_validity(fit.kernel.type)) return;
  const data::Features centres = problem.rows.select_rows(problem.centre_rows);
  std::vector<Validity> found;
  std::size_t kept = 0;
  for (std::size_t m = 0; m < problem.machines(); ++m) {
    // The matrices of the indexes found so far stay in memory beside the next one.
    const core::Context left{context.threads, context.monitor,
                             context.memory_budget - std::min(kept, context.memory_budget)};
    found.push_back(kernel_validity(fit.kernel, problem.rows, centres, true, fit.machines[m], problem.targets[m],
                                    problem.task, validity, left));
    kept += 3 * sizeof(double) * found.back().kernels * problem.rows.columns();
  }
  for (const Validity& own : found) fit.log_validity += own.log_validity;
  fit.validity = std::move(found);
}

KernelFit fit_kernel(const Problem& problem, const kernel::Kernel& kernel, const FitOptions& options,
                     const ValidityOptions& validity, bool with_covariance, const core::Context& context) {
  KernelFit result = fit_machines(problem, kernel, options, with_covariance, context);
  if (!result.stopped()) add_validity(problem, validity, context, result);
  return result;
}

double null_evidence(const Problem& problem, const FitOptions& options) {
  double sum = 0;
  for (const std::vector<double>& targets : problem.targets) {
    const bool absent = problem.task == data::Task::classification && is_absent(targets);
    sum += absent ? constant_fit(targets.size(), false).log_evidence : null_evidence(targets, problem.task, options);
  }
  return sum;
}

}  // namespace credence::rvm
