#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "credence/svm/family.hpp"
#include "credence/svm/loss.hpp"
#include "selection/grid/grid_run.hpp"
#include "selection/grid/path_watch.hpp"
#include "svm/assembly.hpp"
#include "svm/path/judged_decisions.hpp"

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
};

/// What a model that has not seen a row says of it.
struct RowJudgement {
  bool error = false;  ///< misclassified
  double score = 0;    ///< of its true class; regression: minus |target - mean|
  double soft = 0;     ///< soft loss; regression: squared error
  int label = 0;
  double log_loss = 0;  ///< of a relevance vector machine: -log of the probability of the true class
};

/// All costs of one (gamma, resample).
class GridTask {
 public:
  /// @param judged  the rows whose decision values are wanted
  GridTask(const data::Dataset& dataset, const Options& options, const Resample& resample,
           std::vector<std::size_t> judged);

  /// Lets the path of two classes end early, as the options say. Its judged rows must be held out.
  /// @param shared  ends the paths of all resamples of the gamma together; none: each by itself
  void may_give_up(SharedEnd* shared);

  /// To be called before `solve`: the machines of the costs from this one on are kept.
  void keep_machines(std::size_t from) { kept_from_ = from; }

  void solve(kernel::Rows& rows, const core::Monitor& monitor);

  /// The result at cost c; calls visit(row, what is said of it) for every judged row if it is usable.
  template <class Visit>
  TaskResult judge(std::size_t c, const Visit& visit) const {
    TaskResult result = results_[c];
    for (std::size_t h = 0; usable(c) && h < decisions_.size(); ++h) {
      const std::size_t i = decisions_.judged()[h];
      const double score = this->score(c, h, dataset_.labels[i]);
      const RowJudgement said{label(c, h) != dataset_.labels[i], score, svm::soft_loss(score), label(c, h)};
      result.errors += said.error ? 1U : 0U;
      result.soft += said.soft;
      visit(i, said);
    }
    return result;
  }
  /// Calls visit(row, class, score) for every judged row and class, if the cost is usable.
  template <class Visit>
  void visit_scores(std::size_t c, const Visit& visit) const {
    for (std::size_t h = 0; usable(c) && h < decisions_.size(); ++h)
      for (std::size_t k = 0; k < dataset_.class_count(); ++k)
        visit(decisions_.judged()[h], k, score(c, h, static_cast<int>(k)));
  }
  bool usable(std::size_t c) const { return results_[c].complete && !results_[c].infeasible; }
  /// The class that the machines of cost c give to the h-th judged row.
  int label(std::size_t c, std::size_t h) const { return labels_[c][h]; }
  /// The machines at a cost at which they are kept.
  std::vector<svm::SparseMachine>& machines(std::size_t c) { return kept_[c]; }

 private:
  double score(std::size_t c, std::size_t h, int label) const {
    return scores_[c][static_cast<std::size_t>(label) * decisions_.size() + h];
  }
  void take(const svm::PathPoint& point, std::size_t machine, const svm::MachinePart& part);
  std::vector<double> losses(kernel::Rows& rows, const svm::PathPoint& point, const svm::MachinePart& part) const;

  const data::Dataset& dataset_;
  const Options& options_;
  const Resample& resample_;
  std::vector<svm::BinaryMachine> machines_;
  std::size_t costs_;
  svm::JudgedDecisions decisions_;
  std::vector<std::vector<int>> labels_;     ///< per usable cost, of the judged rows
  std::vector<std::vector<double>> scores_;  ///< likewise, of all classes
  std::vector<std::vector<std::uint8_t>> is_support_;
  std::vector<std::size_t> solved_;
  std::vector<TaskResult> results_;
  std::size_t kept_from_;
  std::vector<std::vector<svm::SparseMachine>> kept_;  ///< of each cost
  PathWatch watch_{0};
  std::vector<double> weights_;  ///< of errors, where the path is watched; empty: all alike
};

}  // namespace credence::selection
