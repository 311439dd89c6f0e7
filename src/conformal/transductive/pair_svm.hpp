#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "conformal/transductive/extended_rows.hpp"
#include "credence/conformal/transductive_svm.hpp"
#include "credence/core/monitor.hpp"
#include "credence/kernel/gram.hpp"
#include "credence/qp/solver.hpp"

namespace credence::conformal {

/// A new example as the machines see it: its kernel values with all known examples, and with itself.
struct NewExample {
  std::span<const float> values;
  float own = 0;
};

/// One binary machine, solved, that can be solved again with one example more.
///
/// The margin of an example is y f(x). At the solution it is exactly 1 for a free variable; others are rounded to
/// multiples of twice the solver's tolerance, counted from 1. So what the solver cannot tell apart is equal: ties of
/// the exact solution are ties here too, and no comparison is left to rounding, or to which example came last.
class PairSvm {
 public:
  /// @param ranges  the examples of the machine's two classes  @param options  must outlive the object
  /// @param signs   y of the two ranges: 1 and -1, or -1 and 1
  PairSvm(const std::array<RowRange, 2>& ranges, const std::array<double, 2>& signs,
          const TransductiveSvmOptions& options);

  /// From zero; nothing to do if one of the classes has no example. @throws Error interrupted, invalid_data
  void train(kernel::Rows& all, const core::Monitor& monitor);
  /// Takes a solution. Its gradient is computed afresh, so that the same beta gives the same numbers to the last bit.
  void take(kernel::Rows& all, std::vector<double> beta);

  const std::array<RowRange, 2>& ranges() const { return ranges_; }
  /// Its examples, those of the first range first.
  std::size_t size() const { return ranges_[0].count + ranges_[1].count; }
  bool both_occur() const { return ranges_[0].count > 0 && ranges_[1].count > 0; }
  std::size_t row(std::size_t i) const {
    return i < ranges_[0].count ? ranges_[0].first + i : ranges_[1].first + (i - ranges_[0].count);
  }
  /// False if its training ended before the tolerance.
  bool converged() const { return converged_; }
  const std::vector<double>& beta() const { return state_.beta; }
  const qp::Problem& problem() const { return problem_; }
  const std::vector<double>& margins() const { return margins_; }

  /// What an extension is computed in; its margins are those of the known examples, then that of the new one.
  struct Extension {
    qp::State state;
    std::vector<double> margins;
  };
  /// Solves with a new example in range `side`.
  void extend(kernel::Rows& all, const NewExample& example, std::size_t side, const core::Monitor& monitor,
              TransductiveCost& cost, Extension& extension) const;

 private:
  double new_gradient(std::span<const float> values, double sign) const;
  bool violates(double gradient, double sign) const;
  double margin(double y, double gradient, double bias, bool is_free) const;
  void measure(const qp::Problem& problem, const qp::State& state, std::vector<double>& margins) const;
  void solve(kernel::Rows& all, const NewExample& example, std::size_t side, const core::Monitor& monitor,
             TransductiveCost& cost, qp::State& state) const;

  std::array<RowRange, 2> ranges_;
  std::array<double, 2> signs_;
  const TransductiveSvmOptions& options_;
  qp::Problem problem_;
  std::array<qp::Problem, 2> extended_;  ///< with an example more in either range
  qp::State state_;
  std::vector<std::size_t> support_;  ///< ascending
  std::vector<double> margins_;
  double bias_ = 0;
  bool any_free_ = false;
  bool converged_ = true;
  double least_growing_ = 0;      ///< gradient of the variables that may grow
  double largest_shrinking_ = 0;  ///< of those that may shrink
  double allowed_ = 0;            ///< violation that is none
};

}  // namespace credence::conformal
