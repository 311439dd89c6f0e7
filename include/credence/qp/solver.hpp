#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "credence/core/describe.hpp"
#include "credence/core/monitor.hpp"
#include "credence/kernel/gram.hpp"

/// The one quadratic programme of the project, over a kernel matrix K (n x n):
///
///     minimise   1/2 b'Kb - p'b      subject to   l <= b <= u,   sum(b) = 0
///
/// with gradient g = Kb - p. For a C-SVC b_i = y_i alpha_i, p = y, and the box is [0, C] or [-C, 0] by the sign of y_i.
/// A row with l_i = u_i = 0 is held out: the row has no influence, and its decision value is g_i + p_i + bias as for
/// every other row.
namespace credence::qp {

struct Problem {
  std::vector<double> linear;  ///< p
  std::vector<double> lower;   ///< l <= 0
  std::vector<double> upper;   ///< u >= 0
};

/// A feasible point with its gradient. A warm start begins at a State.
struct State {
  std::vector<double> beta;
  std::vector<double> gradient;  ///< K beta - p for all n rows, including the rows held out
};

/// Returns beta = 0 with gradient = -p. This point is feasible for every problem, because l <= 0 <= u.
State zero_state(const Problem& problem);

enum class Status {
  converged,
  step_limit,
  rounding,  ///< the gap is above the tolerance, but within the rounding errors of K b: no step lowers it
  time_budget,
  cancelled
};
std::string_view name(Status status);
/// Whether the solve ended above the tolerance without being stopped: at the step limit or in rounding errors.
constexpr bool is_approximate(Status status) {
  return status == Status::step_limit || status == Status::rounding;
}
constexpr bool is_stopped(Status status) {
  return status == Status::time_budget || status == Status::cancelled;
}

struct Options {
  double tolerance = 1e-3;             ///< limit of the KKT gap, absolute, as LIBSVM's -e; > 0
  std::uint64_t max_steps = 0;         ///< SMO steps of one solve; 0 means max(10^7, 100 n), as LIBSVM
  bool newton = true;                  ///< false: SMO alone
  std::size_t newton_max_free = 2048;  ///< most free variables of a Newton step; above n = 6144 multiplied by n / 6144
  bool shrinking = true;               ///< leave out variables that stay at a bound

  /// Returns all problems at once; the list is empty if there are none.
  std::vector<std::string> validate() const;

  static void describe(auto&& field) {
    field("tolerance", &Options::tolerance, "the solver stops where the KKT conditions hold this closely",
          core::above(0));
    field("max_steps", &Options::max_steps, "SMO steps of one solve; 0 means the larger of 10^7 and 100 n");
  }
};

/// Counts and result of one solve. The counts may be summed over solves.
struct Statistics {
  std::uint64_t steps = 0;           ///< SMO steps
  std::uint64_t newton_steps = 0;    ///< Newton directions taken (factorisations and deletions)
  std::uint64_t factorisations = 0;  ///< Cholesky factorisations
  double gap = 0;                    ///< max over {b<u} of -g minus min over {b>l} of -g, at the end
  Status status = Status::converged;
};

/// Solves the problem, starting at `state`, which must be feasible and have its exact gradient. The solution and its
/// gradient replace it.
///
/// Method: SMO with second-order working sets (Fan, Chen, Lin, JMLR 2005) on fused SIMD passes. When SMO stalls, Newton
/// steps on the free variables (Cholesky with deletions) continue, if their cost is low enough; see docs/solver.md.
/// The solve ends when gap <= tolerance, or at a limit with another status; the state is feasible in both cases. A gap
/// of at most 1e-3 (LIBSVM's tolerance) also counts as converged if it lies within the rounding errors of the gradient
/// and has stopped falling: at C |K| = 1e8 double precision cannot reach 1e-9. The result is deterministic.
/// @throws Error invalid_data if kernel values are too large for the objective to be finite
/// Cost: O(n) for each step, |F|^3/3 for each factorisation.
Statistics solve(kernel::Rows& rows, const Problem& problem, State& state, const Options& options,
                 const core::Monitor& monitor);

/// Returns the bias of the decision function f(x_i) = g_i + p_i + bias: minus the mean gradient of the free variables.
/// If no variable is free, the bias is minus the midpoint of the interval that the KKT conditions allow (as LIBSVM).
double bias(const Problem& problem, const State& state);

/// Returns 1/2 b'Kb - p'b, computed from the gradient.
double objective(const Problem& problem, const State& state);

/// Computes the gap that Statistics describes.
double kkt_gap(const Problem& problem, const State& state);

/// Moves variable i to 0 and closes its box: a warm start for the same problem without row i. Variable i gives its
/// value to the partner j that raises the objective least for each unit: s (g_j - g_i) + t / 2 (K_ii + K_jj - 2 K_ij),
/// where t is the amount that j can take and s is the sign of beta_i. When the box of a partner is full, another
/// partner takes the rest. The sum, the boxes and the exactness of the gradient are kept.
/// @return false, with problem and state unchanged, if the other boxes cannot take the whole value of variable i. This
/// never happens if all boxes hold 0 and sum(beta) = 0.
/// Cost: O(n) and two rows of K for each partner; mostly there is one partner.
bool close_box(kernel::Rows& rows, Problem& problem, State& state, std::size_t i);

}  // namespace credence::qp
