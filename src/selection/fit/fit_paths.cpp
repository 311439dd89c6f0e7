#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "credence/svm/loss.hpp"
#include "qp/left_out.hpp"
#include "selection/fit/fit_grid.hpp"
#include "selection/resample/error_weights.hpp"
#include "svm/assembly.hpp"
#include "svm/path/judged_decisions.hpp"
#include "svm/path/machine_parts.hpp"

namespace credence::selection {

void SharedEnd::end_at(std::size_t cost) {
  std::size_t before = last();
  while (cost < before && !last_.compare_exchange_weak(before, cost, std::memory_order_relaxed)) {
  }
}

namespace {

/// Below this number of rows, every setting is solved unless the options say otherwise.
constexpr std::size_t rows_solved_whole = 5000;
constexpr std::uint64_t default_steps_of_a_row = 10;
constexpr double standard_errors = 3;
constexpr std::size_t fewest_rows = 30;  // of a comparison by standard errors

/// The steps that the path of one gamma and one resample may take before its larger C may be given up; 0: any number.
/// @param rows  of the whole data set  @param training_rows  of the resample
std::uint64_t path_budget(const Options& options, std::size_t rows, std::size_t training_rows) {
  // More errors do not mean a worse score of another kind.
  if (!options.costs.nu.empty() || options.score != Score::accuracy) return 0;
  const std::size_t by_default = rows > rows_solved_whole ? default_steps_of_a_row : 0;
  return options.costs.give_up.value_or(by_default) * training_rows;
}

/// Whether the losses exceed those of another machine on the same rows by more than chance.
bool clearly_worse(const std::vector<double>& losses, const std::vector<double>& others) {
  const auto rows = static_cast<double>(losses.size());
  double sum = 0;
  double squares = 0;
  for (std::size_t h = 0; h < losses.size(); ++h) {
    const double difference = losses[h] - others[h];
    sum += difference;
    squares += difference * difference;
  }
  const double mean = sum / rows;
  const double variance = (squares - rows * mean * mean) / (rows - 1);
  return losses.size() >= fewest_rows && mean > standard_errors * std::sqrt(std::max(variance, 0.0) / rows);
}

/// Watches the C path of one gamma and one resample, and says where the path may end early: in the corners of a grid,
/// machines memorise noise, cost most of all steps, and are never chosen.
///
/// The larger C are given up if
/// - the path has taken more steps than its budget, and the machine that was solved last does worse on the rows left
/// out
///   than one of smaller C. The differences d of the losses on the same rows decide: mean(d) > 3 sd(d) / sqrt(rows);
/// - or the last solve met the step limit, because a larger C takes more steps still.
class PathWatch {
 public:
  /// @param most_steps  see path_budget; 0: nothing is watched
  /// @param shared  of the gamma; none: nothing but this one path counts
  explicit PathWatch(std::uint64_t most_steps = 0, SharedEnd* shared = nullptr)
      : most_steps_(most_steps), shared_(shared) {}

  bool watches() const { return most_steps_ > 0; }
  /// Takes the solution at the next C, and the losses of the rows left out.
  /// @return whether larger C are solved
  bool take(const qp::Statistics& statistics, std::vector<double> losses) {
    const std::size_t cost = taken_++;
    reason_ = judge(statistics, std::move(losses));
    if (shared_ != nullptr && reason_ != GivenUp::no) shared_->end_at(cost);
    ended_ = reason_ != GivenUp::no || (shared_ != nullptr && cost >= shared_->last());
    return !ended_;
  }
  /// Why larger C were given up by this path.
  GivenUp reason() const { return reason_; }
  /// Whether the path ended, by its own outcome or that of another resample.
  bool ended() const { return ended_; }

 private:
  GivenUp judge(const qp::Statistics& statistics, std::vector<double> losses) {
    steps_ += statistics.steps;
    if (statistics.status == qp::Status::step_limit) return GivenUp::step_limit;
    const double sum = std::accumulate(losses.begin(), losses.end(), 0.0);
    if (least_.empty() || sum < least_sum_) {
      least_sum_ = sum;
      least_ = std::move(losses);
      return GivenUp::no;
    }
    return steps_ > most_steps_ && clearly_worse(losses, least_) ? GivenUp::step_budget : GivenUp::no;
  }

  std::uint64_t most_steps_;
  SharedEnd* shared_;
  std::size_t taken_ = 0;
  GivenUp reason_ = GivenUp::no;
  bool ended_ = false;
  std::uint64_t steps_ = 0;
  double least_sum_ = 0;
  std::vector<double> least_;  ///< losses at the C with the smallest sum so far, the first of equals
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

/// With its norm in feature space if that is wanted.
svm::SparseMachine machine_at(const svm::PathPoint& point, const std::vector<std::size_t>& rows, bool norm) {
  svm::SparseMachine machine = svm::sparse_machine(point.state.beta, rows, point.bias);
  double squared_norm = 0;
  for (std::size_t i = 0; norm && i < point.state.beta.size(); ++i) {
    const double beta = point.state.beta[i];
    if (beta != 0) squared_norm += beta * (point.state.gradient[i] + point.problem.linear[i]);
  }
  if (norm) machine.norm = std::sqrt(std::max(squared_norm, 0.0));
  return machine;
}

/// Takes the solutions of the machines of one task, and makes of them what is wanted.
class SvmFit {
 public:
  /// The arguments must outlive the object. @param rows  of the kernel matrix of all rows
  SvmFit(kernel::Rows& rows, const data::Dataset& dataset, const Options& options, const Resample& resample,
         TaskWants wants, const core::Monitor& monitor)
      : rows_(rows),
        dataset_(dataset),
        options_(options),
        monitor_(monitor),
        wants_(std::move(wants)),
        layout_(svm::machine_layout(dataset.class_count())),
        costs_(wants_.costs == 0 ? options.costs.axis().size() : wants_.costs),
        factors_(factors_of(dataset, options, resample)),
        parts_(rows, dataset.labels, factors_, layout_, dataset.class_count()),
        found_(empty_task(costs_, dataset.class_count(), wants_)),
        decisions_(layout_, dataset.class_count(), costs_, wants_.judged),
        is_support_(costs_, std::vector<std::uint8_t>(dataset.rows(), 0)),
        solved_(costs_, 0),
        leaves_out_(resample.one_by_one.empty() ? 0 : dataset.rows(), 0) {
    for (const std::size_t i : resample.one_by_one) leaves_out_[i] = 1;
  }

  /// Lets the path of two classes end early, as the options say. Its judged rows must be held out.
  /// @param shared  ends the paths of all resamples of the gamma together; none: each by itself
  void may_give_up(std::size_t training_rows, SharedEnd* shared) {
    if (layout_.size() > 1 || !leaves_out_.empty()) return;  // a pair of many classes says little of a whole setting
    watch_ = PathWatch(path_budget(options_, dataset_.rows(), training_rows), shared);
    if (watch_.watches() && weighs_errors(dataset_, options_))
      weights_ = error_weights(dataset_, class_costs(dataset_, options_));
  }

  std::size_t machines() const { return layout_.size(); }
  svm::MachinePart part(std::size_t machine) const { return parts_.part(machine); }

  /// Takes the solution of a machine at a cost; costs ascend. @return whether a larger cost is wanted
  bool take(const svm::PathPoint& point, std::size_t machine, const svm::MachinePart& part) {
    const std::size_t c = point.index;
    if (c >= costs_) return false;  // a path along nu goes to its end
    found_.costs[c].fit_seconds += lap();
    if (!leaves_out_.empty() && !leave_out(point, machine, part)) return true;
    if (!wants_.judged.empty()) decisions_.take(point, machine, part, parts_);
    count(point, part);
    if (!wants_.machines.empty() && wants_.machines[c]) {
      found_.machines[c].resize(layout_.size());
      found_.machines[c][machine] = machine_at(point, part.rows, wants_.norms);
    }
    if (watch_.watches()) return watch_.take(point.statistics, losses(point, part));
    return c + 1 < costs_;
  }

  /// Makes the decision values of the judged rows, once all solutions were taken.
  FittedTask finish() && {
    lap();
    const bool judged = wants_.judged.empty() || decisions_.finish(rows_, parts_, monitor_);
    // The values are those of the machines of all training rows; rows left out one by one replace theirs.
    for (const LeftOut& one : left_out_) decisions_.replace(one.cost, one.machine, one.judged, one.decision);
    const double decided = lap() / static_cast<double>(costs_);
    for (std::size_t c = 0; c < costs_; ++c) {
      TaskResult& cost = found_.costs[c];
      const bool all = judged && solved_[c] == layout_.size();
      cost.skipped = watch_.ended() && solved_[c] < layout_.size();
      cost.given_up = cost.skipped ? watch_.reason() : GivenUp::no;
      cost.complete = all || (!cost.skipped && !monitor_.should_stop());
      cost.infeasible = cost.complete && !all;
      cost.support = static_cast<std::size_t>(std::ranges::count(is_support_[c], 1));
      cost.score_seconds = decided;
      if (!cost.usable() && c < found_.machines.size()) found_.machines[c].clear();
      if (cost.usable() && !wants_.judged.empty()) keep_scores(c);
    }
    return std::move(found_);
  }

 private:
  /// Seconds since the last call.
  double lap() {
    const auto before = std::exchange(mark_, std::chrono::steady_clock::now());
    return std::chrono::duration<double>(mark_ - before).count();
  }

  /// @return false if the monitor said stop
  bool leave_out(const svm::PathPoint& point, std::size_t machine, const svm::MachinePart& part) {
    if (point.index == 0) left_out_of_.emplace(part, options_.costs.solver, wants_.left_out, costs_);
    const std::vector<double> decisions =
        left_out_of_->decisions(point, leaves_out_, monitor_, found_.costs[point.index]);
    if (monitor_.should_stop()) return false;
    for (std::size_t a = 0; a < decisions.size(); ++a) {
      if (leaves_out_[part.rows[a]] == 0) continue;
      const auto place = std::ranges::lower_bound(wants_.judged, part.rows[a]) - wants_.judged.begin();
      left_out_.push_back({point.index, machine, static_cast<std::size_t>(place), decisions[a]});
    }
    return true;
  }

  void count(const svm::PathPoint& point, const svm::MachinePart& part) {
    const std::vector<double>& beta = point.state.beta;
    std::uint8_t* const is_support = is_support_[point.index].data();
    const std::size_t* const row = part.rows.data();
    for (std::size_t a = 0, n = beta.size(); a < n; ++a)
      if (beta[a] != 0) is_support[row[a]] = 1;
    ++solved_[point.index];
    // Resamples that leave rows out one by one follow the same path, which counts once.
    if (!leaves_out_.empty() && leaves_out_.front() == 0) return;
    TaskResult& cost = found_.costs[point.index];
    cost.steps += point.statistics.steps;
    cost.factorisations += point.statistics.factorisations;
    cost.unconverged += point.statistics.status != qp::Status::converged ? 1U : 0U;
  }

  /// The losses of the judged rows at one point of the path of two classes.
  std::vector<double> losses(const svm::PathPoint& point, const svm::MachinePart& part) const {
    const std::vector<std::size_t>& judged = wants_.judged;
    const std::vector<double>& beta = point.state.beta;
    std::vector<double> values(judged.size(), point.bias);
    if (beta.size() == dataset_.rows()) {
      for (std::size_t h = 0; h < judged.size(); ++h)
        values[h] += point.state.gradient[judged[h]] + point.problem.linear[judged[h]];
    } else {
      for (std::size_t a = 0; a < beta.size(); ++a) {
        if (beta[a] == 0) continue;
        const float* row = rows_.row(part.rows[a]);
        for (std::size_t h = 0; h < judged.size(); ++h) values[h] += beta[a] * double{row[judged[h]]};
      }
    }
    for (std::size_t h = 0; h < judged.size(); ++h) {
      const double score = dataset_.labels[judged[h]] == layout_.front().positive ? values[h] : -values[h];
      values[h] = judging_loss(options_) == Loss::soft ? svm::soft_loss(score) : score > 0 ? 0 : 1;
      if (!weights_.empty()) values[h] *= weights_[judged[h]];
    }
    return values;
  }

  void keep_scores(std::size_t c) {
    const std::size_t size = wants_.judged.size();
    const std::size_t classes = dataset_.class_count();
    const auto at = [&](auto& list, std::size_t cost, std::size_t of_row) {
      return list.begin() + static_cast<std::ptrdiff_t>(cost * size * of_row);
    };
    if (left_out_.empty() && decisions_.same_as_before(c) && found_.costs[c - 1].usable()) {
      std::copy_n(at(found_.labels, c - 1, 1), size, at(found_.labels, c, 1));
      std::copy_n(at(found_.scores, c - 1, 1), size, at(found_.scores, c, 1));
      if (wants_.class_scores)
        std::copy_n(at(found_.class_scores, c - 1, classes), size * classes, at(found_.class_scores, c, classes));
      return;
    }
    std::ranges::copy(decisions_.labels(c), at(found_.labels, c, 1));
    const std::vector<double> scores = decisions_.scores(c);  // (class, row)
    for (std::size_t h = 0; h < size; ++h) {
      const auto truth = static_cast<std::size_t>(dataset_.labels[wants_.judged[h]]);
      found_.scores[c * size + h] = scores[truth * size + h];
      for (std::size_t k = 0; wants_.class_scores && k < classes; ++k)
        found_.class_scores[(c * size + h) * classes + k] = scores[k * size + h];
    }
  }

  kernel::Rows& rows_;
  const data::Dataset& dataset_;
  const Options& options_;
  const core::Monitor& monitor_;
  TaskWants wants_;
  std::vector<svm::BinaryMachine> layout_;
  std::size_t costs_;
  std::vector<double> factors_;
  svm::MachineParts parts_;
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

}  // namespace

FittedTask fit_paths(kernel::Rows& rows, const data::Dataset& dataset, const Options& options, const Resample& resample,
                     TaskWants wants, const core::Monitor& monitor, GiveUp give_up, SharedEnd* end) {
  SvmFit fit(rows, dataset, options, resample, std::move(wants), monitor);
  if (give_up != GiveUp::never)
    fit.may_give_up(resample.training_rows().size(), give_up == GiveUp::together ? end : nullptr);
  for (std::size_t m = 0; m < fit.machines() && !monitor.should_stop(); ++m) {
    const svm::MachinePart own = fit.part(m);
    const auto take = [&](const svm::PathPoint& point) { return fit.take(point, m, own); };
    if (options.costs.nu.empty())
      svm::c_path(*own.kernel, own.unit, options.costs.C, options.costs.solver, monitor, take);
    else
      svm::nu_path(*own.kernel, own.unit, options.costs.nu, options.costs.solver, monitor, take);
  }
  return std::move(fit).finish();
}

}  // namespace credence::selection
