#include "svm/assembly.hpp"

#include <algorithm>
#include <utility>

#include "credence/core/list.hpp"

namespace credence::svm {

SparseMachine sparse_machine(std::span<const double> beta, std::span<const std::size_t> rows, double bias) {
  std::vector<std::pair<std::uint32_t, double>> kept;
  for (std::size_t i = 0; i < beta.size(); ++i)
    if (beta[i] != 0) kept.emplace_back(static_cast<std::uint32_t>(rows.empty() ? i : rows[i]), beta[i]);
  std::ranges::sort(kept);
  SparseMachine machine;
  machine.bias = bias;
  for (const auto& [row, coefficient] : kept) {
    machine.rows.push_back(row);
    machine.coefficients.push_back(coefficient);
  }
  return machine;
}

std::vector<std::size_t> support_of(std::span<const SparseMachine> machines) {
  if (machines.size() == 1) return {machines[0].rows.begin(), machines[0].rows.end()};
  std::vector<bool> used;
  for (const SparseMachine& machine : machines) {
    for (const std::uint32_t row : machine.rows) {
      if (row >= used.size()) used.resize(row + 1);
      used[row] = true;
    }
  }
  return core::numbers_where(used.size(), [&](std::size_t row) { return used[row]; });
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

namespace {

/// One machine at all costs, over the support vectors it has at any of them.
MachineCosts costs_of(std::span<const SparseMachine> machine, std::span<const std::size_t> support_rows) {
  const std::vector<std::size_t> own = support_of(machine);
  MachineCosts costs{positions_in(support_rows, own), data::DenseMatrix(own.size(), machine.size())};
  for (std::size_t c = 0; c < machine.size(); ++c) {
    const std::vector<std::uint32_t> place = positions_in(own, machine[c].rows);
    for (std::size_t a = 0; a < place.size(); ++a) costs.coefficients.row(place[a])[c] = machine[c].coefficients[a];
  }
  return costs;
}

}  // namespace

std::shared_ptr<SvmFamily> family_of(std::vector<SparseMachine> machines, std::size_t layout, std::size_t cost_count) {
  const std::size_t gammas = machines.size() / (layout * cost_count);
  auto family = std::make_shared<SvmFamily>();
  family->cost_count = cost_count;
  family->bias = data::DenseMatrix(gammas, cost_count * layout);
  family->norm = data::DenseMatrix(gammas, cost_count * layout);
  for (std::size_t i = 0; i < machines.size(); ++i) {
    const std::size_t c = i % cost_count;
    const std::size_t m = i / cost_count % layout;
    const std::size_t g = i / cost_count / layout;
    family->bias.row(g)[c * layout + m] = machines[i].bias;
    family->norm.row(g)[c * layout + m] = machines[i].norm;
  }
  family->support_rows = support_of(machines);
  for (std::size_t first = 0; first < machines.size(); first += cost_count)
    family->machines.push_back(costs_of(std::span(machines).subspan(first, cost_count), family->support_rows));
  return family;
}

std::shared_ptr<SvmFamily> family_of(const SvmModel& model) {
  auto family = std::make_shared<SvmFamily>();
  family->kernel = model.kernel;
  family->gammas = {model.kernel.uses_gamma() ? model.kernel.gamma : 0.0};
  family->cost_count = 1;
  family->class_count = model.schema.classes.size();
  family->bias = data::DenseMatrix(1, model.machines.size());
  family->norm = data::DenseMatrix(1, model.machines.size());
  family->support_vectors = model.support_vectors;
  family->support_rows = model.support_rows;
  for (std::size_t m = 0; m < model.machines.size(); ++m) {
    const BinaryMachine& machine = model.machines[m];
    data::DenseMatrix column(machine.coefficients.size(), 1);
    column.values = machine.coefficients;
    family->machines.push_back({machine.support, std::move(column)});
    family->bias.row(0)[m] = machine.bias;
  }
  return family;
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
