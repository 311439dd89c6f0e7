#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "credence/model/predictor.hpp"

namespace credence::selection {

/// One point of the error-versus-bound curve: the rows whose bound is at most this one. Their error may be above the
/// bound, because the bound is on another event: see nonconformity.hpp.
struct BoundPoint {
  double eps_crit = 0;
  double bound_vc = 0;   ///< model::Prediction::bound_vc
  double bound_dkw = 0;  ///< model::Prediction::bound_dkw
  std::size_t rows = 0;
  std::size_t errors = 0;  ///< the misclassified among them
  double error() const { return static_cast<double>(errors) / static_cast<double>(rows); }
};

/// The error-versus-bound curve (Figure 2 of Hardoon, Hussain, Shawe-Taylor, 2009): a point for each distinct bound
/// value, ascending. The last point has all rows. The bounds are eps_crit plus constants, so eps_crit orders them all.
/// @param labels  true class of each row; -1 for a class that the predictor does not know counts as an error
/// @throws Error invalid_argument if the prediction has no bounds, or sizes differ
/// Cost: one sort.
std::vector<BoundPoint> bound_curve(const model::Prediction& prediction, std::span<const int> labels);

}  // namespace credence::selection
