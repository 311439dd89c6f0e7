#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "credence/core/list.hpp"
#include "credence/svm/family.hpp"
#include "credence/svm/model.hpp"

/// Solved machines, and the one way in which models and families are made from them.
namespace credence::svm {

/// A machine as coefficients of the rows of a data set.
struct SparseMachine {
  std::vector<std::uint32_t> rows{};   ///< rows whose coefficient is not 0
  std::vector<double> coefficients{};  ///< of each of these rows
  double bias = 0;
  double norm = 0;  ///< |w|; 0 where nobody asks for it
};

/// Returns the machine with its rows ascending.
/// @param rows  the row of each beta; empty: beta i belongs to row i
SparseMachine sparse_machine(std::span<const double> beta, std::span<const std::size_t> rows, double bias);

/// Returns the rows that any of the machines needs, ascending.
std::vector<std::size_t> support_of(std::span<const SparseMachine> machines);

/// Returns the position of each row in an ascending list that has all of them.
std::vector<std::uint32_t> positions_in(std::span<const std::size_t> all, const auto& rows) {
  return core::mapped(rows, [&](std::size_t row) {
    return static_cast<std::uint32_t>(std::ranges::lower_bound(all, row) - all.begin());
  });
}

/// Fills `support_rows` and, for each machine of the layout that the model has, support, coefficients and bias.
void assemble(std::vector<SparseMachine> machines, SvmModel& model);

/// Puts machines into one family: fills support rows, machines, biases and norms.
/// @param machines  (gamma, machine, cost), cost fastest  @param layout  machines of each gamma and cost
std::shared_ptr<SvmFamily> family_of(std::vector<SparseMachine> machines, std::size_t layout, std::size_t cost_count);

/// Returns a part of the rows as a problem of its own: of a precomputed kernel, the values of these rows with each
/// other. A row may be given more than once. A part of all rows in order is a view (data::Features::view), which the
/// features must outlive.
data::Features own_problem(const data::Features& features, std::span<const std::size_t> rows, kernel::KernelType type);

}  // namespace credence::svm
