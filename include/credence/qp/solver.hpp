#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "credence/core/describe.hpp"
#include "credence/core/monitor.hpp"
#include "credence/kernel/rows.hpp"

/// The one quadratic programme of the project, over a kernel matrix K (n x n):
///
///     minimise   1/2 b'Kb - p'b      subject to   l <= b <= u,   sum(b) = 0
///
/// with gradient g = Kb - p. For a C-SVC b_i = y_i alpha_i, p = y and the box is [0, C] or [-C, 0] by the sign of y_i.
/// A row with l_i = u_i = 0 is held out: it does not act, and its decision value is g_i + p_i + bias all the same.
namespace credence::qp {

struct Problem {
  std::vector<double> linear;  ///< p
  std::vector<double> lower;   ///< l <= 0
  std::vector<double> upper;   ///< u >= 0
};

/// A feasible point with its gradient; what a warm start hands on.
struct State {
  std::vector<double> beta;
  std::vector<double> gradient;  ///< K beta - p for all n rows, held-out ones too
};

/// beta = 0: gradient = -p. Feasible for every problem, as l <= 0 <= u.
State zero_state(const Problem& problem);

enum class Status { converged, step_limit, time_budget, cancelled };
std::string_view name(Status status);

struct Options {
  double tolerance = 1e-3;             ///< on the KKT gap, absolute, as LIBSVM's -e; > 0
  std::uint64_t max_steps = 0;         ///< SMO steps of one solve; 0 is max(10^7, 100 n), as LIBSVM
  bool newton = true;                  ///< false: SMO alone
  std::size_t newton_max_free = 2048;  ///< a larger free set is left to SMO
  bool shrinking = true;               ///< leave out variables that sit firmly at a bound

  /// All problems at once; empty if there are none.
  std::vector<std::string> validate() const;

  template <class Visitor>
  static void describe(Visitor&& field) {
    field("tolerance", &Options::tolerance, "the solver stops where the KKT conditions hold this closely",
          core::above(0));
    field("max_steps", &Options::max_steps, "SMO steps of one solve; 0 means the larger of 10^7 and 100 n");
  }
};

/// What a solve did. Sums over solves are meaningful for the counts.
struct Statistics {
  std::uint64_t steps = 0;           ///< SMO steps
  std::uint64_t newton_steps = 0;    ///< Newton directions taken (factorisations and deletions)
  std::uint64_t factorisations = 0;  ///< Cholesky factorisations
  double gap = 0;                    ///< max over {b<u} of -g minus min over {b>l} of -g, at the end
  Status status = Status::converged;
};

/// Solves from `state` on (which must be feasible, with its exact gradient) and leaves solution and gradient there.
///
/// Method: SMO with second-order working sets (Fan, Chen, Lin, JMLR 2005) on fused SIMD passes; when it stalls, a
/// Newton step on the free variables (Cholesky with deletions) goes on, gated by cost; see docs/solver.md.
/// Ends when gap <= tolerance, or with another status when a limit was met: the state is feasible then too.
/// @throws Error invalid_data if kernel values are too large for the objective to be finite
/// Deterministic. Cost: O(n) a step, |F|^3/3 a factorisation.
Statistics solve(kernel::Rows& rows, const Problem& problem, State& state, const Options& options,
                 const core::Monitor& monitor);

/// The b of the decision function f(x_i) = g_i + p_i + bias: minus the mean gradient of the free variables, or minus
/// the midpoint of the interval that the KKT conditions allow if there is none (as LIBSVM).
double bias(const Problem& problem, const State& state);

/// 1/2 b'Kb - p'b, from the gradient.
double objective(const Problem& problem, const State& state);

/// The gap as in Statistics, computed afresh.
double kkt_gap(const Problem& problem, const State& state);

/// Carries a solution to boxes that are `ratio` times as large: multiplied if any variable sits at a bound other
/// than 0 (the gradient scales too: no product needed), kept if none does (it is then a solution of the larger
/// problem as well).
/// @return true if the state was kept
bool rescale(const Problem& old_problem, double ratio, State& state);

/// Moves variable i to 0 and closes its box: a warm start for the same problem without row i. What i gives away goes to
/// the partner j that raises the objective least for each unit it takes: with t what it can take and s the sign of
/// beta_i, s (g_j - g_i) + t / 2 (K_ii + K_jj - 2 K_ij); to another one where a box is full. Sum, boxes and the
/// exactness of the gradient are kept.
/// @return false, with problem and state as they were, if the other boxes cannot take up what i gives away (never where
///         all boxes hold 0 and sum(beta) = 0)
/// Cost: O(n) for each partner, two rows of K; mostly one partner.
bool close_box(kernel::Rows& rows, Problem& problem, State& state, std::size_t i);

}  // namespace credence::qp
