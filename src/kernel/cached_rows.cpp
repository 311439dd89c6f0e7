#include <fmt/format.h>

#include <algorithm>
#include <list>

#include "credence/core/error.hpp"
#include "credence/kernel/gram.hpp"
#include "kernel/pairs.hpp"
#include "kernel/simd.hpp"

namespace credence::kernel {
namespace {

constexpr std::size_t none = static_cast<std::size_t>(-1);

/// Slots of one row each, allocated as they are first filled; the least recently used one is filled anew when all
/// are taken. At least four slots, so that the last three rows handed out stay valid.
class CachedRows final : public Rows {
 public:
  CachedRows(const Kernel& kernel, PairRows pairs, std::size_t budget)
      : kernel_(kernel),
        pairs_(std::move(pairs)),
        budget_(budget),
        slot_of_(pairs_.size(), none),
        diagonal_(padded(pairs_.size())) {
    const std::size_t row_bytes = padded(size()) * sizeof(float);
    capacity_ = std::min(budget / std::max<std::size_t>(row_bytes, 1), std::max<std::size_t>(size(), 4));
    if (capacity_ < 4) {
      throw Error(
          ErrorCode::memory,
          fmt::format("the memory budget of {} bytes does not hold four kernel rows of {} bytes; raise --memory",
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
    if (slot_of_[i] == none) {
      fill(i);
    }
    const std::size_t slot = slot_of_[i];
    touch(slot);
    return slots_[slot].values.data();
  }

  std::unique_ptr<Rows> subset(std::span<const std::size_t> keep) override {
    // What is left of the budget, but never fewer than the four rows that a solve needs.
    const std::size_t least = 4 * padded(keep.size()) * sizeof(float);
    return std::make_unique<CachedRows>(kernel_, pairs_.subset(keep), std::max(budget_ - used(), least));
  }

 private:
  struct Slot {
    core::AlignedVector<float> values;
    std::size_t row = none;
    std::list<std::size_t>::iterator place;
  };

  std::size_t used() const {
    const std::size_t bytes = slots_.size() * padded(size()) * sizeof(float);
    return std::min(bytes, budget_ / 2);
  }

  void fill(std::size_t i) {
    std::size_t slot = slots_.size();
    if (slot < capacity_) {
      slots_.push_back({core::AlignedVector<float>(padded(size())), none, recency_.insert(recency_.begin(), slot)});
    } else {
      slot = recency_.back();
      slot_of_[slots_[slot].row] = none;
    }
    float* values = slots_[slot].values.data();
    pairs_.rows(i, 1, 0, values, scratch_);
    simd::apply_kernel(kernel_, values, values, padded(size()));
    std::fill(values + size(), values + padded(size()), 0.0F);
    slots_[slot].row = i;
    slot_of_[i] = slot;
  }

  void touch(std::size_t slot) { recency_.splice(recency_.begin(), recency_, slots_[slot].place); }

  Kernel kernel_;
  PairRows pairs_;
  PairRows::Scratch scratch_;
  std::size_t budget_;
  std::size_t capacity_ = 0;
  std::vector<std::size_t> slot_of_;
  core::AlignedVector<float> diagonal_;
  std::vector<Slot> slots_;
  std::list<std::size_t> recency_;  ///< most recently used first
};

}  // namespace

std::unique_ptr<Rows> cached_rows(const Kernel& kernel, const data::Features& features, std::size_t budget) {
  return std::make_unique<CachedRows>(kernel, PairRows(kernel.type, features), budget);
}

}  // namespace credence::kernel
