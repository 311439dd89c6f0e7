#pragma once

#include <memory>

#include "credence/kernel/gram.hpp"

namespace credence::test {

/// Rows that count how often one of them is asked for. Parts of them are not counted.
class CountingRows final : public kernel::Rows {
 public:
  explicit CountingRows(kernel::Rows& rows) : rows_(rows) {}

  std::size_t size() const override { return rows_.size(); }
  const float* row(std::size_t i) override {
    ++count_;
    return rows_.row(i);
  }
  const float* diagonal() const override { return rows_.diagonal(); }
  std::unique_ptr<kernel::Rows> subset(std::span<const std::size_t> keep) override { return rows_.subset(keep); }

  std::size_t count() const { return count_; }

 private:
  kernel::Rows& rows_;
  std::size_t count_ = 0;
};

}  // namespace credence::test
