#pragma once

#include "credence/qp/solver.hpp"
#include "qp/sweep.hpp"

namespace credence::qp {

/// The room that a solve takes, kept for the next one.
struct Workspace {
  Iterate iterate{0};
};

/// As without a workspace.
Statistics solve(kernel::Rows& rows, const Problem& problem, State& state, const Options& options,
                 const core::Monitor& monitor, Workspace& workspace);

/// Whether any variable sits at a bound other than 0. Where none does, the solution is that of all larger boxes too.
bool meets_bound(const Problem& problem, const State& state);

}  // namespace credence::qp
