#include "kernel/row_memory.hpp"

#include <algorithm>
#include <utility>

namespace credence::kernel {

RowMemory::Block RowMemory::take(std::size_t floats) {
  if (floats == block_floats) {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      Block block = std::move(idle_.back());
      idle_.pop_back();
      return block;
    }
    idle_.reserve(++made_);
  }
  return Block(floats);
}

void RowMemory::give_back(Block block) {
  if (block.size() != block_floats) return;
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(block));
}

RowStore::RowStore(std::size_t width, std::size_t most, std::shared_ptr<RowMemory> memory)
    : width_(width), rows_a_block_(0), memory_(std::move(memory)) {
  // Fours of rows stand together wherever a block holds four: base values are made for four rows at a time.
  std::size_t in_a_block = RowMemory::block_floats / std::max<std::size_t>(width, 1);
  if (in_a_block >= 4) in_a_block -= in_a_block % 4;
  rows_a_block_ = std::clamp<std::size_t>(in_a_block, 1, std::max<std::size_t>(most, 1));
}

RowStore::~RowStore() {
  if (memory_ == nullptr) return;
  for (RowMemory::Block& block : blocks_) memory_->give_back(std::move(block));
}

float* RowStore::add() {
  const std::size_t place = added_ % rows_a_block_;
  if (place == 0) {
    // Blocks that many rows share are all of one size, so that they serve rows of any width later.
    const std::size_t needed = rows_a_block_ * width_;
    const bool large = 2 * needed > RowMemory::block_floats && needed <= RowMemory::block_floats;
    const std::size_t floats = large ? RowMemory::block_floats : needed;
    blocks_.push_back(memory_ != nullptr ? memory_->take(floats) : RowMemory::Block(floats));
  }
  ++added_;
  return blocks_.back().data() + place * width_;
}

}  // namespace credence::kernel
