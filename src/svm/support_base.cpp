#include "svm/support_base.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "credence/core/error.hpp"

namespace credence::svm {
namespace {

void check_columns(bool precomputed, const data::Features& support_vectors, std::span<const std::size_t> support_rows,
                   const data::Features& rows) {
  if (support_rows.empty()) return;
  const std::size_t needed = precomputed ? *std::ranges::max_element(support_rows) + 1 : support_vectors.columns();
  if (precomputed ? rows.columns() < needed : rows.columns() != needed)
    refuse_data(fmt::format("the model needs rows of {} numbers, but they have {}", needed, rows.columns()));
}

}  // namespace

SupportBase::SupportBase(kernel::KernelType type, const data::Features& support_vectors,
                         std::span<const std::size_t> support_rows, const data::Features& rows)
    : rows_(rows), support_rows_(support_rows) {
  const bool precomputed = type == kernel::KernelType::precomputed;
  check_columns(precomputed, support_vectors, support_rows, rows);
  if (!precomputed && !support_rows.empty()) block_.emplace(type, support_vectors, rows.is_sparse());
}

std::size_t SupportBase::width() const {
  return kernel::padded(support_rows_.size());
}

void SupportBase::compute(std::size_t first, std::size_t count, double* out) const {
  if (block_)
    block_->compute(rows_, first, count, out);
  else
    gather(first, count, out);
}

void SupportBase::gather(std::size_t first, std::size_t count, double* out) const {
  std::fill(out, out + count * width(), 0.0);
  std::vector<double> values(rows_.columns(), 0.0);
  for (std::size_t r = 0; r < count; ++r) {
    std::span<const double> row = values;
    if (rows_.is_sparse()) {
      std::ranges::fill(values, 0.0);
      const auto indices = rows_.sparse().row_indices(first + r);
      const auto given = rows_.sparse().row_values(first + r);
      for (std::size_t k = 0; k < indices.size(); ++k) values[indices[k]] = given[k];
    } else {
      row = rows_.dense().row(first + r);
    }
    for (std::size_t s = 0; s < support_rows_.size(); ++s) out[r * width() + s] = row[support_rows_[s]];
  }
}

void refuse_undecided() {
  refuse_data("the features of a row are so large that its kernel values are not finite, so the row has no prediction");
}

}  // namespace credence::svm
