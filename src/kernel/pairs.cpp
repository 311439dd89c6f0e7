#include "kernel/pairs.hpp"

#include <algorithm>
#include <cmath>

#include "credence/core/list.hpp"

namespace credence::kernel {

simd::Pairing pairing_of(KernelType type) {
  switch (type) {
    case KernelType::rbf:
      return simd::Pairing::squared_distance;
    case KernelType::laplacian:
      return simd::Pairing::manhattan_distance;
    case KernelType::linear:
    case KernelType::polynomial:
    case KernelType::sigmoid:
    case KernelType::precomputed:
      break;
  }
  return simd::Pairing::dot_product;
}

core::AlignedVector<double> panels_of(const data::DenseMatrix& rows) {
  core::AlignedVector<double> values(rows.columns * padded(rows.rows));
  for (std::size_t i = 0; i < rows.rows; ++i) {
    double* first = values.data() + simd::Pairs::place(i, rows.columns);
    for (std::size_t f = 0; f < rows.columns; ++f) first[f * row_padding] = rows.values[i * rows.columns + f];
  }
  return values;
}

namespace {

bool stand_together(std::span<float* const> rows, std::size_t width) {
  for (std::size_t r = 1; r < rows.size(); ++r)
    if (rows[r] != rows[0] + r * width) return false;
  return true;
}

}  // namespace

PairRows::PairRows(KernelType type, const data::Features& features) : type_(type), n_(features.rows()) {
  if (type == KernelType::precomputed) {
    features_ = data::Features(features.to_dense());
    given_columns_ = core::numbers_below(n_);
  } else if (features.is_sparse()) {
    set_sparse(features);
  } else {
    set_dense(features.dense());
  }
}

void PairRows::set_dense(data::DenseMatrix rows) {
  panels_ = panels_of(rows);
  features_ = std::move(rows);
}

void PairRows::set_sparse(data::Features rows) {
  features_ = std::move(rows);
  for (std::size_t i = 0; i < n_; ++i) {
    const auto values = features_.sparse().row_values(i);
    double norm = 0;
    for (const double value : values)  // as in sparse_pair, to the last bit
      norm += type_ == KernelType::laplacian ? std::abs(value) : value * value;
    norms_.push_back(norm);
  }
}

/// Columns of features of which 256 kB hold all rows' values; sparse and given rows have no columns to be kept.
std::size_t PairRows::tile_width() const {
  if (type_ == KernelType::precomputed || features_.is_sparse()) return padded(n_);
  constexpr std::size_t numbers = (std::size_t{256} << 10) / sizeof(double);
  const std::size_t width = numbers / std::max<std::size_t>(features_.columns(), 1);
  return std::max<std::size_t>(width / row_padding, 4) * row_padding;
}

void PairRows::right_of_diagonal(std::size_t begin, std::size_t end, const std::function<Place(std::size_t)>& place,
                                 Scratch& scratch) const {
  const auto first_column = [](std::size_t i) { return i / row_padding * row_padding; };
  const std::size_t width = padded(n_);
  const std::size_t tile = tile_width();
  for (std::size_t from = first_column(begin); from < width; from += tile) {
    const std::size_t to = std::min(from + tile, width);
    for (std::size_t i = begin, count = 0; i < end; i += count) {
      const Place at = place(i);
      count = at.count;
      const std::size_t first = std::max(first_column(i), from);
      if (first < to) rows(i, count, first, to, at.out + (first - first_column(i)), at.stride, scratch);
    }
  }
}

void PairRows::rows(std::size_t first_row, std::size_t count, std::size_t first, std::size_t last, float* out,
                    std::size_t stride, Scratch& scratch) const {
  const std::size_t width = padded(n_);
  if (type_ == KernelType::precomputed) {
    for (std::size_t r = 0; r < count; ++r) {
      const auto given = features_.dense().row(first_row + r);
      for (std::size_t j = first; j < n_; ++j)
        out[r * stride + j - first] = static_cast<float>(given[given_columns_[j]]);
    }
  } else if (features_.is_sparse()) {
    scratch.scattered.resize(features_.columns(), 0.0);
    for (std::size_t r = 0; r < count; ++r) sparse_row(first_row + r, first, out + r * stride, scratch.scattered);
  } else {
    const data::DenseMatrix& dense = features_.dense();
    simd::pair_rows({pairing_of(type_), panels_.data(), dense.columns}, dense.values.data() + first_row * dense.columns,
                    count, first, last, out, stride);
  }
  if (last < width) return;
  const std::size_t behind = std::max(first, n_);
  for (std::size_t r = 0; r < count; ++r)
    std::fill(out + r * stride + (behind - first), out + r * stride + (width - first), 0.0F);
}

void PairRows::whole_rows(std::span<const std::size_t> which, std::span<float* const> out, Scratch& scratch) const {
  const std::size_t width = padded(n_);
  if (type_ == KernelType::precomputed || features_.is_sparse()) {
    for (std::size_t k = 0; k < which.size(); ++k) rows(which[k], 1, 0, out[k], width, scratch);
    return;
  }
  const data::DenseMatrix& dense = features_.dense();
  const std::size_t d = dense.columns;
  const std::size_t tile = tile_width();
  const simd::Pairs against{pairing_of(type_), panels_.data(), d};
  scratch.four.resize(4 * d);
  scratch.out.resize(4 * tile);
  for (std::size_t from = 0; from < width; from += tile) {
    const std::size_t to = std::min(from + tile, width);
    for (std::size_t k = 0; k < which.size(); k += 4) {
      const std::size_t count = std::min<std::size_t>(4, which.size() - k);
      for (std::size_t r = 0; r < count; ++r)
        std::copy_n(dense.values.data() + which[k + r] * d, d, scratch.four.data() + r * d);
      if (stand_together(out.subspan(k, count), width)) {
        simd::pair_rows(against, scratch.four.data(), count, from, to, out[k] + from, width);
        continue;
      }
      simd::pair_rows(against, scratch.four.data(), count, from, to, scratch.out.data(), tile);
      for (std::size_t r = 0; r < count; ++r) std::copy_n(scratch.out.data() + r * tile, to - from, out[k + r] + from);
    }
  }
  for (std::size_t k = 0; k < which.size(); ++k) std::fill(out[k] + n_, out[k] + width, 0.0F);
}

void PairRows::sparse_row(std::size_t i, std::size_t first, float* out, std::vector<double>& scattered) const {
  const data::SparseMatrix& matrix = features_.sparse();
  const auto indices = matrix.row_indices(i);
  const auto values = matrix.row_values(i);
  for (std::size_t k = 0; k < indices.size(); ++k) scattered[indices[k]] = values[k];
  for (std::size_t j = first; j < n_; ++j) out[j - first] = static_cast<float>(sparse_pair(i, j, scattered));
  for (const std::uint32_t index : indices) scattered[index] = 0;
}

/// base(i, j) for the scattered row i, by sums over the indices that both rows have: the same bits for (j, i).
double PairRows::sparse_pair(std::size_t i, std::size_t j, const std::vector<double>& scattered) const {
  const auto indices = features_.sparse().row_indices(j);
  const auto values = features_.sparse().row_values(j);
  double sum = 0;
  if (type_ == KernelType::laplacian) {
    // |x - z| is |x| + |z| where one of them is 0.
    for (std::size_t k = 0; k < indices.size(); ++k) {
      const double x = scattered[indices[k]];
      sum += std::abs(x - values[k]) - (std::abs(x) + std::abs(values[k]));
    }
    return std::max(0.0, norms_[i] + norms_[j] + sum);
  }
  for (std::size_t k = 0; k < indices.size(); ++k) sum += scattered[indices[k]] * values[k];
  return pairing_of(type_) == simd::Pairing::squared_distance ? std::max(0.0, norms_[i] + norms_[j] - 2 * sum) : sum;
}

PairRows PairRows::subset(std::span<const std::size_t> keep) const {
  PairRows result;
  result.type_ = type_;
  result.n_ = keep.size();
  data::Features chosen = features_.select_rows(keep);
  if (type_ == KernelType::precomputed) {
    result.features_ = std::move(chosen);
    for (const std::size_t k : keep) result.given_columns_.push_back(given_columns_[k]);
  } else if (chosen.is_sparse()) {
    result.set_sparse(std::move(chosen));
  } else {
    result.set_dense(std::move(chosen.dense()));
  }
  return result;
}

std::vector<float> PairRows::diagonal() const {
  std::vector<float> diagonal(n_, 0.0F);
  if (pairing_of(type_) != simd::Pairing::dot_product) return diagonal;
  Scratch scratch;
  core::AlignedVector<float> near(row_padding);
  for (std::size_t i = 0; i < n_; ++i) {
    if (type_ == KernelType::precomputed) {
      diagonal[i] = static_cast<float>(features_.dense().row(i)[given_columns_[i]]);
    } else if (features_.is_sparse()) {
      diagonal[i] = static_cast<float>(norms_[i]);
    } else {
      // As in a row, to the last bit.
      rows(i, 1, i / row_padding * row_padding, i / row_padding * row_padding + row_padding, near.data(), row_padding,
           scratch);
      diagonal[i] = near[i % row_padding];
    }
  }
  return diagonal;
}

}  // namespace credence::kernel
