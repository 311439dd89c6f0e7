#include "credence/core/aligned.hpp"

#include <algorithm>
#include <new>

#include "system/memory.hpp"

namespace credence::core {
namespace {

constexpr std::size_t cache_line = 64;
constexpr std::size_t huge_page = std::size_t{2} << 20;

std::size_t rounded_up(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

}  // namespace

void* allocate_aligned(std::size_t bytes) {
  const bool huge = bytes >= 2 * huge_page;
  const std::size_t unit = huge ? huge_page : cache_line;
  if (bytes > static_cast<std::size_t>(-1) - unit) throw std::bad_alloc();
  const std::size_t size = rounded_up(std::max<std::size_t>(bytes, 1), unit);
  void* block = system::aligned_block(unit, size);
  if (block == nullptr) throw std::bad_alloc();
  if (huge) system::prefer_large_pages(block, size);
  return block;
}

void deallocate_aligned(void* block) noexcept {
  system::free_aligned_block(block);
}

void return_free_memory() noexcept {
  system::return_free_memory();
}

}  // namespace credence::core
