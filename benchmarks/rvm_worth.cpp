#include <algorithm>
#include <cmath>
#include <numeric>

#include "comparison_rvm.hpp"
#include "credence/kernel/kernel.hpp"
#include "credence/rvm/train.hpp"

namespace credence::bench {
namespace {

data::DenseMatrix centres_of(const RvmMachine& machine, const RvmTask& task) {
  data::DenseMatrix centres(machine.centres.size(), task.training.columns);
  for (std::size_t m = 0; m < machine.centres.size(); ++m)
    std::ranges::copy(task.training.row(machine.centres[m]), centres.row(m).begin());
  return centres;
}

/// The columns of a machine on some rows: the bias if there is one, then its kernels.
rvm::Basis columns_of(const RvmMachine& machine, const RvmTask& task, const data::DenseMatrix& rows) {
  const std::size_t first = machine.bias ? 1 : 0;
  rvm::Basis basis(rows.rows, machine.centres.size() + first);
  if (first == 1) std::fill_n(basis.column(0), basis.rows, 1.0);
  const kernel::Kernel kernel{kernel::KernelType::rbf, rvm::gamma_of_sigma(task.sigma)};
  const data::DenseMatrix values = kernel::kernel_block(kernel, centres_of(machine, task), rows);
  std::ranges::transform(values.values, basis.column(first), [&](double k) { return k + machine.shift; });
  return basis;
}

std::vector<double> all_weights(const RvmMachine& machine) {
  std::vector<double> weights = machine.weights;
  if (machine.bias) weights.insert(weights.begin(), *machine.bias);
  return weights;
}

std::vector<double> decisions(const rvm::Basis& basis, const std::vector<double>& weights) {
  std::vector<double> y(basis.rows, 0);
  for (std::size_t m = 0; m < basis.columns; ++m)
    for (std::size_t n = 0; n < basis.rows; ++n) y[n] += weights[m] * basis.column(m)[n];
  return y;
}

/// Of all columns; empty if they are not told.
std::vector<double> told_alpha(const RvmMachine& machine, const RvmTask& task) {
  if (machine.alpha.size() != machine.centres.size() || machine.bias.has_value() != machine.bias_alpha.has_value() ||
      (task.regression() && !machine.noise_variance)) {
    return {};
  }
  std::vector<double> alpha = machine.alpha;
  if (machine.bias_alpha) alpha.insert(alpha.begin(), *machine.bias_alpha);
  return alpha;
}

double evidence_at(const std::vector<double>& alpha, const RvmMachine& machine, const RvmTask& task,
                   const rvm::Basis& basis, const core::Context& context) {
  std::vector<std::uint32_t> columns(basis.columns);
  std::iota(columns.begin(), columns.end(), 0U);
  return rvm::posterior(basis, columns, alpha, task.targets, task.task, machine.noise_variance.value_or(1), false,
                        context)
      .log_evidence;
}

/// The best that our algorithms find for these columns.
double best_evidence(const RvmMachine& machine, const RvmTask& task, const rvm::Basis& basis,
                     const core::Context& context) {
  rvm::FitOptions batch;
  batch.starts = 3;
  rvm::FitOptions sequential;
  sequential.algorithm = rvm::Algorithm::sequential;
  const auto evidence = [&](const rvm::FitOptions& options) {
    return rvm::fit(basis, machine.bias.has_value(), task.targets, task.task, options, false, context).log_evidence;
  };
  return std::max(evidence(batch), evidence(sequential));
}

double error_of(const RvmTask& task, const std::vector<double>& y) {
  double sum = 0;
  for (std::size_t n = 0; n < y.size(); ++n) {
    const double difference = y[n] - task.test_targets[n];
    sum += task.regression() ? difference * difference : (y[n] > 0) != (task.test_targets[n] > 0.5) ? 1 : 0;
  }
  const double mean = sum / static_cast<double>(y.size());
  return task.regression() ? std::sqrt(mean) : mean;
}

}  // namespace

RvmWorth worth_of(const RvmMachine& machine, const RvmTask& task) {
  const core::Threads one_thread(1);
  core::Monitor monitor;
  const core::Context context{one_thread, monitor};
  const rvm::Basis basis = columns_of(machine, task, task.training);
  const std::vector<double> alpha = told_alpha(machine, task);
  RvmWorth worth;
  worth.own_alpha = !alpha.empty();
  worth.log_evidence = worth.own_alpha ? evidence_at(alpha, machine, task, basis, context)
                                       : best_evidence(machine, task, basis, context);
  worth.decision = decisions(columns_of(machine, task, task.test), all_weights(machine));
  worth.test_error = error_of(task, worth.decision);
  return worth;
}

}  // namespace credence::bench
