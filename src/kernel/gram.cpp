#include "credence/kernel/gram.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "credence/core/error.hpp"
#include "kernel/pairs.hpp"
#include "kernel/simd.hpp"

namespace credence::kernel {
namespace {

constexpr std::size_t rows_at_once = 64;

/// Copies the part above the diagonal below it, in tiles that fit the first-level cache.
void mirror(SquareMatrix& matrix, const core::Monitor& monitor) {
  constexpr std::size_t tile = 32;
  for (std::size_t i0 = 0; i0 < matrix.n && !monitor.should_stop(); i0 += tile) {
    for (std::size_t j0 = i0; j0 < matrix.n; j0 += tile) {
      for (std::size_t i = i0; i < std::min(i0 + tile, matrix.n); ++i) {
        for (std::size_t j = std::max(j0, i + 1); j < std::min(j0 + tile, matrix.n); ++j) {
          matrix.row(j)[i] = matrix.row(i)[j];
        }
      }
    }
  }
}

class GramRows final : public Rows {
 public:
  explicit GramRows(const Gram& gram)
      : n_(gram.size()), stride_(gram.matrix().stride), values_(gram.matrix().values.data()), diagonal_(gram.diagonal().data()) {}

  std::size_t size() const override { return n_; }
  const float* row(std::size_t i) override { return values_ + i * stride_; }
  const float* diagonal() const override { return diagonal_; }
  std::unique_ptr<Rows> subset(std::span<const std::size_t> keep) override;

 private:
  std::size_t n_;
  std::size_t stride_;
  const float* values_;
  const float* diagonal_;
};

/// A Gram's rows and columns `keep`, copied together so that passes over them are short.
class GatheredRows final : public Rows {
 public:
  GatheredRows(Rows& rows, std::span<const std::size_t> keep) : matrix_(keep.size()), diagonal_(padded(keep.size())) {
    for (std::size_t a = 0; a < keep.size(); ++a) {
      const float* source = rows.row(keep[a]);
      float* target = matrix_.row(a);
      for (std::size_t b = 0; b < keep.size(); ++b) {
        target[b] = source[keep[b]];
      }
      std::fill(target + keep.size(), target + matrix_.stride, 0.0F);
      diagonal_[a] = rows.diagonal()[keep[a]];
    }
  }

  std::size_t size() const override { return matrix_.n; }
  const float* row(std::size_t i) override { return matrix_.row(i); }
  const float* diagonal() const override { return diagonal_.data(); }
  std::unique_ptr<Rows> subset(std::span<const std::size_t> keep) override {
    return std::make_unique<GatheredRows>(*this, keep);
  }

 private:
  SquareMatrix matrix_;
  core::AlignedVector<float> diagonal_;
};

std::unique_ptr<Rows> GramRows::subset(std::span<const std::size_t> keep) {
  return std::make_unique<GatheredRows>(*this, keep);
}

}  // namespace

void check_precomputed(const data::Features& features) {
  const std::size_t n = features.rows();
  if (features.columns() != n) {
    throw Error(ErrorCode::invalid_data,
                fmt::format("a precomputed kernel needs as many columns as rows, but there are {} rows and {} columns", n,
                            features.columns()));
  }
  const data::DenseMatrix values = features.to_dense();
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double a = values.row(i)[j];
      const double b = values.row(j)[i];
      if (!(std::abs(a - b) <= 1e-6 * std::max({1.0, std::abs(a), std::abs(b)}))) {
        throw Error(ErrorCode::invalid_data,
                    fmt::format("a precomputed kernel must be symmetric, but row {}, column {} is {} and row {}, column {} is {}",
                                i + 1, j + 1, a, j + 1, i + 1, b));
      }
    }
  }
}

Base::Base(KernelType type, const data::Features& features, const core::Threads& threads, const core::Monitor& monitor)
    : type_(type), matrix_(features.rows()) {
  if (type == KernelType::precomputed) {
    check_precomputed(features);
  }
  const PairRows pairs(type, features);
  const std::size_t n = matrix_.n;
  threads.for_each((n + rows_at_once - 1) / rows_at_once, [&](std::size_t block) {
    if (monitor.should_stop()) {
      return;
    }
    PairRows::Scratch scratch;
    for (std::size_t i = block * rows_at_once; i < std::min((block + 1) * rows_at_once, n); i += 4) {
      pairs.rows(i, std::min<std::size_t>(4, n - i), i / row_padding * row_padding, matrix_.row(i), scratch);
    }
  });
  mirror(matrix_, monitor);
}

Base::Base(KernelType type, const data::Features& features)
    : Base(type, features, core::Threads(1), core::Monitor()) {}

Gram::Gram(const Kernel& kernel, const Base& base) : Gram(kernel, base, core::Monitor()) {}

Gram::Gram(const Kernel& kernel, const Base& base, const core::Monitor& monitor)
    : matrix_(base.matrix().n), diagonal_(padded(matrix_.n)) {
  for (std::size_t i = 0; i < matrix_.n && !monitor.should_stop(); ++i) {
    const std::size_t first = i / row_padding * row_padding;
    float* row = matrix_.row(i);
    simd::apply_kernel(kernel, base.matrix().row(i) + first, row + first, matrix_.stride - first);
    std::fill(row + matrix_.n, row + matrix_.stride, 0.0F);
    diagonal_[i] = row[i];
  }
  mirror(matrix_, monitor);
}

std::size_t gram_bytes(std::size_t n) { return n * padded(n) * sizeof(float); }

std::unique_ptr<Rows> rows_of(const Gram& gram) { return std::make_unique<GramRows>(gram); }

}  // namespace credence::kernel
