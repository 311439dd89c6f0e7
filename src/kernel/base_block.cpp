#include "kernel/base_block.hpp"

#include <algorithm>
#include <numeric>

#include "kernel/pairs.hpp"
#include "kernel/simd.hpp"

namespace credence::kernel {
namespace {

double squared_norm(std::span<const double> x) {
  return std::inner_product(x.begin(), x.end(), x.begin(), 0.0);
}

/// Some rows of a sparse matrix, dense.
std::vector<double> spread(const data::SparseMatrix& rows, std::size_t first, std::size_t count) {
  std::vector<double> values(count * rows.columns, 0.0);
  for (std::size_t r = 0; r < count; ++r) {
    const auto indices = rows.row_indices(first + r);
    const auto given = rows.row_values(first + r);
    for (std::size_t k = 0; k < indices.size(); ++k) values[r * rows.columns + indices[k]] = given[k];
  }
  return values;
}

}  // namespace

BaseBlock::BaseBlock(KernelType type, const data::Features& fixed, bool sparse_rows)
    : type_(type), fixed_(fixed), sparse_(sparse_rows && fixed.is_sparse() && type != KernelType::laplacian) {
  if (!sparse_)
    panels_ = panels_of(fixed.is_sparse() ? fixed.to_dense() : fixed.dense());
  else if (pairing_of(type) == simd::Pairing::squared_distance)
    for (std::size_t j = 0; j < fixed.rows(); ++j) squared_norms_.push_back(squared_norm(fixed.sparse().row_values(j)));
}

void BaseBlock::compute(const data::Features& rows, std::size_t first, std::size_t count, double* out) const {
  if (sparse_) {
    std::vector<double> scattered(rows.columns(), 0.0);
    for (std::size_t r = 0; r < count; ++r) sparse_row(rows.sparse(), first + r, scattered, out + r * width());
  } else if (rows.is_sparse()) {
    compute_dense(spread(rows.sparse(), first, count).data(), count, out);
  } else {
    compute_dense(rows.dense().values.data() + first * rows.columns(), count, out);
  }
}

void BaseBlock::compute_dense(const double* rows, std::size_t count, double* out) const {
  // A tile of the fixed set stays in the second-level cache while all rows of a block pass over it.
  constexpr std::size_t tile_values = 65536;
  const std::size_t d = fixed_.columns();
  const std::size_t tile = std::max(row_padding, tile_values / std::max<std::size_t>(1, d) / row_padding * row_padding);
  const simd::Pairs against{pairing_of(type_), panels_.data(), d};
  for (std::size_t first = 0; first < width(); first += tile) {
    for (std::size_t r = 0; r < count; r += 4) {
      simd::pair_rows(against, rows + r * d, std::min<std::size_t>(4, count - r), first,
                      std::min(first + tile, width()), out + r * width() + first, width());
    }
  }
}

/// Dot products, or |x|^2 + |z_j|^2 - 2 x'z_j, never below 0. `scattered` is all 0 before and after.
void BaseBlock::sparse_row(const data::SparseMatrix& rows, std::size_t i, std::vector<double>& scattered,
                           double* out) const {
  const auto indices = rows.row_indices(i);
  const auto values = rows.row_values(i);
  for (std::size_t k = 0; k < indices.size(); ++k) scattered[indices[k]] = values[k];
  const double own_norm = squared_norm(values);
  const data::SparseMatrix& fixed = fixed_.sparse();
  for (std::size_t j = 0; j < fixed.rows; ++j) {
    const auto other = fixed.row_indices(j);
    const auto other_values = fixed.row_values(j);
    double dot = 0;
    for (std::size_t k = 0; k < other.size(); ++k) dot += scattered[other[k]] * other_values[k];
    out[j] = squared_norms_.empty() ? dot : std::max(0.0, own_norm + squared_norms_[j] - 2 * dot);
  }
  std::fill(out + fixed.rows, out + width(), 0.0);
  for (const std::uint32_t index : indices) scattered[index] = 0;
}

}  // namespace credence::kernel
