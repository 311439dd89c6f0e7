#include "svm/ivanov/rows_with_origin.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace credence::svm {
namespace {

/// Kernel value of the origin with itself, as a share of the mean diagonal. A matrix with a row of zeros has no
/// Cholesky factor, and large C take long without Newton steps. The value costs digits, so a tolerance below
/// least_tolerance uses 0.
/// tolerance than this one use 0.
constexpr double nearly_zero = 1e-12;
constexpr double least_tolerance = 1e-7;

}  // namespace

RowsWithOrigin::RowsWithOrigin(kernel::Rows& rows, double tolerance)
    : rows_(rows),
      tolerance_(tolerance),
      diagonal_(kernel::padded(rows.size() + 1), 0.0F),
      origin_(kernel::padded(rows.size() + 1), 0.0F),
      copies_(4) {
  std::copy_n(rows_.diagonal(), rows_.size(), diagonal_.begin());
  const double mean = std::accumulate(diagonal_.begin(), diagonal_.end(), 0.0) / static_cast<double>(rows_.size());
  diagonal_[rows_.size()] = static_cast<float>(tolerance >= least_tolerance ? nearly_zero * mean : 0);
  origin_[rows_.size()] = diagonal_[rows_.size()];
}

RowsWithOrigin::RowsWithOrigin(std::unique_ptr<kernel::Rows> rows, double tolerance)
    : RowsWithOrigin(*rows, tolerance) {
  owned_ = std::move(rows);
}

const float* RowsWithOrigin::row(std::size_t i) {
  if (i == rows_.size()) return origin_.data();
  if (kernel::padded(size()) == kernel::padded(rows_.size()))
    return rows_.row(i);  // the zero behind the last column is the origin's
  core::AlignedVector<float>& copy = copies_[next_copy_];
  next_copy_ = (next_copy_ + 1) % copies_.size();
  copy.assign(kernel::padded(size()), 0.0F);
  std::copy_n(rows_.row(i), rows_.size(), copy.begin());
  return copy.data();
}

std::unique_ptr<kernel::Rows> RowsWithOrigin::subset(std::span<const std::size_t> keep) {
  if (!keep.empty() && keep.back() == rows_.size())
    return std::make_unique<RowsWithOrigin>(rows_.subset(keep.first(keep.size() - 1)), tolerance_);
  return rows_.subset(keep);
}

}  // namespace credence::svm
