#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "credence/core/error.hpp"
#include "credence/core/list.hpp"
#include "credence/rvm/train.hpp"
#include "rvm/machine_parts.hpp"

namespace credence::rvm {
namespace {

void check_usable(const KernelFit& fit) {
  if (fit.stopped()) throw Error(ErrorCode::interrupted, "the fit was stopped before it ended");
  for (const Fit& machine : fit.machines)
    if (machine.covariance.rows != machine.columns.size()) refuse("a model needs a fit with covariances");
}

/// @param used  candidates that are the model's centres
Machine machine_of(const Fit& fit, int positive, svm::SparseMachine solved, std::span<const std::size_t> used) {
  Machine machine;
  machine.positive = positive;
  machine.noise_variance = fit.noise_variance;
  machine.log_evidence = fit.log_evidence;
  machine.status = fit.status;
  machine.null_model = fit.null_model;
  machine.iterations = fit.iterations;
  const std::vector<std::size_t> kept = kept_columns(fit);
  machine.covariance = data::DenseMatrix(kept.size(), kept.size());
  for (std::size_t i = 0; i < kept.size(); ++i)
    for (std::size_t j = 0; j < kept.size(); ++j) machine.covariance.row(i)[j] = fit.covariance.row(kept[i])[kept[j]];
  machine.has_bias = kept.size() > solved.rows.size();
  machine.bias = solved.bias;
  machine.centres = svm::positions_in(used, solved.rows);
  machine.weights = std::move(solved.coefficients);
  return machine;
}

}  // namespace

std::vector<std::size_t> kept_columns(const Fit& fit) {
  return core::numbers_where(fit.columns.size(), [&](std::size_t a) { return fit.columns[a] == 0 || !fit.null_model; });
}

svm::SparseMachine sparse_machine(const Fit& fit) {
  svm::SparseMachine machine;
  for (const std::size_t a : kept_columns(fit)) {
    if (fit.columns[a] == 0) {
      machine.bias = fit.weights[a];
    } else {
      machine.rows.push_back(fit.columns[a] - 1);
      machine.coefficients.push_back(fit.weights[a]);
    }
  }
  return machine;
}

RvmModel model_of(const Problem& problem, const KernelFit& fit, const data::Dataset& dataset) {
  check_usable(fit);
  RvmModel model;
  model.schema = dataset.schema_without_hint();
  model.kernel = fit.kernel;
  std::vector<svm::SparseMachine> solved;
  for (const Fit& machine : fit.machines) solved.push_back(sparse_machine(machine));
  const std::vector<std::size_t> used = svm::support_of(solved);
  model.centre_rows = core::picked(problem.centre_rows, used);
  if (!problem.precomputed) model.centres = problem.rows.select_rows(model.centre_rows);
  for (std::size_t m = 0; m < fit.machines.size(); ++m)
    model.machines.push_back(machine_of(fit.machines[m], problem.positive[m], std::move(solved[m]), used));
  if (problem.task == data::Task::regression) return model;
  model.class_counts = core::counts_of(dataset.labels, dataset.class_count());
  return model;
}

std::shared_ptr<svm::SvmFamily> family_of(const RvmModel& model) {
  auto family = std::make_shared<svm::SvmFamily>();
  family->relevance_vectors = true;
  family->kernel = model.kernel;
  family->gammas = {model.kernel.uses_gamma() ? model.kernel.gamma : 0.0};
  family->cost_count = 1;
  family->class_count = std::max<std::size_t>(model.schema.classes.size(), 1);
  family->bias = data::DenseMatrix(1, model.machines.size());
  family->norm = data::DenseMatrix(1, model.machines.size());
  family->support_vectors = model.centres;
  family->support_rows = model.centre_rows;
  for (std::size_t m = 0; m < model.machines.size(); ++m) {
    const Machine& machine = model.machines[m];
    data::DenseMatrix weights(machine.weights.size(), 1);
    weights.values = machine.weights;
    family->machines.push_back({machine.centres, std::move(weights)});
    family->bias.row(0)[m] = machine.bias;
  }
  return family;
}

}  // namespace credence::rvm
