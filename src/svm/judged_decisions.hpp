#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "credence/core/aligned.hpp"
#include "svm/machine_parts.hpp"

namespace credence::svm {

/// Decision values of chosen rows by all machines at all costs of one kernel matrix. They are products of kernel values
/// with the support rows, sum over s of beta_s K(x_s, x) + bias, and all machines and costs share them: each support
/// row is read once, whatever number of machines and costs it supports.
class JudgedDecisions {
 public:
  /// The machines must outlive the object.
  JudgedDecisions(std::span<const BinaryMachine> machines, std::size_t classes, std::size_t costs,
                  std::vector<std::size_t> judged);

  /// Takes the solution of a machine at a cost.
  /// @param part  the rows of the point
  void take(const PathPoint& point, std::size_t machine, const MachinePart& part, const MachineParts& parts);

  /// Makes the decision values of all machines that were taken; to be called once. Where the parts are all rows, the
  /// solver's gradients have given them already.
  /// Cost: judged x costs multiplications for each pair of a machine and a row that supports it at any cost.
  /// @return false if the monitor said stop before they were all there
  bool finish(kernel::Rows& rows, const MachineParts& parts, const core::Monitor& monitor);

  std::size_t size() const { return judged_.size(); }
  const std::vector<std::size_t>& judged() const { return judged_; }
  /// Of one machine at one cost, a number for each judged row.
  double* of(std::size_t cost, std::size_t machine) { return values_.data() + (machine * costs_ + cost) * stride_; }
  const double* of(std::size_t cost, std::size_t machine) const {
    return values_.data() + (machine * costs_ + cost) * stride_;
  }
  /// The class of each judged row at one cost (`vote`).
  std::vector<int> labels(std::size_t cost) const;
  /// The score of a class (`class_scores`) of the h-th judged row.
  double score(std::size_t cost, std::size_t h, int label) const;

 private:
  struct Solutions {
    std::vector<double> betas;           ///< (row, cost): rows of the first class, then those of the second
    std::vector<std::uint32_t> support;  ///< of these rows, those that support any cost
  };

  bool add_class(std::size_t c, kernel::Rows& rows, const MachineParts& parts, const core::Monitor& monitor);

  std::span<const BinaryMachine> machines_;
  std::size_t classes_;
  std::size_t costs_;
  std::vector<std::size_t> judged_;
  std::size_t stride_;
  core::AlignedVector<double> values_;  ///< (machine, cost, judged)
  std::vector<double> bias_;            ///< (machine, cost)
  std::vector<Solutions> solutions_;    ///< per machine
};

}  // namespace credence::svm
