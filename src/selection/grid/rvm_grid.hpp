#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "credence/core/context.hpp"
#include "credence/rvm/train.hpp"
#include "credence/selection/selector.hpp"
#include "rvm/machine_parts.hpp"
#include "selection/grid/grid_run.hpp"
#include "selection/grid/grid_task.hpp"

/// Relevance vector machines for the gammas of a grid, on parts of the rows.
namespace credence::selection {

/// Candidate centres of fits on parts of so many rows: as many as a fit on all of them would have.
std::size_t resolved_centres(std::size_t rows, const Options& options);

/// The most memory that a fit on at most so many rows may need.
std::size_t fit_bytes(std::size_t rows, std::size_t centres, data::Task task);

/// Calls fit(task, context of its own) for every task, in ascending order; several at a time, with one thread each,
/// where the memory budget allows it. Task k is worth units[k] of the monitor. A run that is stopped leaves the rest
/// out.
void for_each_fit(std::span<const std::size_t> units, std::size_t bytes, const core::Context& context,
                  const std::function<void(std::size_t task, const core::Context& part)>& fit);

/// Calls work(gamma, resample, context of its own) for every task of a grid, gamma by gamma.
/// @param rows  that the largest resample trains on
void for_each_rvm(const GridRun& run, const Options& options, std::size_t rows, const core::Context& context,
                  const std::function<void(std::size_t gamma, std::size_t resample, const core::Context& part)>& work);

/// The machines that a part of the rows makes, in the order of svm::one_against_rest; one for a regression.
struct RvmPart {
  bool complete = false;                     ///< false if the monitor stopped it
  std::vector<svm::SparseMachine> machines;  ///< as weights of rows of the data set
  std::vector<std::size_t> class_counts;
  std::uint64_t newton_steps = 0;
  std::uint64_t factorisations = 0;
  std::size_t unconverged = 0;  ///< machines that met the limit of iterations

  std::vector<std::size_t> support() const { return svm::support_of(machines); }
  /// y of each machine: rows x machines.
  data::DenseMatrix decisions(const kernel::Kernel& kernel, const data::Features& features,
                              std::span<const std::size_t> rows) const;
};

/// Fits the machines on some rows, repeats allowed. Rows of one class only, or with one target, make machines that say
/// the same of every row: that class, as surely as rvm::constant_fit is of a class that does not occur; that target.
/// @param features  all rows of the data set, preprocessed
RvmPart train_part(const data::Dataset& dataset, const data::Features& features, const kernel::Kernel& kernel,
                   const Options& options, const std::vector<std::size_t>& training_rows, const core::Context& context);

/// One (gamma, resample): what GridTask is for SVMs.
class RvmTask {
 public:
  RvmTask(const data::Dataset& dataset, const Options& options, const Resample& resample,
          std::vector<std::size_t> judged)
      : dataset_(dataset), options_(options), resample_(resample), judged_(std::move(judged)) {}

  void solve(const data::Features& features, const kernel::Kernel& kernel, const core::Context& context);

  template <class Visit>
  TaskResult judge(std::size_t, const Visit& visit) const {
    TaskResult result = result_;
    for (std::size_t h = 0; result.complete && h < judged_.size(); ++h) {
      const RowJudgement said = judge_row(h);
      result.errors += said.error ? 1U : 0U;
      result.soft += said.soft;
      visit(judged_[h], said);
    }
    return result;
  }
  /// As GridTask::visit_scores, of more than two classes.
  template <class Visit>
  void visit_scores(std::size_t, const Visit& visit) const {
    for (std::size_t h = 0; result_.complete && h < judged_.size(); ++h)
      for (std::size_t k = 0; k < decisions_.columns; ++k) visit(judged_[h], k, decisions_.row(h)[k]);
  }
  bool usable(std::size_t) const { return result_.complete; }
  int label(std::size_t, std::size_t h) const { return rvm::label_of(decisions_.row(h), part_.class_counts); }

 private:
  RowJudgement judge_row(std::size_t h) const;

  const data::Dataset& dataset_;
  const Options& options_;
  const Resample& resample_;
  std::vector<std::size_t> judged_;
  RvmPart part_;
  data::DenseMatrix decisions_;
  TaskResult result_;
};

}  // namespace credence::selection
