#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "credence/core/aligned.hpp"
#include "credence/kernel/gram.hpp"
#include "kernel/row_memory.hpp"

namespace credence::kernel {

/// target[b] = source[places[b]].
void gather(const float* source, std::span<const std::size_t> places, float* target);

/// The rows and columns `keep` of other rows, copied together so that passes over them are short. A row is copied when
/// a caller first asks for it, for a solver visits few of them.
class GatheredRows final : public Rows {
 public:
  /// @param rows  must outlive the object
  /// @param memory  for the copies; none: fresh memory
  GatheredRows(Rows& rows, std::span<const std::size_t> keep, std::shared_ptr<RowMemory> memory);

  std::size_t size() const override { return keep_.size(); }
  const float* row(std::size_t i) override {
    if (row_[i] == nullptr) row_[i] = gathered(source_.row(keep_[i]));
    return row_[i];
  }
  const float* diagonal() const override { return diagonal_.data(); }
  std::unique_ptr<Rows> subset(std::span<const std::size_t> keep) override {
    return std::make_unique<GatheredRows>(*this, keep, store_.memory());
  }

 private:
  /// Columns that stand together before and after.
  struct Run {
    std::size_t from;
    std::size_t to;
    std::size_t length;
  };
  static std::vector<Run> runs_of(std::span<const std::size_t> keep);
  const float* gathered(const float* source);

  Rows& source_;
  std::vector<std::size_t> keep_;
  std::vector<Run> runs_;
  bool in_order_;
  bool long_runs_;
  std::size_t stride_;
  RowStore store_;
  std::vector<const float*> row_;  ///< null: not yet copied
  core::AlignedVector<float> diagonal_;
};

}  // namespace credence::kernel
