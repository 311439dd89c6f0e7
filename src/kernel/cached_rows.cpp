#include <fmt/format.h>

#include <algorithm>
#include <list>

#include "credence/core/error.hpp"
#include "credence/kernel/gram.hpp"
#include "kernel/gathered_rows.hpp"
#include "kernel/pairs.hpp"
#include "kernel/simd.hpp"

namespace credence::kernel {
namespace {

constexpr std::size_t none = static_cast<std::size_t>(-1);

/// Slots of one row each, in chunks that are allocated as they are first filled; the least recently used slot is filled
/// anew when all are taken. At least four slots, so that the last three rows handed out stay valid; at most two thirds
/// of the budget, so that a subset finds room.
class CachedRows final : public Rows {
 public:
  CachedRows(const Kernel& kernel, PairRows pairs, std::size_t budget)
      : kernel_(kernel),
        pairs_(std::move(pairs)),
        budget_(budget),
        slot_of_(pairs_.size(), none),
        diagonal_(padded(pairs_.size())) {
    const std::size_t row_bytes = std::max<std::size_t>(padded(size()), 1) * sizeof(float);
    capacity_ = std::min(std::max<std::size_t>(budget / 3 * 2 / row_bytes, 4), std::max<std::size_t>(size(), 4));
    if (budget / 4 < row_bytes) {
      throw Error(
          ErrorCode::memory,
          fmt::format(
              "four kernel rows of {1} bytes do not fit in the {0} bytes of the memory budget that are left for them; "
              "raise the memory budget",
              budget, row_bytes));
    }
    const std::vector<float> base = pairs_.diagonal();
    std::copy(base.begin(), base.end(), diagonal_.begin());
    simd::apply_kernel(kernel_, diagonal_.data(), diagonal_.data(), diagonal_.size());
    std::fill(diagonal_.begin() + static_cast<std::ptrdiff_t>(size()), diagonal_.end(), 0.0F);
  }

  std::size_t size() const override { return pairs_.size(); }
  const float* diagonal() const override { return diagonal_.data(); }

  const float* row(std::size_t i) override {
    if (slot_of_[i] == none) fill(i);
    const std::size_t slot = slot_of_[i];
    touch(slot);
    return values(slot);
  }

  std::unique_ptr<Rows> subset(std::span<const std::size_t> keep) override {
    // What is left of the budget, but never fewer than the four rows that a solve needs.
    const std::size_t least = 4 * padded(keep.size()) * sizeof(float);
    auto part = std::make_unique<CachedRows>(kernel_, pairs_.subset(keep),
                                             std::max(budget_ - std::min(used(), budget_), least));
    part->whole_ = this;
    part->keep_.assign(keep.begin(), keep.end());
    return part;
  }

 private:
  struct Slot {
    std::size_t row = none;
    std::list<std::size_t>::iterator place;
  };

  std::size_t rows_of_chunk() const {
    constexpr std::size_t chunk_bytes = std::size_t{1} << 20U;
    return std::clamp<std::size_t>(chunk_bytes / (std::max<std::size_t>(padded(size()), 1) * sizeof(float)), 1,
                                   capacity_);
  }
  std::size_t used() const { return slots_.size() * padded(size()) * sizeof(float); }
  /// Row i if it is kept, else null. The row is not counted as used.
  const float* kept(std::size_t i) { return slot_of_[i] == none ? nullptr : values(slot_of_[i]); }
  float* values(std::size_t slot) {
    return chunks_[slot / rows_of_chunk()].data() + slot % rows_of_chunk() * padded(size());
  }

  void fill(std::size_t i) {
    std::size_t slot = slots_.size();
    if (slot < capacity_) {
      if (slot / rows_of_chunk() == chunks_.size()) chunks_.emplace_back(rows_of_chunk() * padded(size()));
      slots_.push_back({none, recency_.insert(recency_.begin(), slot)});
    } else {
      slot = recency_.back();
      slot_of_[slots_[slot].row] = none;
    }
    float* row = values(slot);
    if (const float* const known = whole_ == nullptr ? nullptr : whole_->kept(keep_[i])) {
      gather(known, keep_, row);
    } else {
      pairs_.rows(i, 1, 0, row, padded(size()), scratch_);
      simd::apply_kernel(kernel_, row, row, padded(size()));
    }
    std::fill(row + size(), row + padded(size()), 0.0F);
    slots_[slot].row = i;
    slot_of_[i] = slot;
  }

  void touch(std::size_t slot) { recency_.splice(recency_.begin(), recency_, slots_[slot].place); }

  Kernel kernel_;
  PairRows pairs_;
  PairRows::Scratch scratch_;
  CachedRows* whole_ = nullptr;  ///< the rows of which these are a subset
  std::vector<std::size_t> keep_;
  std::size_t budget_;
  std::size_t capacity_ = 0;
  std::vector<std::size_t> slot_of_;
  core::AlignedVector<float> diagonal_;
  std::vector<Slot> slots_;
  std::vector<core::UninitializedVector<float>> chunks_;
  std::list<std::size_t> recency_;  ///< most recently used first
};

}  // namespace

std::unique_ptr<Rows> cached_rows(const Kernel& kernel, const data::Features& features, std::size_t budget) {
  return std::make_unique<CachedRows>(kernel, PairRows(kernel.type, features), budget);
}

}  // namespace credence::kernel
