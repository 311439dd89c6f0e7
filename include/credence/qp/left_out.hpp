#pragma once

#include <cstddef>
#include <memory>

#include "credence/qp/solver.hpp"

namespace credence::qp {

/// Leaves one row after another out of a solved problem, each from the solution with all rows.
///
/// The way from there: variable i goes to 0 while the free variables F follow the optimality conditions of their own
/// problem, d_F = -(K_FF^-1 K_Fi d_i + mu K_FF^-1 1), through one factorisation of K_FF that serves all rows, and
/// leave F where they meet a bound. What is left of beta_i is given away by `close_box`, and `solve` goes on from
/// there. If no other variable enters or leaves a bound on the way, the solution is reached without a single step of
/// the solver.
class LeftOut {
 public:
  /// What the solution without row i says of row i.
  struct Result {
    double decision = 0;
    bool bounded = false;  ///< some variable sits at a bound other than 0: the solution depends on the boxes
    Statistics statistics;
  };

  /// @param state  solution of `problem`; rows, problem and state must outlive the object
  LeftOut(kernel::Rows& rows, const Problem& problem, const State& state, const Options& options,
          const core::Monitor& monitor);
  ~LeftOut();
  LeftOut(const LeftOut&) = delete;
  LeftOut& operator=(const LeftOut&) = delete;

  /// Cost: O(n |F|) for the way, and the solver's steps.
  Result without(std::size_t i);
  /// Made for all rows together; 0 until the first row is left out.
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
