#pragma once

#include <cstddef>
#include <vector>

#include "credence/selection/options.hpp"
#include "credence/svm/train.hpp"
#include "qp/left_out.hpp"
#include "selection/grid/grid_task.hpp"
#include "svm/assembly.hpp"

namespace credence::selection {

/// The tasks of one gamma are cut into this many shares, so that threads stay busy. Each share follows the path of all
/// rows again, which costs little compared with leaving out its part of the support vectors.
inline constexpr std::size_t shares_of_gamma = 4;

/// Which rows are left out.
enum class LeftOutRows {
  errors,   ///< the rows whose error may change when they are left out, at every cost
  scores,   ///< all support vectors, at every cost
  margins,  ///< all support vectors, at the last cost alone
};

/// One machine of one gamma: the path of all rows along C and, at each C, every row left out in its turn.
///
/// If beta_i = 0, the solution without row i is the solution with row i. One exception is the bias if no variable is
/// free: the bias is then the middle of an interval, and row i may have been an end of it. If the margin y_i f(x_i) is
/// not positive, row i is misclassified without row i too: with f the minimiser of F + C_i h(y_i f(x_i)), h the hinge,
/// and f' that of F alone, F(f) + C_i h(y_i f(x_i)) <= F(f') + C_i h(y_i f'(x_i)) and F(f') <= F(f) give h(y_i f'(x_i))
/// >= h(y_i f(x_i)), hence y_i f'(x_i) <= y_i f(x_i). All other support vectors are left out one by one; see
/// qp/left_out.hpp.
class LeftOutMachine {
 public:
  LeftOutMachine(const svm::MachinePart& part, const Options& options, LeftOutRows wanted, const core::Monitor& monitor)
      : part_(part), options_(options), wanted_(wanted), monitor_(monitor), known_(part.rows.size()) {}

  /// Calls visit(point, decision values, statistics of the solves with a row left out) for each cost: the decision
  /// value of each row of the part is that of the machine trained without it. Rows whose number is not `share` modulo
  /// `shares_of_gamma` are not left out, and keep the value of the machine trained on all rows.
  template <class Visit>
  void run(std::size_t share, const Visit& visit) {
    svm::c_path(*part_.kernel, part_.unit, options_.costs.C, options_.costs.solver, monitor_,
                [&](const svm::PathPoint& point) {
                  std::vector<double> decisions(point.state.gradient);
                  for (std::size_t a = 0; a < decisions.size(); ++a)
                    decisions[a] += point.problem.linear[a] + point.bias;
                  TaskResult cost;
                  if (wanted_ != LeftOutRows::margins || point.index + 1 == options_.costs.C.size())
                    leave_out(point, share, decisions, cost);
                  if (!monitor_.should_stop()) visit(point, decisions, cost);
                });
  }

 private:
  void leave_out(const svm::PathPoint& point, std::size_t share, std::vector<double>& decisions, TaskResult& cost) {
    const qp::Problem& problem = point.problem;
    const qp::State& state = point.state;
    // A solution that meets no bound stays the solution at every larger C, with all rows and with a row left out.
    const bool same_as_before = state.beta == before_;
    qp::LeftOut left_out(*part_.kernel, problem, state, options_.costs.solver, monitor_);
    const bool any_free = has_free(problem, state);
    for (std::size_t a = 0; a < decisions.size() && !monitor_.should_stop(); ++a) {
      const double margin = problem.linear[a] * decisions[a];
      const bool unchanged = problem.lower[a] == problem.upper[a] || (state.beta[a] == 0 && any_free);
      if (part_.rows[a] % shares_of_gamma != share || unchanged || (wanted_ == LeftOutRows::errors && !(margin > 0)))
        continue;
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
  const Options& options_;
  LeftOutRows wanted_;
  const core::Monitor& monitor_;
  std::vector<double> before_;              ///< solution at the last cost
  std::vector<qp::LeftOut::Result> known_;  ///< at the last cost where the row was left out
};

}  // namespace credence::selection
