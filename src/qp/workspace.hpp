#pragma once

#include "credence/qp/solver.hpp"
#include "qp/sweep.hpp"

namespace credence::qp {

/// The memory of a solve, kept for the next solve.
struct Workspace {
  Iterate iterate{0};
};

/// Solves as the public function does, in the memory of the workspace.
Statistics solve(kernel::Rows& rows, const Problem& problem, State& state, const Options& options,
                 const core::Monitor& monitor, Workspace& workspace);

/// Whether a variable is at a bound other than 0. If none is, the solution is also the solution for all larger boxes.
bool meets_bound(const Problem& problem, const State& state);

}  // namespace credence::qp
