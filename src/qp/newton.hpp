#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "credence/core/monitor.hpp"
#include "credence/kernel/gram.hpp"
#include "qp/free_factor.hpp"
#include "qp/sweep.hpp"

namespace credence::qp {

/// Newton steps on the free variables, which continue the descent where SMO is slow.
class Newton {
 public:
  /// Finds the variables strictly inside their box and keeps their indices.
  const std::vector<std::size_t>& find_free(const Iterate& iterate);

  /// Minimises the objective over the free variables found last, under sum(d) = 0 and the boxes: factors K_FF, steps
  /// to the first bound, deletes that variable, and repeats until a full step fits. The gradient is exact
  /// at the end. Leaves the point alone if K_FF is not positive definite.
  /// @return false if it could not be factored
  bool step(kernel::Rows& rows, Iterate& iterate, const core::Monitor& monitor);

  std::uint64_t directions() const { return directions_; }
  std::uint64_t factorisations() const { return factor_.factorisations(); }

 private:
  struct Step {
    double length;
    std::size_t stopper;  ///< position in free_; free_.size() if the full step fits
  };

  Step longest_step(const Iterate& iterate, const std::vector<double>& direction) const;
  std::vector<std::size_t> likely_stoppers(const Iterate& iterate, const std::vector<double>& direction) const;
  void descend(Iterate& iterate, const core::Monitor& monitor);

  std::vector<std::size_t> free_;
  FreeFactor factor_;
  std::uint64_t directions_ = 0;
};

}  // namespace credence::qp
