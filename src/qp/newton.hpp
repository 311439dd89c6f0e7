#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "credence/kernel/rows.hpp"
#include "qp/sweep.hpp"

namespace credence::qp {

/// Newton steps on the free variables: the other way down where SMO crawls.
class Newton {
 public:
  /// Indices of the variables strictly inside their box, into the buffer of the object.
  const std::vector<std::size_t>& find_free(const Iterate& iterate);

  /// Minimises the objective over the free variables found last, under sum(d) = 0 and the boxes: factors K_FF, steps
  /// to the first bound, deletes that row from the factor, and repeats until a full step fits. The gradient is exact
  /// at the end. Leaves the point alone if K_FF is not positive definite.
  /// @return false if it could not be factored
  bool step(kernel::Rows& rows, Iterate& iterate);

  std::uint64_t directions() const { return directions_; }
  std::uint64_t factorisations() const { return factorisations_; }

 private:
  bool factorise(kernel::Rows& rows);
  void remove(std::size_t k);
  void solve(std::vector<double>& right_hand_side) const;
  void descend(Iterate& iterate);

  std::vector<std::size_t> free_;
  std::vector<double> factor_;  ///< lower triangle, column-major, |F| x |F|; a deleted index has a row of the identity
  std::vector<char> deleted_;
  double ridge_ = 1e-9;         ///< relative to the diagonal; grows when a factorisation fails
  std::uint64_t directions_ = 0;
  std::uint64_t factorisations_ = 0;
};

}  // namespace credence::qp
