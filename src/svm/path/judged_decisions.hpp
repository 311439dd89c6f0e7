#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "credence/core/aligned.hpp"
#include "svm/path/machine_parts.hpp"

namespace credence::svm {

/// Decision values of chosen rows by all binary SVMs at all costs of one kernel matrix: sum over s of beta_s K(x_s, x)
/// + bias. All SVMs and costs share the kernel values: the row of each support vector is read once, whatever number of
/// SVMs and costs it supports. Costs with the same solution share its values.
class JudgedDecisions {
 public:
  /// The binary SVMs must outlive the object.
  JudgedDecisions(std::span<const BinaryMachine> machines, std::size_t classes, std::size_t costs,
                  std::vector<std::size_t> judged);

  /// Takes the solution of a binary SVM at a cost; costs ascend.
  /// @param part  the rows of the point
  void take(const PathPoint& point, std::size_t machine, const MachinePart& part, const MachineParts& parts);

  /// Computes the decision values of all SVMs that were taken; to be called once. If parts are of all rows, the
  /// solver's gradients have given them already.
  /// Cost: judged x solutions multiplications for each pair of an SVM and a row that supports it at any cost.
  /// @return false if the monitor said stop before they were all there
  bool finish(kernel::Rows& rows, const MachineParts& parts, const core::Monitor& monitor);

  std::size_t size() const { return judged_.size(); }
  const std::vector<std::size_t>& judged() const { return judged_; }
  /// The decision values of one binary SVM at one cost, a number for each judged row.
  const double* of(std::size_t cost, std::size_t machine) const {
    return values_.data() + column_[machine * costs_ + cost] * stride_;
  }
  /// Replaces one of these values, which other costs may share, by that of an SVM trained without the row.
  void replace(std::size_t cost, std::size_t machine, std::size_t h, double value);
  /// Whether every binary SVM has the same solution as at the cost before.
  bool same_as_before(std::size_t cost) const;
  /// The class of each judged row at one cost (`vote`).
  std::vector<int> labels(std::size_t cost) const;
  /// The scores of all classes (`class_scores`) at one cost: (class, judged), judged fastest.
  std::vector<double> scores(std::size_t cost) const;
  /// Multiplications that the products took.
  std::uint64_t multiplications() const { return multiplications_; }

 private:
  /// The different solutions of one binary SVM. Once the support is found, betas are those of support vectors alone.
  struct Solutions {
    std::size_t rows = 0;
    std::size_t count = 0;
    core::UninitializedVector<double>
        betas;  ///< (row, solution), solutions `costs` apart: rows of the one class, then the other's
    std::vector<double> bias;
    std::vector<std::uint32_t> support;  ///< of these rows, those that support any solution
    std::size_t first = 0;               ///< column of the first solution
  };
  /// A binary SVM of a class, and the position reached in its support vectors.
  struct Reader {
    std::size_t machine;
    std::size_t offset;  ///< of the class in the SVM's rows
    std::size_t next;    ///< in the SVM's support
    std::size_t end;
  };

  void find_support();
  std::vector<Reader> readers_of(std::size_t c, const MachineParts& parts) const;
  bool add_class(std::size_t c, kernel::Rows& rows, const MachineParts& parts, const core::Monitor& monitor);
  void multiply(std::vector<Reader>& readers, std::size_t first, const float* block);

  std::span<const BinaryMachine> machines_;
  std::size_t classes_;
  std::size_t costs_;
  std::vector<std::size_t> judged_;
  std::size_t stride_;
  std::vector<std::vector<std::size_t>> of_class_;  ///< binary SVMs of each class
  std::vector<std::size_t> column_;                 ///< (machine, cost): row of `values_`
  core::AlignedVector<double> values_;              ///< (column, judged)
  std::vector<Solutions> solutions_;                ///< for each binary SVM
  std::uint64_t multiplications_ = 0;
};

}  // namespace credence::svm
