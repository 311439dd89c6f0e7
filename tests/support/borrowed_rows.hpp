#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <stdexcept>

#include "credence/data/features.hpp"

namespace credence::test {

/// The same numbers in memory that the process cannot write, borrowed: a write ends the test program.
inline data::DenseMatrix in_read_only_memory(const data::DenseMatrix& matrix) {
  const std::size_t bytes = matrix.values.size() * sizeof(double);
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::runtime_error("no memory could be mapped");
  auto* const numbers = static_cast<double*>(memory);
  std::copy(matrix.values.begin(), matrix.values.end(), numbers);
  mprotect(memory, bytes, PROT_READ);
  const std::shared_ptr<const void> owner(memory, [bytes](void* mapped) { munmap(mapped, bytes); });
  return data::DenseMatrix::borrowed(numbers, matrix.rows, matrix.columns, owner);
}

}  // namespace credence::test
