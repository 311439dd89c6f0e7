#include "svm/assembly.hpp"

#include <algorithm>
#include <utility>

namespace credence::svm {

SparseMachine sparse_machine(std::span<const double> beta, std::span<const std::size_t> rows, double bias) {
  std::vector<std::pair<std::uint32_t, double>> kept;
  for (std::size_t i = 0; i < beta.size(); ++i)
    if (beta[i] != 0) kept.emplace_back(static_cast<std::uint32_t>(rows.empty() ? i : rows[i]), beta[i]);
  std::sort(kept.begin(), kept.end());
  SparseMachine machine;
  machine.bias = bias;
  for (const auto& [row, coefficient] : kept) {
    machine.rows.push_back(row);
    machine.coefficients.push_back(coefficient);
  }
  return machine;
}

std::vector<std::size_t> support_of(std::span<const SparseMachine> machines) {
  std::vector<bool> used;
  for (const SparseMachine& machine : machines) {
    for (const std::uint32_t row : machine.rows) {
      if (row >= used.size()) used.resize(row + 1);
      used[row] = true;
    }
  }
  std::vector<std::size_t> support;
  for (std::size_t row = 0; row < used.size(); ++row)
    if (used[row]) support.push_back(row);
  return support;
}

void assemble(std::vector<SparseMachine> machines, SvmModel& model) {
  model.support_rows = support_of(machines);
  for (std::size_t m = 0; m < machines.size(); ++m) {
    BinaryMachine& machine = model.machines[m];
    machine.support = positions_in(model.support_rows, machines[m].rows);
    machine.coefficients = std::move(machines[m].coefficients);
    machine.bias = machines[m].bias;
  }
}

data::Features own_problem(const data::Features& features, std::span<const std::size_t> rows, kernel::KernelType type) {
  // Each row once, in order: a bootstrap sample has as many rows, but some of them twice.
  bool all = rows.size() == features.rows();
  for (std::size_t i = 0; all && i < rows.size(); ++i) all = rows[i] == i;
  if (type != kernel::KernelType::precomputed) return all ? features.view() : features.select_rows(rows);
  if (all && !features.is_sparse()) return features.view();
  const data::DenseMatrix values = features.view().to_dense();
  data::DenseMatrix part(rows.size(), rows.size());
  for (std::size_t a = 0; a < rows.size(); ++a)
    for (std::size_t b = 0; b < rows.size(); ++b) part.row(a)[b] = values.row(rows[a])[rows[b]];
  return part;
}

}  // namespace credence::svm
