#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "credence/selection/options.hpp"
#include "credence/svm/train.hpp"
#include "qp/left_out.hpp"
#include "selection/grid/fitted_task.hpp"
#include "svm/assembly.hpp"
#include "svm/path/machine_parts.hpp"

namespace credence::selection {

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

}  // namespace credence::selection
