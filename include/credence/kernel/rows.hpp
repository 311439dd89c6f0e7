#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace credence::kernel {

/// Rows are padded with zeros to a multiple of this number of floats, so that SIMD loops have no tails.
inline constexpr std::size_t row_padding = 16;
inline constexpr std::size_t padded(std::size_t n) {
  return (n + row_padding - 1) / row_padding * row_padding;
}

/// The rows of a symmetric kernel matrix. An implementation takes them from a Gram in memory, or computes and caches
/// them. One object serves one thread.
class Rows {
 public:
  virtual ~Rows() = default;
  /// Returns the number of rows and columns, n.
  virtual std::size_t size() const = 0;
  /// Returns row i: padded(size()) floats, 64-byte aligned, with zeros behind the n-th. The pointer is valid until the
  /// third next call.
  virtual const float* row(std::size_t i) = 0;
  /// Returns all K(i, i): padded(size()) floats.
  virtual const float* diagonal() const = 0;
  /// Makes a matrix of the rows and columns `keep` alone. The object must outlive this matrix, which copies rows when a
  /// caller asks for them.
  virtual std::unique_ptr<Rows> subset(std::span<const std::size_t> keep) = 0;
};

}  // namespace credence::kernel
