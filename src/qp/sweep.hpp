#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "credence/core/aligned.hpp"
#include "credence/kernel/rows.hpp"

/// The inner loop of SMO, dispatched at run time to the best SIMD target of the machine.
namespace credence::qp {

/// A problem and a feasible point in padded arrays, as the SIMD passes want them.
struct Iterate {
  explicit Iterate(std::size_t size) { resize(size); }
  /// For a problem of another size; what stands there is to be overwritten.
  void resize(std::size_t size);

  std::size_t n = 0;
  core::AlignedVector<double> beta;
  core::AlignedVector<double> gradient;
  core::AlignedVector<double> lower;
  core::AlignedVector<double> upper;
  /// 0: free; +1: at its lower bound, may only grow; -1: at its upper bound, may only shrink; NaN: fixed or padding.
  core::AlignedVector<float> side;
  /// The gradient less a common centre, in float: what the passes of a burst work on.
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

/// Looks at the exact gradients of all variables once.
Violation find_violation(const Iterate& iterate);

/// Takes at least one SMO step from a point with a violation, and more until the gap is at most `tolerance` to the
/// precision of float or `most_steps` were taken. The gradient is brought up to date in double at the end, so errors
/// do not outlive a burst.
/// @return steps taken
std::uint64_t smo_burst(kernel::Rows& rows, Iterate& iterate, const Violation& violation, double tolerance,
                        std::uint64_t most_steps);

/// gradient += (beta - before) K, over the variables that differ.
void move_gradient(kernel::Rows& rows, Iterate& iterate, const core::AlignedVector<double>& before);

}  // namespace credence::qp
