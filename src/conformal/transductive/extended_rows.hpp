#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "credence/core/aligned.hpp"
#include "credence/kernel/gram.hpp"

namespace credence::conformal {

/// Rows first .. first + count - 1.
struct RowRange {
  std::size_t first = 0;
  std::size_t count = 0;
};

/// Two ranges of the rows and columns of a kernel matrix and, behind them, one example that is not in it.
///
/// The matrix itself is shared and never copied: a row is put together when it is asked for, in one of a few buffers.
class ExtendedRows final : public kernel::Rows {
 public:
  /// The two ranges alone. @param base  must outlive the object
  ExtendedRows(kernel::Rows& base, const std::array<RowRange, 2>& ranges);
  /// @param values  K(x, row) of the new example x with each row of `base`
  /// @param own     K(x, x)
  ExtendedRows(kernel::Rows& base, const std::array<RowRange, 2>& ranges, std::span<const float> values, float own);

  std::size_t size() const override { return n_; }
  const float* row(std::size_t i) override;
  const float* diagonal() const override { return diagonal_.data(); }
  std::unique_ptr<kernel::Rows> subset(std::span<const std::size_t> keep) override;

 private:
  static constexpr std::size_t buffers = 4;  ///< a row stays valid until the third next call

  ExtendedRows(kernel::Rows& base, std::unique_ptr<kernel::Rows> owned, const std::array<RowRange, 2>& ranges,
               std::size_t extra);
  std::size_t old_size() const { return ranges_[0].count + ranges_[1].count; }
  std::size_t base_row(std::size_t i) const {
    return i < ranges_[0].count ? ranges_[0].first + i : ranges_[1].first + (i - ranges_[0].count);
  }
  void gather(const float* base_values, float* out) const;
  void set_own(float own);

  std::unique_ptr<kernel::Rows> owned_;  ///< the base, of a subset
  kernel::Rows& base_;
  std::array<RowRange, 2> ranges_;
  std::size_t n_;
  core::AlignedVector<float> diagonal_;
  core::AlignedVector<float> extra_;  ///< row of the new example; empty if there is none
  std::array<core::AlignedVector<float>, buffers> rows_;
  std::size_t next_ = 0;
};

}  // namespace credence::conformal
