#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "credence/svm/train.hpp"
#include "qp/workspace.hpp"

namespace credence::svm {

/// Whether the open rows of a kernel matrix (those not held out) are so few that passes over them alone are worth a
/// copy of their part.
bool worth_a_copy(std::size_t open, std::size_t rows);

/// One binary SVM solved at one C after another on one kernel matrix, each solve starting from earlier solutions. The
/// solver's passes skip held-out rows where these are many.
class WarmPath {
 public:
  /// A solution at its C.
  struct Point {
    double C = 0;
    qp::State state;
  };

  /// All arguments must outlive it.
  /// @param unit_problem  boxes for C = 1
  WarmPath(kernel::Rows& rows, const qp::Problem& unit_problem, const qp::Options& options,
           const core::Monitor& monitor);

  /// Solves at C from the current point on; the first time, from zero.
  /// @return false if the monitor said stop
  bool go_to(double C);
  /// Solves at C from zero.
  bool restart_at(double C);
  /// Solves at C from the straight line between two solutions, which is a solution itself as long as no variable
  /// enters or leaves a bound. Feasible in any case.
  bool solve_between(const Point& low, const Point& high, double C);

  /// Replaces the current point by a feasible one with its exact gradient.
  void adopt(Point point);

  const Point& point() const { return point_; }
  /// The rows that are solved: those held out may be left out, so that point and problem have no entry for them.
  kernel::Rows& solved_rows() const { return open_rows_ ? *open_rows_ : rows_; }
  /// The problem of the solved rows, with the boxes of the point's C.
  const qp::Problem& problem() const { return problem_; }
  /// Those of the last solve.
  const qp::Statistics& statistics() const { return statistics_; }
  /// A typical squared distance of two rows in feature space, which a few outliers do not change; > 0.
  double typical_distance() const;

  /// Passes the point, with the gradient of all rows, to the visitor.
  /// @return false if the monitor said stop before
  bool show(std::size_t index, const qp::Statistics& statistics,
            const std::function<void(const PathPoint&)>& visit) const;

 private:
  bool solve();
  void look_at_point();
  /// Carries the point over to boxes of another size; variables at a bound land exactly on the new one.
  void carry_to(double C);

  kernel::Rows& rows_;
  const qp::Problem& unit_of_all_;
  const qp::Options& options_;
  const core::Monitor& monitor_;
  std::vector<std::size_t> open_;
  std::unique_ptr<kernel::Rows> open_rows_;  ///< none if all rows are solved
  qp::Problem unit_;                         ///< of the solved rows
  qp::Problem problem_;
  Point point_;
  qp::Statistics statistics_;
  bool settled_ = false;  ///< the point is a solution, to the tolerance
  // Of the point, which a larger C changes only if it meets a bound.
  bool meets_bound_ = false;
  double bias_ = 0;
  std::size_t support_ = 0;
  qp::Workspace workspace_;
};

}  // namespace credence::svm
