#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace credence::kernel {

/// Number of floats to which rows are padded with zeros, so that kernels have no tails.
inline constexpr std::size_t row_padding = 16;
inline constexpr std::size_t padded(std::size_t n) {
  return (n + row_padding - 1) / row_padding * row_padding;
}

/// Rows of a symmetric kernel matrix, in whatever way they come: from a Gram in memory, or computed and cached.
/// One object serves one thread.
class Rows {
 public:
  virtual ~Rows() = default;
  /// Number of rows and columns, n.
  virtual std::size_t size() const = 0;
  /// Row i: padded(size()) floats, 64-byte aligned, zeros behind the n-th. Valid until the third next call.
  virtual const float* row(std::size_t i) = 0;
  /// K(i, i): padded(size()) floats.
  virtual const float* diagonal() const = 0;
  /// The rows and columns `keep` (ascending) as a matrix of its own.
  virtual std::unique_ptr<Rows> subset(std::span<const std::size_t> keep) = 0;
};

}  // namespace credence::kernel
