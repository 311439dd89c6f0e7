#pragma once

#include <cstddef>
#include <memory>

#include "credence/qp/solver.hpp"

namespace credence::qp {

/// Leaves one row after another out of a solved problem. Each row starts from the solution with all rows.
///
/// First, variable i goes to 0 while the free variables F follow the optimality conditions of their own problem, d_F =
/// -(K_FF^-1 K_Fi d_i + mu K_FF^-1 1). One factorisation of K_FF serves all rows. A free variable leaves F when it
/// meets a bound. Then `close_box` gives away what is left of beta_i, and `solve` continues. If no other variable
/// enters or leaves a bound, the first part reaches the solution, and the solver takes no step.
class LeftOut {
 public:
  /// The answer of the solution without row i for row i.
  struct Result {
    double decision = 0;
    bool bounded = false;  ///< some variable is at a bound other than 0, so the solution depends on the boxes
    Statistics statistics;
  };

  /// @param state  solution of `problem`. All arguments must outlive the object.
  LeftOut(kernel::Rows& rows, const Problem& problem, const State& state, const Options& options,
          const core::Monitor& monitor);
  ~LeftOut();
  LeftOut(const LeftOut&) = delete;
  LeftOut& operator=(const LeftOut&) = delete;

  /// Leaves row i out. Cost: O(n |F|) for the first part, and the solver's steps.
  Result without(std::size_t i);
  /// Returns the number of factorisations for all rows together; 0 until the first row is left out.
  std::uint64_t factorisations() const;

 private:
  struct Way;
  kernel::Rows& rows_;
  const Problem& problem_;
  const State& state_;
  const Options& options_;
  const core::Monitor& monitor_;
  std::unique_ptr<Way> way_;
};

}  // namespace credence::qp
