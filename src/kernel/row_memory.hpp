#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "credence/core/aligned.hpp"

namespace credence::kernel {

/// Large blocks of memory for kernel rows, given out and taken back by several threads. A block that came back is given
/// out again: the system would have to clear fresh memory each time.
class RowMemory {
 public:
  using Block = core::UninitializedVector<float>;
  static constexpr std::size_t block_floats = std::size_t{1} << 20;

  /// A block of at least so many floats. Small blocks are fresh.
  Block take(std::size_t floats);
  void give_back(Block block);

 private:
  std::mutex mutex_;
  std::size_t made_ = 0;     ///< blocks of block_floats
  std::vector<Block> idle_;  ///< of block_floats each, with room for all that were made
};

/// Rows of one width that stand one behind the other in blocks of memory. One object serves one thread at a time.
class RowStore {
 public:
  /// @param width  floats of a row, a multiple of row_padding  @param most  rows that may be added
  /// @param memory  where blocks come from and go back to; none: fresh blocks
  RowStore(std::size_t width, std::size_t most, std::shared_ptr<RowMemory> memory);
  RowStore(const RowStore&) = delete;
  RowStore& operator=(const RowStore&) = delete;
  ~RowStore();

  /// Makes room for one more row, uninitialised and 64-byte aligned, which stays where it is.
  float* add();
  /// Rows that were added.
  std::size_t rows() const { return added_; }
  const std::shared_ptr<RowMemory>& memory() const { return memory_; }

 private:
  std::size_t width_;
  std::size_t rows_a_block_;
  std::size_t added_ = 0;
  std::shared_ptr<RowMemory> memory_;
  std::vector<RowMemory::Block> blocks_;
};

}  // namespace credence::kernel
