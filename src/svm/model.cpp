#include "credence/svm/model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "credence/core/error.hpp"

namespace credence::svm {
namespace {

constexpr std::size_t block_rows = 256;

/// K(rows first.., support vectors) of one block of rows.
data::DenseMatrix support_kernel(const SvmModel& model, const data::Features& rows, std::size_t first,
                                 std::size_t count) {
  std::vector<std::size_t> chosen(count);
  std::iota(chosen.begin(), chosen.end(), first);
  const data::Features block = rows.select_rows(chosen);
  if (model.kernel.type != kernel::KernelType::precomputed) {
    return kernel::kernel_block(model.kernel, block, model.support_vectors);
  }
  const data::DenseMatrix values = block.to_dense();
  data::DenseMatrix out(count, model.support_count());
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t s = 0; s < model.support_count(); ++s) {
      out.row(i)[s] = values.row(i)[model.support_rows[s]];
    }
  }
  return out;
}

double decision(const BinaryMachine& machine, std::span<const double> kernel_row) {
  double sum = machine.bias;
  for (std::size_t k = 0; k < machine.support.size(); ++k) {
    sum += machine.coefficients[k] * kernel_row[machine.support[k]];
  }
  return sum;
}

std::size_t expected_columns(const SvmModel& model) {
  if (model.kernel.type != kernel::KernelType::precomputed) {
    return model.support_vectors.columns();
  }
  return model.support_rows.empty() ? 0 : *std::max_element(model.support_rows.begin(), model.support_rows.end()) + 1;
}

}  // namespace

int vote(std::span<const double> decisions, std::span<const BinaryMachine> machines, std::size_t classes) {
  std::vector<int> votes(classes, 0);
  for (std::size_t m = 0; m < machines.size(); ++m) {
    ++votes[static_cast<std::size_t>(decisions[m] > 0 ? machines[m].positive : machines[m].negative)];
  }
  return static_cast<int>(std::max_element(votes.begin(), votes.end()) - votes.begin());
}

std::vector<BinaryMachine> machine_layout(std::size_t classes) {
  if (classes == 2) {
    return {BinaryMachine{1, 0, {}, {}, 0}};
  }
  std::vector<BinaryMachine> machines;
  for (std::size_t a = 0; a < classes; ++a) {
    for (std::size_t b = a + 1; b < classes; ++b) {
      machines.push_back({static_cast<int>(a), static_cast<int>(b), {}, {}, 0});
    }
  }
  return machines;
}

model::Prediction SvmModel::predict_preprocessed(const data::Features& rows, const core::Context& context) const {
  const std::size_t needed = expected_columns(*this);
  const bool fits = kernel.type == kernel::KernelType::precomputed ? rows.columns() >= needed
                                                                   : rows.columns() == needed || support_count() == 0;
  if (!fits) {
    throw Error(ErrorCode::invalid_data,
                fmt::format("the model needs rows of {} numbers, but they have {}", needed, rows.columns()));
  }
  const std::size_t n = rows.rows();
  model::Prediction prediction;
  prediction.label.resize(n);
  prediction.decision = data::DenseMatrix(n, machines.size());
  const std::size_t blocks = (n + block_rows - 1) / block_rows;
  context.threads.for_each(blocks, [&](std::size_t b) {
    const std::size_t first = b * block_rows;
    const std::size_t count = std::min(block_rows, n - first);
    const data::DenseMatrix kernel_values = support_kernel(*this, rows, first, count);
    for (std::size_t i = 0; i < count; ++i) {
      const auto decisions = prediction.decision.row(first + i);
      for (std::size_t m = 0; m < machines.size(); ++m) {
        decisions[m] = decision(machines[m], kernel_values.row(i));
      }
      prediction.label[first + i] = vote(decisions, machines, schema.classes.size());
    }
  });
  return prediction;
}

}  // namespace credence::svm
