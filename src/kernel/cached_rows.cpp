#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <list>

#include "credence/core/error.hpp"
#include "credence/kernel/gram.hpp"
#include "kernel/gathered_rows.hpp"
#include "kernel/pairs.hpp"
#include "kernel/simd.hpp"

namespace credence::kernel {
namespace {

/// Rows of one matrix, the one used longest ago the first to be given up where there is no room for another. A subset
/// shares the room of the matrix that it is a part of, whose rows are given up first: a solver asks for them again when
/// it is done with the subset. At least three rows of each stay, so that the last ones handed out are valid.
class CachedRows final : public Rows {
 public:
  /// Bytes for the rows of a matrix and of all its subsets, and for what the solver has beside them.
  struct Room {
    std::size_t budget;
    std::size_t rows = 0;
    std::size_t beside = 0;

    std::size_t left() const { return budget - std::min(rows + beside, budget); }
  };

  CachedRows(const Kernel& kernel, PairRows pairs, std::shared_ptr<Room> room)
      : kernel_(kernel),
        pairs_(std::move(pairs)),
        room_(std::move(room)),
        place_(pairs_.size(), kept_.end()),
        diagonal_(padded(pairs_.size())) {
    const std::vector<float> base = pairs_.diagonal();
    std::copy(base.begin(), base.end(), diagonal_.begin());
    simd::apply_kernel(kernel_, diagonal_.data(), diagonal_.data(), diagonal_.size());
    std::fill(diagonal_.begin() + static_cast<std::ptrdiff_t>(size()), diagonal_.end(), 0.0F);
  }
  CachedRows(const CachedRows&) = delete;
  CachedRows& operator=(const CachedRows&) = delete;
  ~CachedRows() override { room_->rows -= kept_.size() * row_bytes(); }

  std::size_t size() const override { return pairs_.size(); }
  const float* diagonal() const override { return diagonal_.data(); }

  const float* row(std::size_t i) override {
    if (!is_kept(i)) {
      if (expected_.empty() || expected_.front() != i) expected_.insert(expected_.begin(), i);
      make_expected();
    }
    kept_.splice(kept_.begin(), kept_, place_[i]);
    return kept_.front().values;
  }

  void expect(std::span<const std::size_t> which) override {
    // A pass over more rows than there is room for would else give up all that stood here before.
    for (const std::size_t i : passing_)
      if (is_kept(i)) kept_.splice(kept_.end(), kept_, place_[i]);
    expected_.clear();
    for (const std::size_t i : which)
      if (is_kept(i))
        kept_.splice(kept_.begin(), kept_, place_[i]);
      else
        expected_.push_back(i);
    passing_ = expected_;
  }

  void leave_room(std::size_t bytes) override {
    const std::size_t before = room_->rows;
    room_->beside = bytes;
    while (room_->rows + bytes > room_->budget && give_up_one()) {
    }
    if (room_->rows < before) core::return_free_memory();
  }

  std::unique_ptr<Rows> subset(std::span<const std::size_t> keep) override {
    auto part = std::make_unique<CachedRows>(kernel_, pairs_.subset(keep), room_);
    part->whole_ = this;
    part->keep_.assign(keep.begin(), keep.end());
    return part;
  }

 private:
  /// Of the plain heap, which fills the place of a row that was given up with another one.
  struct Kept {
    explicit Kept(std::size_t i, std::size_t width)
        : row(i), memory(std::make_unique_for_overwrite<float[]>(width + row_padding)) {
      std::size_t bytes = (width + row_padding) * sizeof(float);
      void* first = memory.get();
      values = static_cast<float*>(std::align(row_padding * sizeof(float), width * sizeof(float), first, bytes));
    }

    std::size_t row;
    std::unique_ptr<float[]> memory;
    float* values;
  };

  std::size_t row_bytes() const { return padded(size()) * sizeof(float); }
  bool is_kept(std::size_t i) { return place_[i] != kept_.end(); }

  /// Makes the first of the expected rows, four at least, and as many more as there is room for.
  void make_expected() {
    while (room_->left() < expected_.size() * row_bytes() && give_up_one()) {
    }
    const std::size_t count = std::min(std::max<std::size_t>(room_->left() / row_bytes(), 4), expected_.size());
    std::vector<std::size_t> unknown;
    std::vector<float*> rows;
    for (const std::size_t i : std::span(expected_).first(count)) {
      float* const values = kept_.emplace_back(i, padded(size())).values;
      place_[i] = std::prev(kept_.end());
      if (whole_ != nullptr && whole_->is_kept(keep_[i])) {
        gather(whole_->place_[keep_[i]]->values, keep_, values);
        std::fill(values + size(), values + padded(size()), 0.0F);
      } else {
        unknown.push_back(i);
        rows.push_back(values);
      }
    }
    room_->rows += count * row_bytes();
    pairs_.whole_rows(unknown, rows, scratch_);
    for (float* const row : rows) {
      simd::apply_kernel(kernel_, row, row, padded(size()));
      std::fill(row + size(), row + padded(size()), 0.0F);
    }
    expected_.erase(expected_.begin(), expected_.begin() + static_cast<std::ptrdiff_t>(count));
  }

  /// @return false if there is none to be given up
  bool give_up_one() {
    constexpr std::size_t handed_out = 3;
    if (whole_ != nullptr && whole_->give_up_one()) return true;
    if (kept_.size() <= handed_out) return false;
    place_[kept_.back().row] = kept_.end();
    kept_.pop_back();
    room_->rows -= row_bytes();
    return true;
  }

  Kernel kernel_;
  PairRows pairs_;
  PairRows::Scratch scratch_;
  CachedRows* whole_ = nullptr;  ///< the rows of which these are a subset
  std::vector<std::size_t> keep_;
  std::shared_ptr<Room> room_;
  std::list<Kept> kept_;                          ///< most recently used first
  std::vector<std::list<Kept>::iterator> place_;  ///< of each row; the end: not kept
  std::vector<std::size_t> expected_;             ///< not kept, and asked for next, in this order
  std::vector<std::size_t> passing_;              ///< those that were not kept when they were announced
  core::AlignedVector<float> diagonal_;
};

}  // namespace

std::unique_ptr<Rows> cached_rows(const Kernel& kernel, const data::Features& features, std::size_t budget) {
  // Rows that few steps ask for, and those that are soon made again together, are not worth their memory.
  constexpr std::size_t share_of_matrix = 3;
  constexpr std::size_t small = std::size_t{256} << 20U;
  const std::size_t row_bytes = std::max<std::size_t>(padded(features.rows()), 1) * sizeof(float);
  if (budget / 4 < row_bytes) {
    throw Error(
        ErrorCode::memory,
        fmt::format("four kernel rows of {1} bytes do not fit in the {0} bytes of the memory budget that are left for "
                    "them; raise the memory budget",
                    budget, row_bytes));
  }
  const std::size_t most = std::max(small, features.rows() * row_bytes / share_of_matrix);
  return std::make_unique<CachedRows>(kernel, PairRows(kernel.type, features),
                                      std::make_shared<CachedRows::Room>(CachedRows::Room{std::min(budget, most)}));
}

}  // namespace credence::kernel
