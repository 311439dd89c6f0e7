#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "credence/core/error.hpp"
#include "credence/rvm/train.hpp"
#include "rvm/machine_parts.hpp"

namespace credence::rvm {
namespace {

void check_usable(const KernelFit& fit) {
  if (fit.stopped()) throw Error(ErrorCode::interrupted, "the fit was stopped before it ended");
  for (const Fit& machine : fit.machines)
    if (machine.covariance.rows != machine.columns.size())
      throw Error(ErrorCode::invalid_argument, "a model needs a fit with covariances");
}

/// For each candidate, whether some machine has it.
std::vector<bool> used_candidates(const Problem& problem, const KernelFit& fit) {
  std::vector<bool> used(problem.centre_rows.size(), false);
  for (const Fit& machine : fit.machines) {
    for (const std::size_t a : kept_columns(machine))
      if (machine.columns[a] > 0) used[machine.columns[a] - 1] = true;
  }
  return used;
}

/// @param position  of each candidate among the model's centres
Machine machine_of(const Fit& fit, int positive, const std::vector<std::uint32_t>& position) {
  Machine machine;
  machine.positive = positive;
  machine.noise_variance = fit.noise_variance;
  machine.log_evidence = fit.log_evidence;
  machine.status = fit.status;
  machine.null_model = fit.null_model;
  machine.iterations = fit.iterations;
  const std::vector<std::size_t> kept = kept_columns(fit);
  machine.covariance = data::DenseMatrix(kept.size(), kept.size());
  for (std::size_t i = 0; i < kept.size(); ++i) {
    for (std::size_t j = 0; j < kept.size(); ++j) machine.covariance.row(i)[j] = fit.covariance.row(kept[i])[kept[j]];
    if (fit.columns[kept[i]] == 0) {
      machine.has_bias = true;
      machine.bias = fit.weights[kept[i]];
    } else {
      machine.centres.push_back(position[fit.columns[kept[i]] - 1]);
      machine.weights.push_back(fit.weights[kept[i]]);
    }
  }
  return machine;
}

}  // namespace

std::vector<std::size_t> kept_columns(const Fit& fit) {
  std::vector<std::size_t> kept;
  for (std::size_t a = 0; a < fit.columns.size(); ++a)
    if (fit.columns[a] == 0 || !fit.null_model) kept.push_back(a);
  return kept;
}

RvmModel model_of(const Problem& problem, const KernelFit& fit, const data::Dataset& dataset) {
  check_usable(fit);
  RvmModel model;
  model.schema = dataset.schema_without_hint();
  model.kernel = fit.kernel;
  const std::vector<bool> used = used_candidates(problem, fit);
  std::vector<std::uint32_t> position(used.size(), 0);
  for (std::size_t m = 0; m < used.size(); ++m) {
    position[m] = static_cast<std::uint32_t>(model.centre_rows.size());
    if (used[m]) model.centre_rows.push_back(problem.centre_rows[m]);
  }
  if (!problem.precomputed) model.centres = problem.rows.select_rows(model.centre_rows);
  for (std::size_t m = 0; m < fit.machines.size(); ++m)
    model.machines.push_back(machine_of(fit.machines[m], problem.positive[m], position));
  if (problem.task == data::Task::regression) return model;
  model.class_counts.assign(dataset.class_count(), 0);
  for (const int label : dataset.labels) ++model.class_counts[static_cast<std::size_t>(label)];
  return model;
}

}  // namespace credence::rvm
