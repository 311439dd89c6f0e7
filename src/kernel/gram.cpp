#include "credence/kernel/gram.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "credence/core/error.hpp"
#include "kernel/pairs.hpp"
#include "kernel/simd.hpp"

namespace credence::kernel {
namespace {

constexpr std::size_t block_rows = 64;

std::size_t block_count(std::size_t n) {
  return (n + block_rows - 1) / block_rows;
}

/// Copies the part of a block of rows that lies right of the diagonal to where it stands mirrored, in tiles that fit
/// the first-level cache.
void mirror(SquareMatrix& matrix, std::size_t block) {
  constexpr std::size_t tile = 32;
  const std::size_t end = std::min((block + 1) * block_rows, matrix.n);
  for (std::size_t i0 = block * block_rows; i0 < end; i0 += tile) {
    for (std::size_t j0 = i0; j0 < matrix.n; j0 += tile) {
      for (std::size_t j = j0; j < std::min(j0 + tile, matrix.n); ++j)
        for (std::size_t i = i0; i < std::min({i0 + tile, end, j}); ++i) matrix.row(j)[i] = matrix.row(i)[j];
    }
  }
}

class GramRows final : public Rows {
 public:
  explicit GramRows(const Gram& gram)
      : n_(gram.size()),
        stride_(gram.matrix().stride),
        values_(gram.matrix().values.data()),
        diagonal_(gram.diagonal().data()) {}

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

/// Columns that stand together before and after.
struct Run {
  std::size_t from;
  std::size_t to;
  std::size_t length;
};

/// Mean length of runs from which on they are copied as such.
constexpr std::size_t worth_a_run = 16;

std::vector<Run> runs_of(std::span<const std::size_t> keep) {
  std::vector<Run> runs;
  for (std::size_t b = 0; b < keep.size(); ++b) {
    if (b == 0 || keep[b] != keep[b - 1] + 1) runs.push_back({keep[b], b, 0});
    ++runs.back().length;
  }
  return runs;
}

/// A Gram's rows and columns `keep`, copied together so that passes over them are short.
class GatheredRows final : public Rows {
 public:
  GatheredRows(Rows& rows, std::span<const std::size_t> keep) : matrix_(keep.size()), diagonal_(padded(keep.size())) {
    const std::vector<Run> runs = runs_of(keep);
    const bool long_runs = worth_a_run * runs.size() <= keep.size();
    for (std::size_t a = 0; a < keep.size(); ++a) {
      const float* source = rows.row(keep[a]);
      float* target = matrix_.row(a);
      if (long_runs)
        for (const Run& run : runs) std::copy_n(source + run.from, run.length, target + run.to);
      else
        for (std::size_t b = 0; b < keep.size(); ++b) target[b] = source[keep[b]];
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
                fmt::format("a precomputed kernel needs as many columns as rows, but there are {} rows and {} columns",
                            n, features.columns()));
  }
  const data::DenseMatrix values = features.view().to_dense();
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double a = values.row(i)[j];
      const double b = values.row(j)[i];
      if (!(std::abs(a - b) <= 1e-6 * std::max({1.0, std::abs(a), std::abs(b)}))) {
        throw Error(
            ErrorCode::invalid_data,
            fmt::format(
                "a precomputed kernel must be symmetric, but row {}, column {} is {} and row {}, column {} is {}",
                i + 1, j + 1, a, j + 1, i + 1, b));
      }
    }
  }
}

Base::Base(KernelType type, const data::Features& features, const core::Threads& threads, const core::Monitor& monitor)
    : type_(type), n_(features.rows()), values_(offset(padded(n_))) {
  if (type == KernelType::precomputed) check_precomputed(features);
  const PairRows pairs(type, features);
  threads.for_each(block_count(n_), [&](std::size_t block) {
    PairRows::Scratch scratch;
    for (std::size_t i = block * block_rows; i < std::min((block + 1) * block_rows, n_) && !monitor.should_stop();
         i += 4) {
      pairs.rows(i, std::min<std::size_t>(4, n_ - i), first_column(i), values_.data() + offset(i), row_width(i),
                 scratch);
    }
  });
}

Base::Base(KernelType type, const data::Features& features) : Base(type, features, core::Threads(1), core::Monitor()) {}

Gram::Gram(Deferred, std::size_t n) : matrix_(n), diagonal_(padded(n)) {}

Gram::Gram(const Kernel& kernel, const Base& base) : Gram(Deferred(), base.size()) {
  for (std::size_t block = 0; block < blocks(); ++block) build(block, kernel, base);
}

std::size_t Gram::blocks() const {
  return block_count(matrix_.n);
}

void Gram::build(std::size_t block, const Kernel& kernel, const Base& base) {
  for (std::size_t i = block * block_rows; i < std::min((block + 1) * block_rows, matrix_.n); ++i) {
    float* row = matrix_.row(i);
    simd::apply_kernel(kernel, base.row(i), row + Base::first_column(i), base.row_width(i));
    std::fill(row + matrix_.n, row + matrix_.stride, 0.0F);
    diagonal_[i] = row[i];
  }
  mirror(matrix_, block);
}

std::size_t gram_bytes(std::size_t n) {
  return n * padded(n) * sizeof(float);
}

std::unique_ptr<Rows> rows_of(const Gram& gram) {
  return std::make_unique<GramRows>(gram);
}

}  // namespace credence::kernel
