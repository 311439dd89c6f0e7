#include "selection/grid_task.hpp"

#include <algorithm>
#include <utility>

namespace credence::selection {

double own_score(std::span<const double> decisions, std::span<const svm::BinaryMachine> machines,
                 const data::Dataset& dataset, std::size_t row) {
  if (dataset.class_count() == 2) {
    return dataset.labels[row] == machines.front().positive ? decisions.front() : -decisions.front();
  }
  std::vector<double> scores(dataset.class_count());
  svm::class_scores(decisions, machines, scores.size(), scores.data());
  return scores[static_cast<std::size_t>(dataset.labels[row])];
}

GridTask::GridTask(const data::Dataset& dataset, const Options& options, const Resample& resample,
                   std::vector<std::size_t> judged)
    : dataset_(dataset),
      options_(options),
      resample_(resample),
      judged_(std::move(judged)),
      machines_(svm::machine_layout(dataset.class_count())),
      costs_(options.grid.costs().size()),
      decisions_(costs_, data::DenseMatrix(judged_.size(), machines_.size())),
      is_support_(costs_, std::vector<bool>(dataset.rows(), false)),
      solved_(costs_, 0),
      results_(costs_),
      solutions_(machines_.size()) {}

void GridTask::solve(kernel::Rows& rows, const core::Monitor& monitor) {
  const std::vector<double> factors = factors_of(dataset_, options_, resample_);
  for (std::size_t m = 0; m < machines_.size() && !monitor.should_stop(); ++m) {
    const qp::Problem problem = svm::machine_problem(dataset_.labels, machines_[m], factors);
    solve_costs(rows, problem, options_, monitor, [&](const svm::PathPoint& point) { take(point, m); });
  }
  for (std::size_t c = 0; c < costs_; ++c) {
    const bool all = solved_[c] == machines_.size();
    results_[c].complete = all || !monitor.should_stop();
    results_[c].infeasible = !all && !monitor.should_stop();
    results_[c].support = static_cast<std::size_t>(std::count(is_support_[c].begin(), is_support_[c].end(), true));
  }
}

int GridTask::label(std::size_t c, std::size_t h) const {
  return svm::vote(decisions_[c].row(h), machines_, dataset_.class_count());
}

void GridTask::take(const svm::PathPoint& point, std::size_t machine) {
  const std::size_t c = point.index;
  for (std::size_t h = 0; h < judged_.size(); ++h) {
    const std::size_t i = judged_[h];
    decisions_[c].row(h)[machine] = point.state.gradient[i] + point.problem.linear[i] + point.bias;
  }
  for (std::size_t i = 0; i < dataset_.rows(); ++i) {
    if (point.state.beta[i] != 0) {
      is_support_[c][i] = true;
    }
  }
  results_[c].steps += point.statistics.steps;
  results_[c].factorisations += point.statistics.factorisations;
  results_[c].unconverged += point.statistics.status != qp::Status::converged ? 1U : 0U;
  ++solved_[c];
  if (c + 1 == costs_) {
    solutions_[machine] = {point.state.beta, point.bias, point.C};
  }
}

}  // namespace credence::selection
