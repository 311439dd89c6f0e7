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

/// The sum of squares of the entries from `first` on, up to `end`, added to `sum` one after the other.
double add_squares(double sum, const SparseMatrix& matrix, std::size_t first, std::size_t end) {
  for (std::size_t k = first; k < end; ++k) {
    sum += matrix.values[k] * matrix.values[k];
  }
  return sum;
}

/// |x_i - y_j|^2 by a merge of the two rows' indices. Which row has the next index cannot be predicted, so both are
/// looked at and neither is branched on.
double squared_distance(const SparseMatrix& x, std::size_t i, const SparseMatrix& y, std::size_t j) {
  const std::size_t x_end = x.offsets[i + 1];
  const std::size_t y_end = y.offsets[j + 1];
  std::size_t a = x.offsets[i];
  std::size_t b = y.offsets[j];
  double sum = 0;
  while (a < x_end && b < y_end) {
    const std::uint32_t x_index = x.indices[a];
    const std::uint32_t y_index = y.indices[b];
    const double from_x[] = {0.0, x.values[a]};
    const double from_y[] = {0.0, y.values[b]};
    const bool x_has = x_index <= y_index;
    const bool y_has = y_index <= x_index;
    const double difference = from_x[x_has] - from_y[y_has];
    sum += difference * difference;
    a += x_has;
    b += y_has;
  }
  return add_squares(add_squares(sum, x, a, x_end), y, b, y_end);
}

/// Whether so few entries are not 0 that merges are cheaper than looking at all: vectors take a number in a fraction of
/// the time that a merge takes.
bool is_thin(const SparseMatrix& matrix) {
  return matrix.values.size() < matrix.rows * matrix.columns / 32;
}

}  // namespace

Distances::Distances(data::Features rows) : rows_(std::move(rows)) {
  if (rows_.is_sparse() && !is_thin(rows_.sparse())) {
    rows_ = data::Features(rows_.to_dense());
  }
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
