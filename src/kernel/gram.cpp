#include "credence/kernel/gram.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "credence/core/error.hpp"
#include "kernel/gathered_rows.hpp"
#include "kernel/mirror.hpp"
#include "kernel/pairs.hpp"
#include "kernel/simd.hpp"

namespace credence::kernel {
namespace {

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
  std::unique_ptr<Rows> subset(std::span<const std::size_t> keep) override {
    return std::make_unique<GatheredRows>(*this, keep, nullptr);
  }

 private:
  std::size_t n_;
  std::size_t stride_;
  const float* values_;
  const float* diagonal_;
};

}  // namespace

void check_precomputed(const data::Features& features) {
  const std::size_t n = features.rows();
  if (features.columns() != n) {
    refuse_data(fmt::format("a precomputed kernel needs as many columns as rows, but there are {} rows and {} columns",
                            n, features.columns()));
  }
  const data::DenseMatrix values = features.view().to_dense();
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double a = values.row(i)[j];
      const double b = values.row(j)[i];
      if (!(std::abs(a - b) <= 1e-6 * std::max({1.0, std::abs(a), std::abs(b)}))) {
        refuse_data(fmt::format(
            "a precomputed kernel must be symmetric, but row {}, column {} is {} and row {}, column {} is {} (counted "
            "from 1)",
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
    if (monitor.should_stop()) return;
    const auto place = [&](std::size_t i) {
      return PairRows::Place{values_.data() + offset(i), std::min<std::size_t>(4, n_ - i), row_width(i)};
    };
    pairs.right_of_diagonal(block * block_rows, std::min((block + 1) * block_rows, n_), place, scratch);
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
  mirror(matrix_.n, block, [&](std::size_t i) { return matrix_.row(i); });
}

std::size_t gram_bytes(std::size_t n) {
  return n * padded(n) * sizeof(float);
}

std::unique_ptr<Rows> rows_of(const Gram& gram) {
  return std::make_unique<GramRows>(gram);
}

}  // namespace credence::kernel
