#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "credence/core/error.hpp"
#include "credence/rvm/train.hpp"
#include "rvm/train_constant.hpp"

namespace credence::rvm {
namespace {

/// How many machines fit into memory at the same time, at most one for each thread.
std::size_t machines_at_once(const Problem& problem, const core::Context& context) {
  const auto n = static_cast<double>(problem.rows.rows());
  const auto columns = static_cast<double>(problem.centre_rows.size() + 1);
  const double basis = sizeof(double) * n * columns;
  const double machine = sizeof(double) * columns * (2 * n + 2 * columns);  // columns at hand, scaled, Hessian, factor
  const auto budget = static_cast<double>(context.memory_budget);
  if (basis + machine > budget) {
    throw Error(
        ErrorCode::memory,
        fmt::format("a relevance vector machine of {} rows and {} candidate centres needs {:.0f} MiB, but only "
                    "{:.0f} MiB were granted; fewer candidate centres need less",
                    problem.rows.rows(), problem.centre_rows.size(), (basis + machine) / 1048576, budget / 1048576));
  }
  const auto threads = static_cast<double>(context.threads.count());
  const double most = std::min((budget - basis) / machine, threads);
  return std::min(problem.machines(), static_cast<std::size_t>(std::max(most, 1.0)));
}

Fit fit_machine(const Problem& problem, std::size_t m, const Basis& basis, const FitOptions& options,
                bool with_covariance, const core::Context& context) {
  const std::vector<double>& targets = problem.targets[m];
  if (problem.task == data::Task::classification && is_absent(targets)) {
    return constant_fit(targets.size(), with_covariance);
  }
  return fit(basis, true, targets, problem.task, options, with_covariance, context);
}

void add_validity(const Problem& problem, const ValidityOptions& options, const core::Context& context,
                  KernelFit& result) {
  const data::Features centres = problem.rows.select_rows(problem.centre_rows);
  for (std::size_t m = 0; m < problem.machines(); ++m) {
    result.validity.push_back(kernel_validity(result.kernel, problem.rows, centres, true, result.machines[m],
                                              problem.targets[m], problem.task, options, context));
    result.log_validity += result.validity.back().log_validity;
  }
}

}  // namespace

bool KernelFit::stopped() const {
  return std::ranges::any_of(machines, [](const Fit& machine) { return machine.status == Status::stopped; });
}

KernelFit fit_kernel(const Problem& problem, const kernel::Kernel& kernel, const FitOptions& options,
                     const ValidityOptions& validity, bool with_covariance, const core::Context& context) {
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
  if (has_validity(kernel.type)) add_validity(problem, validity, context, result);
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
