#include "selection/grid/grid_task.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "selection/grid/judged_grid.hpp"
#include "selection/score/error_weights.hpp"

namespace credence::selection {
namespace {

using Clock = std::chrono::steady_clock;

/// Seconds since `mark`, which moves on to now.
double lap(Clock::time_point& mark) {
  const Clock::time_point before = std::exchange(mark, Clock::now());
  return std::chrono::duration<double>(mark - before).count();
}

}  // namespace

GridTask::GridTask(const data::Dataset& dataset, const Options& options, const Resample& resample,
                   std::vector<std::size_t> judged)
    : dataset_(dataset),
      options_(options),
      resample_(resample),
      machines_(svm::machine_layout(dataset.class_count())),
      costs_(options.costs.axis().size()),
      decisions_(machines_, dataset.class_count(), costs_, std::move(judged)),
      labels_(costs_),
      scores_(costs_),
      is_support_(costs_, std::vector<std::uint8_t>(dataset.rows(), 0)),
      solved_(costs_, 0),
      results_(costs_),
      kept_from_(costs_),
      kept_(costs_) {}

void GridTask::may_give_up(SharedEnd* shared) {
  if (machines_.size() > 1) return;  // a pair of many classes says little of a whole cell
  watch_ = PathWatch(path_budget(options_, dataset_.rows(), resample_.training_rows().size()), shared);
  if (watch_.watches() && weighs_errors(dataset_, options_))
    weights_ = error_weights(dataset_, class_costs(dataset_, options_));
}

/// The losses of the judged rows at one point of the path of two classes.
std::vector<double> GridTask::losses(kernel::Rows& rows, const svm::PathPoint& point,
                                     const svm::MachinePart& part) const {
  const std::vector<std::size_t>& judged = decisions_.judged();
  const std::vector<double>& beta = point.state.beta;
  std::vector<double> values(judged.size(), point.bias);
  if (beta.size() == dataset_.rows()) {
    for (std::size_t h = 0; h < judged.size(); ++h)
      values[h] += point.state.gradient[judged[h]] + point.problem.linear[judged[h]];
  } else {
    for (std::size_t a = 0; a < beta.size(); ++a) {
      if (beta[a] == 0) continue;
      const float* row = rows.row(part.rows[a]);
      for (std::size_t h = 0; h < judged.size(); ++h) values[h] += beta[a] * double{row[judged[h]]};
    }
  }
  for (std::size_t h = 0; h < judged.size(); ++h) {
    const double score = dataset_.labels[judged[h]] == machines_.front().positive ? values[h] : -values[h];
    values[h] = judging_loss(options_) == Loss::soft ? svm::soft_loss(score) : score > 0 ? 0 : 1;
    if (!weights_.empty()) values[h] *= weights_[judged[h]];
  }
  return values;
}

void GridTask::solve(kernel::Rows& rows, const core::Monitor& monitor) {
  const std::vector<double> factors = factors_of(dataset_, options_, resample_);
  const svm::MachineParts parts(rows, dataset_.labels, factors, machines_, dataset_.class_count());
  Clock::time_point mark = Clock::now();
  for (std::size_t m = 0; m < machines_.size() && !monitor.should_stop(); ++m) {
    const svm::MachinePart part = parts.part(m);
    solve_costs(*part.kernel, part.unit, options_, monitor, [&](const svm::PathPoint& point) {
      results_[point.index].fit_seconds += lap(mark);
      decisions_.take(point, m, part, parts);
      take(point, m, part);
      return !watch_.watches() || watch_.take(point.statistics, losses(rows, point, part));
    });
  }
  lap(mark);
  const bool judged = decisions_.finish(rows, parts, monitor);
  const double decided = lap(mark) / static_cast<double>(costs_);
  for (std::size_t c = 0; c < costs_; ++c) {
    const bool all = judged && solved_[c] == machines_.size();
    results_[c].skipped = watch_.ended() && solved_[c] < machines_.size();
    results_[c].given_up = results_[c].skipped ? watch_.reason() : GivenUp::no;
    const bool done = all || (!results_[c].skipped && !monitor.should_stop());
    results_[c].complete = done;
    results_[c].infeasible = done && !all;
    results_[c].support = static_cast<std::size_t>(std::count(is_support_[c].begin(), is_support_[c].end(), 1));
    results_[c].score_seconds = decided;
    if (!usable(c)) continue;
    const bool same = decisions_.same_as_before(c) && usable(c - 1);
    labels_[c] = same ? labels_[c - 1] : decisions_.labels(c);
    scores_[c] = same ? scores_[c - 1] : decisions_.scores(c);
  }
}

void GridTask::take(const svm::PathPoint& point, std::size_t machine, const svm::MachinePart& part) {
  const std::size_t c = point.index;
  const std::vector<double>& beta = point.state.beta;
  std::uint8_t* const is_support = is_support_[c].data();
  const std::size_t* const row = part.rows.data();
  for (std::size_t a = 0, n = beta.size(); a < n; ++a)
    if (beta[a] != 0) is_support[row[a]] = 1;
  results_[c].steps += point.statistics.steps;
  results_[c].factorisations += point.statistics.factorisations;
  results_[c].unconverged += point.statistics.status != qp::Status::converged ? 1U : 0U;
  ++solved_[c];
  if (c >= kept_from_) {
    kept_[c].resize(machines_.size());
    kept_[c][machine] = svm::sparse_machine(beta, part.rows, point.bias);
  }
}

}  // namespace credence::selection
