#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "credence/core/error.hpp"
#include "credence/core/list.hpp"
#include "credence/kernel/gram.hpp"
#include "credence/rvm/train.hpp"
#include "credence/svm/model.hpp"
#include "rvm/machine_parts.hpp"

namespace credence::rvm {
namespace {

void check_fits(const data::Dataset& dataset, const data::Features& rows) {
  if (dataset.is_regression())
    data::check_trainable_regression(dataset);
  else
    data::check_trainable(dataset);
  if (!dataset.weights.empty()) refuse_data("relevance vector machines take no sample weights", {dataset.source});
  if (rows.rows() != dataset.rows())
    refuse("the number of preprocessed rows differs from the number of rows in the data set");
}

/// Copies some columns of the rows, which hold kernel values, to the columns from 1 on.
void copy_given(const data::Features& rows, const std::vector<std::size_t>& columns, Basis& basis) {
  const data::DenseMatrix made = rows.is_sparse() ? rows.to_dense() : data::DenseMatrix();
  const data::DenseMatrix& values = rows.is_sparse() ? made : rows.dense();
  for (std::size_t m = 0; m < columns.size(); ++m)
    for (std::size_t n = 0; n < basis.rows; ++n) basis.column(m + 1)[n] = values.row(n)[columns[m]];
}

}  // namespace

std::vector<std::vector<double>> machine_targets(const data::Dataset& dataset) {
  if (dataset.is_regression()) return {dataset.targets};
  return core::mapped(svm::one_against_rest(dataset.class_count()), [&](const svm::BinaryMachine& machine) {
    return core::mapped(dataset.labels, [&](int label) { return label == machine.positive ? 1.0 : 0.0; });
  });
}

Problem make_problem(const data::Dataset& dataset, data::Features rows, kernel::KernelType type,
                     std::optional<std::size_t> centres, std::uint64_t seed) {
  check_fits(dataset, rows);
  Problem problem;
  problem.task = dataset.schema.task;
  problem.precomputed = type == kernel::KernelType::precomputed;
  if (problem.precomputed) kernel::check_precomputed(rows);
  problem.centre_rows = candidate_centres(rows, dataset, centres.value_or(default_centres(rows.rows())), seed);
  problem.targets = machine_targets(dataset);
  problem.positive = dataset.is_regression()
                         ? std::vector{0}
                         : core::mapped(svm::one_against_rest(dataset.class_count()), &svm::BinaryMachine::positive);
  problem.rows = std::move(rows);
  return problem;
}

Basis basis_of(const Problem& problem, const kernel::Kernel& kernel) {
  if ((kernel.type == kernel::KernelType::precomputed) != problem.precomputed) {
    refuse(problem.precomputed ? "kernel values are given, so the kernel must be precomputed"
                               : "features are given, so the kernel must not be precomputed");
  }
  Basis basis(problem.rows.rows(), problem.centre_rows.size() + 1);
  std::fill_n(basis.column(0), basis.rows, 1.0);
  if (problem.precomputed) {
    copy_given(problem.rows, problem.centre_rows, basis);
    return basis;
  }
  // Kernels are symmetric to the last bit, so a centre's row of kernel values is a column of the basis.
  constexpr std::size_t block = 128;
  const auto all = std::span(problem.centre_rows);
  for (std::size_t first = 0; first < all.size(); first += block) {
    const auto some = all.subspan(first, std::min(block, all.size() - first));
    const data::DenseMatrix values = kernel::kernel_block(kernel, problem.rows.select_rows(some), problem.rows);
    std::ranges::copy(values.values, basis.column(first + 1));
  }
  return basis;
}

}  // namespace credence::rvm
