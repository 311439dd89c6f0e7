#include "neighbours/distances.hpp"

#include <algorithm>
#include <numeric>
#include <span>

#include "credence/kernel/rows.hpp"
#include "kernel/pairs.hpp"
#include "kernel/simd.hpp"

namespace credence::neighbours {
namespace {

using data::DenseMatrix;
using data::SparseMatrix;

/// The non-zero entries of dense rows.
SparseMatrix compressed(const DenseMatrix& dense) {
  SparseMatrix sparse;
  sparse.rows = dense.rows;
  sparse.columns = dense.columns;
  for (std::size_t i = 0; i < dense.rows; ++i) {
    for (std::size_t f = 0; f < dense.columns; ++f) {
      if (dense.row(i)[f] != 0) {
        sparse.indices.push_back(static_cast<std::uint32_t>(f));
        sparse.values.push_back(dense.row(i)[f]);
      }
    }
    sparse.offsets.push_back(sparse.values.size());
  }
  return sparse;
}

/// |x_i - y_j|^2 by a merge of the two rows' indices.
double squared_distance(const SparseMatrix& x, std::size_t i, const SparseMatrix& y, std::size_t j) {
  double sum = 0;
  std::size_t a = x.offsets[i];
  std::size_t b = y.offsets[j];
  while (a < x.offsets[i + 1] || b < y.offsets[j + 1]) {
    const bool x_has = b == y.offsets[j + 1] || (a < x.offsets[i + 1] && x.indices[a] <= y.indices[b]);
    const bool y_has = a == x.offsets[i + 1] || (b < y.offsets[j + 1] && y.indices[b] <= x.indices[a]);
    const double difference = (x_has ? x.values[a] : 0.0) - (y_has ? y.values[b] : 0.0);
    sum += difference * difference;
    a += x_has ? 1U : 0U;
    b += y_has ? 1U : 0U;
  }
  return sum;
}

}  // namespace

Distances::Distances(data::Features rows) : rows_(std::move(rows)) {
  if (!rows_.is_sparse()) {
    by_column_ = kernel::by_column(rows_.dense());
  }
}

std::size_t Distances::stride() const {
  return kernel::padded(rows_.rows());
}

std::size_t Distances::block_rows() const {
  constexpr std::size_t most_values = std::size_t{1} << 22;
  return std::clamp<std::size_t>(most_values / std::max<std::size_t>(1, stride()), 4, 32);
}

void Distances::squared(const data::Features& queries, std::size_t first, std::size_t count, double* out) const {
  std::vector<std::size_t> block(count);
  std::iota(block.begin(), block.end(), first);
  const data::Features chosen = queries.select_rows(block);
  if (!rows_.is_sparse()) {
    squared_dense(chosen.is_sparse() ? chosen.to_dense() : chosen.dense(), out);
  } else {
    squared_sparse(chosen.is_sparse() ? chosen.sparse() : compressed(chosen.dense()), out);
  }
}

void Distances::squared_dense(const DenseMatrix& queries, double* out) const {
  // A tile of the columns stays in the second-level cache while all queries of the block pass over it.
  constexpr std::size_t tile_values = 65536;
  const std::size_t d = queries.columns;
  const std::size_t width = stride();
  const std::size_t tile = std::max(
      kernel::row_padding, tile_values / std::max<std::size_t>(1, d) / kernel::row_padding * kernel::row_padding);
  const kernel::simd::Pairs pairs{kernel::simd::Pairing::squared_distance, by_column_.data(), width, d};
  for (std::size_t first = 0; first < width; first += tile) {
    for (std::size_t q = 0; q < queries.rows; q += 4) {
      kernel::simd::pair_rows(pairs, queries.values.data() + q * d, std::min<std::size_t>(4, queries.rows - q), first,
                              std::min(first + tile, width), out + q * width + first, width);
    }
  }
}

void Distances::squared_sparse(const SparseMatrix& queries, double* out) const {
  for (std::size_t q = 0; q < queries.rows; ++q) {
    for (std::size_t j = 0; j < rows_.rows(); ++j) {
      out[q * stride() + j] = squared_distance(queries, q, rows_.sparse(), j);
    }
  }
}

}  // namespace credence::neighbours
