#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "credence/qp/solver.hpp"
#include "credence/rvm/train.hpp"
#include "credence/selection/options.hpp"
#include "credence/selection/selector.hpp"
#include "credence/svm/family.hpp"
#include "credence/svm/loss.hpp"
#include "credence/svm/train.hpp"
#include "qp/left_out.hpp"
#include "rvm/machine_parts.hpp"
#include "selection/fit/kept_parts.hpp"
#include "selection/resample/resamples.hpp"
#include "svm/assembly.hpp"
#include "svm/path/judged_decisions.hpp"
#include "svm/path/machine_parts.hpp"

/// One task of a grid: a kernel with its gamma, trained on a resample along all costs. What is asked of it, what it
/// finds, and what makes the one from the other.
namespace credence::selection {

/// The steps that the path of one gamma and one resample may take before its larger C may be given up; 0: any number.
/// @param rows  of the whole data set  @param training_rows  of the resample
std::uint64_t path_budget(const Options& options, std::size_t rows, std::size_t training_rows);

/// The last C that the paths of one gamma go to. A cell that one resample gave up has no error whatever the others
/// find, so they end there too. The end is the same in whatever order the resamples come: the path that ends first of
/// all always gets there.
class SharedEnd {
 public:
  void end_at(std::size_t cost);
  std::size_t last() const { return last_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::size_t> last_{std::numeric_limits<std::size_t>::max()};
};

/// Watches the C path of one gamma and one resample, and says where the path may end early: in the corners of a grid,
/// machines memorise noise, cost most of all steps, and are never chosen.
///
/// Once the path has taken more steps than its budget, the larger C are given up if
/// - the machine that was solved last does worse on the rows left out than one of smaller C. The differences d of the
///   losses on the same rows decide: mean(d) > 3 sd(d) / sqrt(rows);
/// - or the last solve met the step limit, because a larger C takes more steps still.
class PathWatch {
 public:
  /// @param most_steps  see path_budget  @param shared  of the gamma; none: nothing but this one path counts
  explicit PathWatch(std::uint64_t most_steps, SharedEnd* shared = nullptr)
      : most_steps_(most_steps), shared_(shared) {}

  bool watches() const { return most_steps_ > 0; }
  /// Takes the solution at the next C, and the losses of the rows left out.
  /// @return whether larger C are solved
  bool take(const qp::Statistics& statistics, std::vector<double> losses);
  /// Why larger C were given up by this path.
  GivenUp reason() const { return reason_; }
  /// Whether the path ended, by its own outcome or that of another resample.
  bool ended() const { return ended_; }

 private:
  GivenUp judge(const qp::Statistics& statistics, std::vector<double> losses);

  std::uint64_t most_steps_;
  SharedEnd* shared_;
  std::size_t taken_ = 0;
  GivenUp reason_ = GivenUp::no;
  bool ended_ = false;
  std::uint64_t steps_ = 0;
  double least_sum_ = 0;
  std::vector<double> least_;  ///< losses at the C with the smallest sum so far, the first of equals
};

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

/// The binary machines of each model of a list; none of a model that is not there.
using ModelMachines = std::vector<std::vector<svm::SparseMachine>>;

/// What a task found. Lists are of (cost, judged row), the row fastest; they say nothing of a cost that is not usable.
struct FittedTask {
  std::vector<TaskResult> costs;    ///< their errors and soft losses are counted by whoever judges
  std::vector<std::size_t> judged;  ///< rows of the data set
  std::vector<std::uint16_t> labels;
  std::vector<double> scores;        ///< RowJudgement::score
  std::vector<double> soft;          ///< RowJudgement::soft and log_loss, where they do not follow from the score
  std::vector<double> log_losses;    ///< ...: of relevance vector machines
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

/// Which rows are left out.
enum class LeftOutRows {
  errors,   ///< the rows whose error may change when they are left out, at every cost
  scores,   ///< all support vectors, at every cost
  margins,  ///< all support vectors, at the last cost alone
};

/// Leaves rows out of one machine, at each C of its path of all rows.
///
/// If beta_i = 0, the solution without row i is the solution with row i. One exception is the bias if no variable is
/// free: the bias is then the middle of an interval, and row i may have been an end of it. If the margin y_i f(x_i) is
/// not positive, row i is misclassified without row i too: with f the minimiser of F + C_i h(y_i f(x_i)), h the hinge,
/// and f' that of F alone, F(f) + C_i h(y_i f(x_i)) <= F(f') + C_i h(y_i f'(x_i)) and F(f') <= F(f) give h(y_i f'(x_i))
/// >= h(y_i f(x_i)), hence y_i f'(x_i) <= y_i f(x_i). All other support vectors are left out one by one; see
/// qp/left_out.hpp.
class LeftOutMachine {
 public:
  /// The arguments must outlive the object. @param costs  of the path
  LeftOutMachine(const svm::MachinePart& part, const qp::Options& solver, LeftOutRows wanted, std::size_t costs)
      : part_(part), solver_(solver), wanted_(wanted), costs_(costs), known_(part.rows.size()) {}

  /// For the next cost: the decision value of each row of the part, by the machine trained without it if the row is
  /// left out, else by the machine of all rows.
  /// @param leaves_out  of each row of the data set  @param cost  counts what the solves took
  std::vector<double> decisions(const svm::PathPoint& point, const std::vector<std::uint8_t>& leaves_out,
                                const core::Monitor& monitor, TaskResult& cost) {
    std::vector<double> decisions(point.state.gradient);
    for (std::size_t a = 0; a < decisions.size(); ++a) decisions[a] += point.problem.linear[a] + point.bias;
    if (wanted_ != LeftOutRows::margins || point.index + 1 == costs_)
      leave_out(point, leaves_out, monitor, decisions, cost);
    return decisions;
  }

 private:
  void leave_out(const svm::PathPoint& point, const std::vector<std::uint8_t>& leaves_out, const core::Monitor& monitor,
                 std::vector<double>& decisions, TaskResult& cost) {
    const qp::Problem& problem = point.problem;
    const qp::State& state = point.state;
    // A solution that meets no bound stays the solution at every larger C, with all rows and with a row left out.
    const bool same_as_before = state.beta == before_;
    qp::LeftOut left_out(*part_.kernel, problem, state, solver_, monitor);
    const bool any_free = has_free(problem, state);
    for (std::size_t a = 0; a < decisions.size() && !monitor.should_stop(); ++a) {
      const double margin = problem.linear[a] * decisions[a];
      const bool unchanged = problem.lower[a] == problem.upper[a] || (state.beta[a] == 0 && any_free);
      if (leaves_out[part_.rows[a]] == 0 || unchanged || (wanted_ == LeftOutRows::errors && !(margin > 0))) continue;
      if (!same_as_before || known_[a].bounded) {
        known_[a] = left_out.without(a);
        cost.steps += known_[a].statistics.steps;
        cost.factorisations += known_[a].statistics.factorisations;
        cost.unconverged += known_[a].statistics.status != qp::Status::converged ? 1U : 0U;
      }
      decisions[a] = known_[a].decision;
    }
    cost.factorisations += left_out.factorisations();
    before_ = state.beta;
  }

  static bool has_free(const qp::Problem& problem, const qp::State& state) {
    for (std::size_t a = 0; a < state.beta.size(); ++a)
      if (state.beta[a] > problem.lower[a] && state.beta[a] < problem.upper[a]) return true;
    return false;
  }

  const svm::MachinePart& part_;
  const qp::Options& solver_;
  LeftOutRows wanted_;
  std::size_t costs_;
  std::vector<double> before_;              ///< solution at the last cost
  std::vector<qp::LeftOut::Result> known_;  ///< at the last cost where the row was left out
};

/// Returns how many binary machines a setting has: one for two classes or a regression; of more classes, one for each
/// pair (SVMs) or each class (relevance vector machines).
std::size_t machines_of_setting(const data::Dataset& dataset, const Options& options);

/// What is asked of a task.
struct TaskWants {
  std::vector<std::size_t> judged{};           ///< rows that are judged
  bool class_scores = false;                   ///< their scores of all classes too
  std::size_t costs = 0;                       ///< the path ends after so many; 0: all
  std::vector<bool> machines{};                ///< of each cost, whether its machines are kept; empty: none are
  bool norms = false;                          ///< kept machines know their norms
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
  std::vector<double> weights_;                ///< of errors, where the path is watched; empty: all alike
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

/// Relevance vector machines of one kernel without covariances, and what their fits took.
struct FittedRvms {
  bool complete = false;  ///< false if the monitor stopped it; then there is nothing else
  rvm::KernelFit fit;
  std::uint64_t newton_steps = 0;
  std::uint64_t factorisations = 0;
  std::size_t unconverged = 0;  ///< machines that met the limit of iterations
};
FittedRvms fitted_rvms(const rvm::Problem& problem, const kernel::Kernel& kernel, const Options& options,
                       const core::Context& context);

/// Finds for relevance vector machines, which have one cost, what SvmFit finds for SVMs. Training rows of one class
/// only, or with one target, make machines that say the same of every row: that class, as surely as rvm::constant_fit
/// is of a class that does not occur; that target.
/// @param features  all rows of the data set, preprocessed
FittedTask fit_rvms(const data::Dataset& dataset, const data::Features& features, const kernel::Kernel& kernel,
                    const Options& options, const Resample& resample, TaskWants wants, const core::Context& context);

}  // namespace credence::selection
