#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "credence/core/aligned.hpp"
#include "credence/core/context.hpp"
#include "credence/data/features.hpp"
#include "credence/kernel/gram.hpp"
#include "credence/kernel/kernel.hpp"
#include "kernel/pairs.hpp"
#include "kernel/row_memory.hpp"

namespace credence::kernel {

/// The values of a Base row by row, for work that visits few rows of each kernel matrix: a row is computed when a
/// caller first asks for it, and kept. Its bits are those of a Base. May be used by several threads.
class RowBase {
 public:
  /// Features of more bytes are wide: a pass over them exceeds the caches.
  static constexpr std::size_t cache_bytes = std::size_t{32} << 20U;

  /// @param type  other than precomputed  @param features  must outlive the object
  /// @param memory  where blocks come from and go back to
  /// @param monitor  ends the computation of many rows; must outlive the object
  RowBase(KernelType type, const data::Features& features, std::shared_ptr<RowMemory> memory,
          const core::Monitor& monitor);

  std::size_t size() const { return pairs_.size(); }
  /// padded(n) floats, with zeros behind the n-th column. Cost of the first call for a row: n d SIMD steps.
  const float* row(std::size_t i) {
    const float* known = rows_[i].load(std::memory_order_acquire);
    return known != nullptr ? known : first_of(i);
  }
  /// Computes many rows together, which takes a third to a half of the time of one after the other. If the monitor says
  /// stop, some stay uncomputed.
  void compute(std::span<const std::size_t> rows);
  /// Computes all rows if none is computed yet and a pass over the features exceeds the caches, for a caller who does
  /// not know which rows the work will visit. Cost: n d / 2 SIMD steps a row.
  void compute_all_if_wide();
  std::size_t computed() const;
  /// base(i, i) for all i.
  std::vector<float> diagonal() const { return pairs_.diagonal(); }
  const std::shared_ptr<RowMemory>& memory() const { return store_.memory(); }

 private:
  const float* first_of(std::size_t i);
  void compute_together(std::span<const std::size_t> rows);
  void compute_all();

  PairRows pairs_;
  const core::Monitor& monitor_;
  mutable std::mutex mutex_;  ///< guards the members below; addresses may be read without it
  PairRows::Scratch scratch_;
  RowStore store_;
  std::vector<std::atomic<const float*>> rows_;  ///< null: not yet computed
};

/// The rows that the solvers of a series have visited, as a forecast of those that the next one will visit. A row that
/// is computed in vain, among many, costs less than one that is missing.
class VisitedRows {
 public:
  /// Ascending.
  std::vector<std::size_t> rows() const {
    const std::lock_guard lock(mutex_);
    return rows_;
  }
  void add(std::vector<std::size_t> rows);

 private:
  mutable std::mutex mutex_;
  std::vector<std::size_t> rows_;
};

/// Makes the rows of a kernel over base values, computed when a caller first asks for them. The base values of the rows
/// that `visited` names are computed first; if `visited` names none, RowBase::compute_all_if_wide is called. When the
/// object ends, `visited` learns which rows were asked for.
/// @param base, visited  must outlive the rows
std::unique_ptr<Rows> rows_of(RowBase& base, const Kernel& kernel, VisitedRows& visited);

}  // namespace credence::kernel
