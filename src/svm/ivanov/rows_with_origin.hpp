#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "credence/core/aligned.hpp"
#include "credence/kernel/gram.hpp"

namespace credence::svm {

/// Rows with one more row, the last. Its kernel values are 0, except for a tiny value with itself.
class RowsWithOrigin final : public kernel::Rows {
 public:
  /// @param rows  must outlive the object, unless the object owns them
  /// @param tolerance  of the solves
  RowsWithOrigin(kernel::Rows& rows, double tolerance);
  RowsWithOrigin(std::unique_ptr<kernel::Rows> rows, double tolerance);

  std::size_t size() const override { return rows_.size() + 1; }
  const float* row(std::size_t i) override;
  const float* diagonal() const override { return diagonal_.data(); }
  std::unique_ptr<kernel::Rows> subset(std::span<const std::size_t> keep) override;

 private:
  std::unique_ptr<kernel::Rows> owned_;
  kernel::Rows& rows_;
  double tolerance_;
  core::AlignedVector<float> diagonal_;
  core::AlignedVector<float> origin_;
  std::vector<core::AlignedVector<float>> copies_;  ///< copies of the last few rows, if the base's rows are too narrow
  std::size_t next_copy_ = 0;
};

}  // namespace credence::svm
