#pragma once

#include "credence/selection/options.hpp"

/// The parts of what a method chooses from, whichever kind of candidates it has. Null where a kind has no such part.
namespace credence::selection {

KernelGrid* kernels_in(Candidates& candidates);
SvmCosts* costs_in(Candidates& candidates);
RvmCandidates* machines_in(Candidates& candidates);
NormCandidates* norms_in(Candidates& candidates);

}  // namespace credence::selection
