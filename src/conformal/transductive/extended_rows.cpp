#include "conformal/transductive/extended_rows.hpp"

#include <algorithm>
#include <array>

namespace credence::conformal {

ExtendedRows::ExtendedRows(kernel::Rows& base, std::unique_ptr<kernel::Rows> owned,
                           const std::array<RowRange, 2>& ranges, std::size_t extra)
    : owned_(std::move(owned)),
      base_(base),
      ranges_(ranges),
      n_(old_size() + extra),
      diagonal_(kernel::padded(n_)),
      extra_(extra * kernel::padded(n_)) {
  gather(base_.diagonal(), diagonal_.data());
}

ExtendedRows::ExtendedRows(kernel::Rows& base, const std::array<RowRange, 2>& ranges)
    : ExtendedRows(base, nullptr, ranges, 0) {}

ExtendedRows::ExtendedRows(kernel::Rows& base, const std::array<RowRange, 2>& ranges, std::span<const float> values,
                           float own)
    : ExtendedRows(base, nullptr, ranges, 1) {
  gather(values.data(), extra_.data());
  set_own(own);
}

void ExtendedRows::gather(const float* base_values, float* out) const {
  out = std::copy_n(base_values + ranges_[0].first, ranges_[0].count, out);
  std::copy_n(base_values + ranges_[1].first, ranges_[1].count, out);
}

void ExtendedRows::set_own(float own) {
  extra_[old_size()] = own;
  diagonal_[old_size()] = own;
}

const float* ExtendedRows::row(std::size_t i) {
  if (i == old_size()) return extra_.data();
  core::AlignedVector<float>& out = rows_[next_];
  next_ = (next_ + 1) % buffers;
  out.resize(kernel::padded(n_));  // zeros behind the last column, which stay
  gather(base_.row(base_row(i)), out.data());
  if (!extra_.empty()) out[old_size()] = extra_[i];
  return out.data();
}

std::unique_ptr<kernel::Rows> ExtendedRows::subset(std::span<const std::size_t> keep) {
  const bool with_extra = !keep.empty() && keep.back() == old_size();
  const std::span<const std::size_t> old = keep.first(keep.size() - (with_extra ? 1 : 0));
  std::vector<std::size_t> base_keep(old.size());
  std::ranges::transform(old, base_keep.begin(), [&](std::size_t i) { return base_row(i); });
  std::unique_ptr<kernel::Rows> part = base_.subset(base_keep);
  if (!with_extra) return part;
  kernel::Rows& part_rows = *part;
  std::unique_ptr<ExtendedRows> result(
      new ExtendedRows(part_rows, std::move(part), {RowRange{0, old.size()}, RowRange{old.size(), 0}}, 1));
  std::ranges::transform(old, result->extra_.begin(), [&](std::size_t i) { return extra_[i]; });
  result->set_own(extra_[old_size()]);
  return result;
}

}  // namespace credence::conformal
