#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "credence/core/aligned.hpp"
#include "credence/kernel/gram.hpp"

/// The inner loop of SMO, dispatched at run time to the best SIMD target of the machine.
namespace credence::qp {

/// A problem and a feasible point in padded arrays for the SIMD passes.
struct Iterate {
  explicit Iterate(std::size_t size) { resize(size); }
  /// Prepares for a problem of another size. The caller must overwrite all values.
  void resize(std::size_t size);

  std::size_t n = 0;
  core::AlignedVector<double> beta;
  core::AlignedVector<double> gradient;
  core::AlignedVector<double> lower;
  core::AlignedVector<double> upper;
  /// 0: free; +1: at its lower bound, may grow; -1: at its upper bound, may shrink; NaN: fixed, or padding. A
  /// comparison with NaN is false, so the passes skip these variables without a branch.
  core::AlignedVector<float> side;
  /// The gradient minus a common centre, in float. The passes of a burst work on it.
  core::AlignedVector<float> slope;
  core::AlignedVector<double> before;  ///< beta at the beginning of a burst

  std::size_t width() const { return beta.size(); }
  void update_side(std::size_t i) {
    const bool grows = beta[i] < upper[i];
    const bool shrinks = beta[i] > lower[i];
    side[i] = grows ? (shrinks ? 0.0F : 1.0F) : (shrinks ? -1.0F : std::numeric_limits<float>::quiet_NaN());
  }
};

/// The pair of variables that most violates the KKT conditions.
struct Violation {
  std::size_t grow = 0;    ///< may grow, with the smallest gradient
  std::size_t shrink = 0;  ///< may shrink, with the largest gradient
  double gap = 0;          ///< gradient[shrink] - gradient[grow]; -infinity if there is no such pair
};

/// Finds the violation from the exact gradients of all variables.
Violation find_violation(const Iterate& iterate);

/// Takes at least one SMO step from a point with a violation, and further steps until the gap is at most `tolerance` to
/// the precision of float, or until `most_steps` steps. At the end the gradient is computed in double from the change
/// of beta, so rounding errors of one burst do not enter the next.
/// @return steps taken
std::uint64_t smo_burst(kernel::Rows& rows, Iterate& iterate, const Violation& violation, double tolerance,
                        std::uint64_t most_steps);

/// Adds (beta - before) K to the gradient, over the variables that differ.
void move_gradient(kernel::Rows& rows, Iterate& iterate, const core::AlignedVector<double>& before);

}  // namespace credence::qp
