#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "credence/rvm/train.hpp"
#include "credence/selection/options.hpp"
#include "credence/selection/selector.hpp"
#include "credence/svm/loss.hpp"
#include "selection/fit/kept_parts.hpp"
#include "selection/resample/resamples.hpp"
#include "svm/assembly.hpp"

/// One task of a grid: a kernel with its gamma, trained on a resample along all costs. The request to it, its
/// result, and the functions between them.
namespace credence::selection {

/// The result of one resample for one setting.
struct TaskResult {
  bool complete = false;           ///< solved, converged or not
  bool infeasible = false;         ///< some binary SVM has no solution at this cost
  bool skipped = false;            ///< not solved, because this or another resample gave the cost up
  GivenUp given_up = GivenUp::no;  ///< by this resample
  std::size_t errors = 0;          ///< held-out rows that were misclassified; counted by the caller, as `soft`
  double soft = 0;                 ///< sum of their soft losses; regression: of their squared errors
  std::size_t support = 0;
  std::uint64_t steps = 0;
  std::uint64_t factorisations = 0;
  std::size_t unconverged = 0;
  double fit_seconds = 0;    ///< of the solver from the cost before to this one, for all binary SVMs
  double score_seconds = 0;  ///< of the decision values, which all costs share: an equal part

  double loss(Loss which) const { return which == Loss::soft ? soft : static_cast<double>(errors); }
  bool usable() const { return complete && !infeasible; }
};

/// The judgement of a row by a model that has not seen it.
struct RowJudgement {
  bool error = false;  ///< misclassified
  double score = 0;    ///< of its true class; regression: minus |target - mean|
  double soft = 0;     ///< soft loss; regression: squared error
  int label = 0;
  double log_loss = 0;  ///< of a relevance vector machine: -log of the probability of the true class
};

/// The binary SVMs of each model of a list; empty for a model that is missing.
using ModelMachines = std::vector<std::vector<svm::SparseMachine>>;

/// The result of a task. Lists are over (cost, judged row), the row varying fastest; values at costs that are not
/// usable mean nothing.
struct FittedTask {
  std::vector<TaskResult> costs;    ///< without errors and soft losses
  std::vector<std::size_t> judged;  ///< rows of the data set
  std::vector<std::uint16_t> labels;
  std::vector<double> scores;        ///< RowJudgement::score
  std::vector<double> log_losses;    ///< RowJudgement::log_loss of relevance vector machines that are classifiers
  std::vector<double> class_scores;  ///< class fastest; empty unless they are wanted
  ModelMachines machines;            ///< of each cost, where they are kept and usable

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
  /// Returns the judgement of the h-th judged row at a usable cost.
  RowJudgement said(std::size_t c, std::size_t h, const data::Dataset& dataset) const {
    const std::size_t at = c * judged.size() + h;
    const double score = scores[at];
    if (dataset.is_regression()) return {false, score, score * score};
    return {labels[at] != dataset.labels[judged[h]], score, svm::soft_loss(score), labels[at],
            log_losses.empty() ? 0 : log_losses[at]};
  }
  /// Returns the scores of all classes; they must have been wanted.
  const double* scores_of(std::size_t c, std::size_t h, std::size_t classes) const {
    return class_scores.data() + (c * judged.size() + h) * classes;
  }
};

void visit(auto& bytes, TaskResult& result) {
  visit_reason(bytes, result.given_up);
  bytes(result.complete, result.infeasible, result.skipped, result.errors, result.soft, result.support, result.steps,
        result.factorisations, result.unconverged, result.fit_seconds, result.score_seconds);
}

/// Without the judged rows, which the caller knows.
void visit(auto& bytes, FittedTask& task) {
  bytes(task.costs, task.labels, task.scores, task.log_losses, task.class_scores, task.machines);
}

/// Which rows a resample leaves out one by one.
enum class LeftOutRows {
  errors,   ///< the rows whose error may change when they are left out, at every cost
  scores,   ///< all support vectors, at every cost
  margins,  ///< all support vectors, at the last cost alone
};

/// Returns how many binary SVMs or relevance vector machines a setting has: one for two classes or a regression; of
/// more classes, one for each pair (SVMs) or each class (relevance vector machines).
std::size_t machines_of_setting(const data::Dataset& dataset, const Options& options);

/// The request to a task.
struct TaskWants {
  std::vector<std::size_t> judged{};           ///< rows that are judged
  bool class_scores = false;                   ///< their scores of all classes too
  std::size_t costs = 0;                       ///< the path ends after this number of costs; 0: at the last
  std::vector<bool> machines{};                ///< for each cost, whether its SVMs are kept; empty: none are
  bool norms = false;                          ///< kept SVMs have their norms |w|
  LeftOutRows left_out = LeftOutRows::scores;  ///< if the resample leaves rows out one by one
};

/// Relevance vector machines of one kernel without covariances, and what their fits took.
struct FittedRvms {
  bool complete = false;  ///< false if the monitor stopped it; then there is nothing else
  rvm::KernelFit fit;
  std::uint64_t newton_steps = 0;
  std::uint64_t factorisations = 0;
  std::size_t unconverged = 0;  ///< RVMs that reached the limit of iterations
};
FittedRvms fitted_rvms(const rvm::Problem& problem, const kernel::Kernel& kernel, const Options& options,
                       const core::Context& context);

/// Returns a task with lists for the judged rows at `costs` costs.
FittedTask empty_task(std::size_t costs, std::size_t classes, const TaskWants& wants);

/// Finds for relevance vector machines, which have one cost, what fit_paths finds for SVMs. Training rows of one class
/// only, or with one target, make models that predict it for every row: the target, or the class as surely as
/// rvm::constant_fit predicts a class that does not occur.
/// @param features  all rows of the data set, preprocessed
FittedTask fit_rvms(const data::Dataset& dataset, const data::Features& features, const kernel::Kernel& kernel,
                    const Options& options, const Resample& resample, const TaskWants& wants,
                    const core::Context& context);

}  // namespace credence::selection
