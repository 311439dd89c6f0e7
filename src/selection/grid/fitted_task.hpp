#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "credence/svm/family.hpp"
#include "credence/svm/loss.hpp"
#include "selection/grid/path_watch.hpp"
#include "selection/kept/visits.hpp"
#include "svm/assembly.hpp"

/// What the tasks of a grid find. A task is a kernel with its gamma, trained on a resample along all costs.
namespace credence::selection {

/// What one resample says of one cell.
struct TaskResult {
  bool complete = false;           ///< solved, whatever came of it
  bool infeasible = false;         ///< some machine has no solution at this cost
  bool skipped = false;            ///< not solved, because this or another resample gave the cost up
  GivenUp given_up = GivenUp::no;  ///< by this resample
  std::size_t errors = 0;          ///< held-out rows that were misclassified
  double soft = 0;                 ///< sum of their soft losses; regression: of their squared errors
  std::size_t support = 0;
  std::uint64_t steps = 0;
  std::uint64_t factorisations = 0;
  std::size_t unconverged = 0;
  double fit_seconds = 0;    ///< of the solver from the cost before to this one, all machines
  double score_seconds = 0;  ///< of the decision values, which all costs share: an equal part

  double loss(Loss which) const { return which == Loss::soft ? soft : static_cast<double>(errors); }
  bool usable() const { return complete && !infeasible; }
};

/// What a model that has not seen a row says of it.
struct RowJudgement {
  bool error = false;  ///< misclassified
  double score = 0;    ///< of its true class; regression: minus |target - mean|
  double soft = 0;     ///< soft loss; regression: squared error
  int label = 0;
  double log_loss = 0;  ///< of a relevance vector machine: -log of the probability of the true class
};

/// What a task found. Lists are of (cost, judged row), the row fastest; they say nothing of a cost that is not usable.
struct FittedTask {
  std::vector<TaskResult> costs;    ///< their errors and soft losses are counted by whoever judges
  std::vector<std::size_t> judged;  ///< rows of the data set
  std::vector<std::uint16_t> labels;
  std::vector<double> scores;        ///< RowJudgement::score
  std::vector<double> soft;          ///< RowJudgement::soft and log_loss, where they do not follow from the score
  std::vector<double> log_losses;    ///< ...: of relevance vector machines
  std::vector<double> class_scores;  ///< class fastest; empty unless they are wanted
  std::vector<std::vector<svm::SparseMachine>> machines;  ///< of each cost; empty where they are not kept

  /// Whether every cost was solved or given up.
  bool ended() const {
    return std::ranges::all_of(costs, [](const TaskResult& cost) { return cost.complete || cost.skipped; });
  }
  /// The last cost that the task's own path went to before it gave the larger ones up.
  std::optional<std::size_t> own_end() const {
    for (std::size_t c = 1; c < costs.size(); ++c)
      if (costs[c].given_up != GivenUp::no) return c - 1;
    return std::nullopt;
  }
  /// Of the h-th judged row at a usable cost. @param truth  its class; 0 for a regression
  RowJudgement said(std::size_t c, std::size_t h, int truth) const {
    const std::size_t at = c * judged.size() + h;
    const RowJudgement said{labels[at] != truth, scores[at], svm::soft_loss(scores[at]), labels[at]};
    return soft.empty() ? said : RowJudgement{said.error, said.score, soft[at], said.label, log_losses[at]};
  }
  /// Of all classes, if they are there.
  const double* scores_of(std::size_t c, std::size_t h, std::size_t classes) const {
    return class_scores.data() + (c * judged.size() + h) * classes;
  }
};

template <class Bytes>
void visit(Bytes& bytes, TaskResult& result) {
  visit_reason(bytes, result.given_up);
  bytes(result.complete, result.infeasible, result.skipped, result.errors, result.soft, result.support, result.steps,
        result.factorisations, result.unconverged, result.fit_seconds, result.score_seconds);
}

/// The judged rows are known to who asks.
template <class Bytes>
void visit(Bytes& bytes, FittedTask& task) {
  bytes(task.costs, task.labels, task.scores, task.soft, task.log_losses, task.class_scores, task.machines);
}

}  // namespace credence::selection
