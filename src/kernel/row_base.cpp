#include "kernel/row_base.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "credence/core/list.hpp"
#include "credence/kernel/gram.hpp"
#include "kernel/gathered_rows.hpp"
#include "kernel/mirror.hpp"
#include "kernel/simd.hpp"

namespace credence::kernel {
namespace {

/// The rows of a kernel over base values, computed when a caller first asks for them.
class ComputedRows final : public Rows {
 public:
  ComputedRows(RowBase& base, const Kernel& kernel, VisitedRows& visited)
      : base_(base),
        kernel_(kernel),
        visited_(visited),
        width_(padded(base.size())),
        store_(width_, base.size(), base.memory()),
        row_(base.size(), nullptr),
        diagonal_(width_) {
    asked_for_.reserve(base.size());
    const std::vector<std::size_t> likely = visited.rows();
    base_.compute(likely);
    if (likely.empty()) base_.compute_all_if_wide();
    const std::vector<float> values = base.diagonal();
    std::copy(values.begin(), values.end(), diagonal_.begin());
    simd::apply_kernel(kernel, diagonal_.data(), diagonal_.data(), width_);
    std::fill(diagonal_.begin() + static_cast<std::ptrdiff_t>(base.size()), diagonal_.end(), 0.0F);
  }
  ComputedRows(const ComputedRows&) = delete;
  ComputedRows& operator=(const ComputedRows&) = delete;
  ~ComputedRows() override { visited_.add(std::move(asked_for_)); }

  std::size_t size() const override { return base_.size(); }
  const float* row(std::size_t i) override {
    if (row_[i] == nullptr) row_[i] = computed(i);
    return row_[i];
  }
  const float* diagonal() const override { return diagonal_.data(); }
  std::unique_ptr<Rows> subset(std::span<const std::size_t> keep) override {
    return std::make_unique<GatheredRows>(*this, keep, store_.memory());
  }

 private:
  const float* computed(std::size_t i) {
    float* row = store_.add();
    simd::apply_kernel(kernel_, base_.row(i), row, width_);
    std::fill(row + base_.size(), row + width_, 0.0F);
    asked_for_.push_back(i);
    return row;
  }

  RowBase& base_;
  Kernel kernel_;
  VisitedRows& visited_;
  std::size_t width_;
  RowStore store_;
  std::vector<const float*> row_;  ///< null: not yet computed
  std::vector<std::size_t> asked_for_;
  core::AlignedVector<float> diagonal_;
};

}  // namespace

RowBase::RowBase(KernelType type, const data::Features& features, std::shared_ptr<RowMemory> memory,
                 const core::Monitor& monitor)
    : pairs_(type, features.view()),
      monitor_(monitor),
      store_(padded(features.rows()), features.rows(), std::move(memory)),
      rows_(features.rows()) {}

std::size_t RowBase::computed() const {
  const std::lock_guard lock(mutex_);
  return store_.rows();
}

const float* RowBase::first_of(std::size_t i) {
  const std::lock_guard lock(mutex_);
  const float* known = rows_[i].load(std::memory_order_relaxed);
  if (known != nullptr) return known;  // another thread was faster
  float* row = store_.add();
  pairs_.rows(i, 1, 0, row, padded(size()), scratch_);
  rows_[i].store(row, std::memory_order_release);
  return row;
}

void RowBase::compute(std::span<const std::size_t> rows) {
  // Between the parts another thread may ask for a row.
  constexpr std::size_t part_rows = 64;
  std::vector<std::size_t> missing;
  for (std::size_t first = 0; first < rows.size() && !monitor_.should_stop(); first += part_rows) {
    const std::lock_guard lock(mutex_);
    missing.clear();
    for (const std::size_t i : rows.subspan(first, std::min(part_rows, rows.size() - first)))
      if (rows_[i].load(std::memory_order_relaxed) == nullptr) missing.push_back(i);
    compute_together(missing);
  }
}

void RowBase::compute_all_if_wide() {
  const std::lock_guard lock(mutex_);
  if (pairs_.bytes_of_a_pass() > cache_bytes && store_.rows() == 0) compute_all();
}

void RowBase::compute_all() {
  const std::size_t n = size();
  std::vector<float*> places = core::made(n, [&](std::size_t) { return store_.add(); });
  const auto place = [&](std::size_t i) {
    const std::size_t four = std::min<std::size_t>(4, n - i);
    const std::size_t count = places[i + four - 1] == places[i] + (four - 1) * padded(n) ? four : 1;
    return PairRows::Place{places[i] + Base::first_column(i), count, padded(n)};
  };
  for (std::size_t block = 0; block < block_count(n); ++block) {
    if (monitor_.should_stop()) return;
    pairs_.right_of_diagonal(block * block_rows, std::min((block + 1) * block_rows, n), place, scratch_);
    mirror(n, block, [&](std::size_t i) { return places[i]; });
  }
  for (std::size_t i = 0; i < n; ++i) rows_[i].store(places[i], std::memory_order_release);
}

void RowBase::compute_together(std::span<const std::size_t> rows) {
  const std::vector<float*> places = core::made(rows.size(), [&](std::size_t) { return store_.add(); });
  pairs_.whole_rows(rows, places, scratch_);
  for (std::size_t k = 0; k < rows.size(); ++k) rows_[rows[k]].store(places[k], std::memory_order_release);
}

void VisitedRows::add(std::vector<std::size_t> rows) {
  std::ranges::sort(rows);
  const std::lock_guard lock(mutex_);
  std::vector<std::size_t> all;
  std::set_union(rows_.begin(), rows_.end(), rows.begin(), rows.end(), std::back_inserter(all));
  rows_ = std::move(all);
}

std::unique_ptr<Rows> rows_of(RowBase& base, const Kernel& kernel, VisitedRows& visited) {
  return std::make_unique<ComputedRows>(base, kernel, visited);
}

}  // namespace credence::kernel
