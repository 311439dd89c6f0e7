#include "conformal/transductive/known_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "credence/core/error.hpp"
#include "kernel/pairs.hpp"
#include "kernel/simd.hpp"

namespace credence::conformal {
namespace {

std::span<const double> stored_values(const data::Features& rows, std::size_t i) {
  return rows.is_sparse() ? rows.sparse().row_values(i) : rows.dense().row(i);
}

/// @throws Error invalid_data
const data::Features& checked(const data::Features& rows, std::size_t columns) {
  if (rows.columns() != columns)
    refuse_data(fmt::format("the rows have {} columns, but the known examples have {}", rows.columns(), columns));
  check_finite(rows);
  return rows;
}

}  // namespace

void check_finite(const data::Features& rows) {
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    const auto values = stored_values(rows, i);
    if (!std::ranges::all_of(values, [](double value) { return std::isfinite(value); }))
      refuse_data(fmt::format("row {} holds a value that is not a finite number", i + 1));
  }
}

KnownRows::KnownRows(data::Features features, const kernel::Kernel& kernel, const core::Context& context)
    : features_(std::move(features)), kernel_(kernel) {
  const std::size_t bytes = kernel::gram_bytes(size());
  if (bytes + bytes / 2 > context.memory_budget)  // the base values, half a matrix, are there meanwhile
    return;
  const kernel::Base base(kernel_.type, features_, context.threads, context.monitor);
  gram_ = std::make_unique<kernel::Gram>(kernel::Gram::Deferred(), size());
  context.threads.for_each(gram_->blocks(), [&](std::size_t block) {
    if (!context.monitor.should_stop()) gram_->build(block, kernel_, base);
  });
  if (context.monitor.should_stop())
    throw Error(ErrorCode::interrupted, "training was stopped before the kernel matrix was computed");
}

std::unique_ptr<kernel::Rows> KnownRows::rows(const core::Context& context) const {
  const auto threads = static_cast<std::size_t>(context.threads.count());
  return gram_ ? kernel::rows_of(*gram_) : kernel::cached_rows(kernel_, features_, context.memory_budget / threads);
}

NewRows::NewRows(const KnownRows& known, const data::Features& rows)
    : known_(known),
      rows_(checked(rows, known.features().columns())),
      base_(known.kernel().type, known.features(), rows.is_sparse()) {}

float NewRows::own_base(std::size_t row) const {
  if (kernel::pairing_of(known_.kernel().type) != kernel::simd::Pairing::dot_product) return 0;
  const auto x = stored_values(rows_, row);
  return static_cast<float>(std::inner_product(x.begin(), x.end(), x.begin(), 0.0));
}

NewRows::Values NewRows::values(std::size_t first, std::size_t count) const {
  const std::size_t width = base_.width();
  core::AlignedVector<double> base(count * width);
  base_.compute(rows_, first, count, base.data());
  Values result{core::AlignedVector<float>(count * width), std::vector<float>(count), width};
  std::ranges::transform(base, result.with_known.begin(), [](double b) { return static_cast<float>(b); });
  kernel::simd::apply_kernel(known_.kernel(), result.with_known.data(), result.with_known.data(), count * width);
  core::AlignedVector<float> own(kernel::padded(count));
  for (std::size_t k = 0; k < count; ++k) own[k] = own_base(first + k);
  kernel::simd::apply_kernel(known_.kernel(), own.data(), own.data(), own.size());
  for (std::size_t k = 0; k < count; ++k) {
    result.own[k] = own[k];
    const float* values = result.of(k);
    const bool finite = std::all_of(values, values + known_.size(), [](float v) { return std::isfinite(v); });
    if (!finite || !std::isfinite(own[k]))
      refuse_data(fmt::format("the kernel values of row {} are too large to compute with", first + k + 1));
  }
  return result;
}

}  // namespace credence::conformal
