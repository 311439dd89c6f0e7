#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

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
  /// 0 where the variable may grow, else -infinity: what the passes add makes a comparison fail without a branch. A
  /// variable is free if it may grow and shrink; one that is fixed, or padding, may do neither.
  core::AlignedVector<float> growing;
  core::AlignedVector<float> shrinking;  ///< the same for shrinking
  /// The gradient minus a common centre, in float. The passes of a burst work on it.
  core::AlignedVector<float> slope;
  core::AlignedVector<double> before;  ///< beta at the beginning of a burst
  std::vector<std::size_t> changed;    ///< the variables that the last move of the gradient was for

  std::size_t width() const { return beta.size(); }
  void update_side(std::size_t i) {
    constexpr float no = -std::numeric_limits<float>::infinity();
    growing[i] = beta[i] < upper[i] ? 0.0F : no;
    shrinking[i] = beta[i] > lower[i] ? 0.0F : no;
  }
  bool side_changes(std::size_t i) const {
    return may_grow(i) != (beta[i] < upper[i]) || may_shrink(i) != (beta[i] > lower[i]);
  }
  void update_sides() {
    for (std::size_t i = 0; i < n; ++i) update_side(i);
  }
  bool may_grow(std::size_t i) const { return growing[i] == 0; }
  bool may_shrink(std::size_t i) const { return shrinking[i] == 0; }
  bool is_free(std::size_t i) const { return growing[i] + shrinking[i] == 0; }
};

/// The positions below n where `wanted` holds, without a branch for each, which a processor could not foresee.
void list_where(std::size_t n, std::vector<std::size_t>& list, const auto& wanted) {
  list.resize(n);
  std::size_t count = 0;
  for (std::size_t i = 0; i < n; ++i) {
    list[count] = i;
    count += wanted(i) ? 1U : 0U;
  }
  list.resize(count);
}

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
