#include "svm/guests.hpp"

#include <algorithm>
#include <cstdint>

namespace credence::svm {
namespace {

bool same_vector(const data::Features& a, std::size_t i, const data::Features& b, std::size_t j) {
  if (!a.is_sparse()) return std::ranges::equal(a.dense().row(i), b.dense().row(j));
  return std::ranges::equal(a.sparse().row_indices(i), b.sparse().row_indices(j)) &&
         std::ranges::equal(a.sparse().row_values(i), b.sparse().row_values(j));
}

data::Features with_rows(const data::Features& features, const data::Features& more,
                         const std::vector<std::size_t>& rows) {
  if (rows.empty()) return features.view();
  data::Features all = features;
  all.own();
  const data::Features added = more.select_rows(rows);
  if (!all.is_sparse()) {
    data::DenseMatrix joined(all.rows() + added.rows(), all.columns());
    std::ranges::copy(all.stored(), joined.values.begin());
    std::ranges::copy(added.stored(), joined.values.begin() + static_cast<std::ptrdiff_t>(all.stored().size()));
    return joined;
  }
  data::SparseMatrix& joined = all.sparse();
  for (std::size_t i = 0; i < added.rows(); ++i) {
    const auto indices = added.sparse().row_indices(i);
    const auto values = added.sparse().row_values(i);
    joined.indices.insert(joined.indices.end(), indices.begin(), indices.end());
    joined.values.insert(joined.values.end(), values.begin(), values.end());
    joined.offsets.push_back(joined.indices.size());
  }
  joined.rows += added.rows();
  return all;
}

bool same_kernel(const kernel::Kernel& kernel, const SvmFamily& family) {
  const kernel::Kernel& other = family.kernel;
  return kernel.type == other.type && kernel.coef0 == other.coef0 && kernel.degree == other.degree &&
         family.gammas.size() == 1 && (!kernel.uses_gamma() || kernel.gamma == family.gammas.front());
}

}  // namespace

std::optional<Guests> guests_of(const SvmModel& model, const SvmFamily& family) {
  const data::Features& own = model.support_vectors;
  const data::Features& theirs = family.support_vectors;
  if (!same_kernel(model.kernel, family) || family.is_precomputed() || own.is_sparse() != theirs.is_sparse() ||
      own.columns() != theirs.columns())
    return std::nullopt;
  Guests guests{model.machines, {}, family.support_rows};
  std::vector<std::uint32_t> place;    // of each support vector of the model
  std::vector<std::size_t> own_alone;  // support vectors that no machine of the family has
  for (std::size_t i = 0; i < model.support_count(); ++i) {
    const std::size_t row = model.support_rows[i];
    const auto at =
        static_cast<std::size_t>(std::ranges::lower_bound(family.support_rows, row) - family.support_rows.begin());
    const bool shared =
        at < family.support_rows.size() && family.support_rows[at] == row && same_vector(own, i, theirs, at);
    place.push_back(static_cast<std::uint32_t>(shared ? at : guests.rows.size()));
    if (shared) continue;
    own_alone.push_back(i);
    guests.rows.push_back(row);
  }
  guests.vectors = with_rows(theirs, own, own_alone);
  for (BinaryMachine& machine : guests.machines)
    for (std::uint32_t& vector : machine.support) vector = place[vector];
  return guests;
}

}  // namespace credence::svm
