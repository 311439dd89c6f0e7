#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <vector>

#include "credence/rvm/train.hpp"
#include "rvm/machine_parts.hpp"
#include "selection/grid/fitted_task.hpp"
#include "selection/grid/left_out_machine.hpp"
#include "selection/resample/resamples.hpp"
#include "svm/path/judged_decisions.hpp"

/// One task: a kernel with its gamma, on one resample.
namespace credence::selection {

/// What is asked of a task.
struct TaskWants {
  std::vector<std::size_t> judged{};  ///< rows that are judged
  bool class_scores = false;          ///< their scores of all classes too
  std::size_t costs = 0;              ///< the path ends after so many; 0: all
  std::vector<bool> machines{};       ///< of each cost, whether its machines are kept; empty: none are
  bool norms = false;                 ///< kept machines know their norms
  LeftOutRows left_out = LeftOutRows::scores;  ///< if the resample leaves rows out one by one
};

/// Takes the solutions of the machines of SVMs, and makes of them what is wanted.
class SvmFit {
 public:
  /// The arguments must outlive the object.
  SvmFit(const data::Dataset& dataset, const Options& options, const Resample& resample, TaskWants wants);

  /// Lets the path of two classes end early, as the options say. Its judged rows must be held out.
  /// @param shared  ends the paths of all resamples of the gamma together; none: each by itself
  void may_give_up(SharedEnd* shared);

  const std::vector<svm::BinaryMachine>& layout() const { return layout_; }
  /// Takes the solution of a machine at a cost; costs ascend. @return whether a larger cost is wanted
  /// @param rows  of the kernel matrix of all rows
  bool take(kernel::Rows& rows, const svm::PathPoint& point, std::size_t machine, const svm::MachinePart& part,
            const svm::MachineParts& parts, const core::Monitor& monitor);
  /// Makes the decision values of the judged rows, once all solutions were taken.
  void finish(kernel::Rows& rows, const svm::MachineParts& parts, const core::Monitor& monitor);
  FittedTask found() && { return std::move(found_); }

 private:
  void count(const svm::PathPoint& point, const svm::MachinePart& part);
  bool leave_out(const svm::PathPoint& point, std::size_t machine, const svm::MachinePart& part,
                 const core::Monitor& monitor);
  void keep_scores(std::size_t c);
  std::vector<double> losses(kernel::Rows& rows, const svm::PathPoint& point, const svm::MachinePart& part) const;
  /// Seconds since the last call.
  double lap();

  const data::Dataset& dataset_;
  const Options& options_;
  const Resample& resample_;
  TaskWants wants_;
  std::vector<svm::BinaryMachine> layout_;
  std::size_t costs_;
  FittedTask found_;
  svm::JudgedDecisions decisions_;
  std::vector<std::vector<std::uint8_t>> is_support_;
  std::vector<std::size_t> solved_;
  PathWatch watch_{0};
  std::vector<double> weights_;               ///< of errors, where the path is watched; empty: all alike
  std::vector<std::uint8_t> leaves_out_;       ///< of each row of the data set; empty: no row one by one
  std::optional<LeftOutMachine> left_out_of_;  ///< the machine that is solved
  /// The decision value of a row by a machine that was trained without it.
  struct LeftOut {
    std::size_t cost;
    std::size_t machine;
    std::size_t judged;
    double decision;
  };
  std::vector<LeftOut> left_out_;
  std::chrono::steady_clock::time_point mark_ = std::chrono::steady_clock::now();
};

/// The relevance vector machines of a part of the rows, in the order of svm::one_against_rest; one for a regression.
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

/// What SvmFit finds of SVMs, of relevance vector machines, which have one cost.
FittedTask fit_rvms(const data::Dataset& dataset, const data::Features& features, const kernel::Kernel& kernel,
                    const Options& options, const Resample& resample, TaskWants wants, const core::Context& context);

}  // namespace credence::selection
