#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "credence/core/monitor.hpp"
#include "credence/kernel/rows.hpp"
#include "qp/sweep.hpp"

namespace credence::qp {

/// Newton steps on the free variables: the other way down where SMO crawls.
class Newton {
 public:
  /// Indices of the variables strictly inside their box, into the buffer of the object.
  const std::vector<std::size_t>& find_free(const Iterate& iterate);

  /// Minimises the objective over the free variables found last, under sum(d) = 0 and the boxes: factors K_FF, steps
  /// to the first bound, deletes that variable, and repeats until a full step fits. The gradient is exact
  /// at the end. Leaves the point alone if K_FF is not positive definite.
  /// @return false if it could not be factored
  bool step(kernel::Rows& rows, Iterate& iterate, const core::Monitor& monitor);

  std::uint64_t directions() const { return directions_; }
  std::uint64_t factorisations() const { return factorisations_; }

 private:
  struct Deletion {
    std::size_t variable;        ///< position in free_
    std::vector<double> column;  ///< of the inverse, 0 at the variables deleted before
  };
  struct Step {
    double length;
    std::size_t stopper;  ///< position in free_; free_.size() if the full step fits
  };

  bool factorise(kernel::Rows& rows);
  std::vector<double> solve(std::vector<double> right_hand_side) const;
  std::vector<double> inverse_column(std::size_t k) const;
  static void eliminate(const Deletion& deletion, std::vector<double>& vector);
  Step longest_step(const Iterate& iterate, const std::vector<double>& direction) const;
  void descend(Iterate& iterate, const core::Monitor& monitor);

  std::vector<std::size_t> free_;
  std::vector<double> factor_;  ///< Cholesky factor of K_FF, lower triangle, column-major, |F| x |F|
  double ridge_ = 1e-9;         ///< relative to the diagonal; grows when a factorisation fails
  std::vector<Deletion> deletions_;
  std::uint64_t directions_ = 0;
  std::uint64_t factorisations_ = 0;
};

}  // namespace credence::qp
