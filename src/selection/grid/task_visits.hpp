#pragma once

#include "selection/grid/grid_task.hpp"
#include "selection/kept/visits.hpp"

/// The members of the results of grid tasks, as bytes.
namespace credence::selection {

template <class Bytes>
void visit(Bytes& bytes, TaskResult& result) {
  visit_reason(bytes, result.given_up);
  bytes(result.complete, result.infeasible, result.skipped, result.errors, result.soft, result.support, result.steps,
        result.factorisations, result.unconverged, result.fit_seconds, result.score_seconds);
}

}  // namespace credence::selection
