#include "credence/svm/model.hpp"

#include <algorithm>
#include <cmath>

#include "credence/core/aligned.hpp"
#include "credence/core/error.hpp"
#include "credence/svm/family.hpp"
#include "kernel/simd.hpp"
#include "svm/support_base.hpp"

namespace credence::svm {
namespace {

constexpr std::size_t block_rows = 256;

double decision(const BinaryMachine& machine, std::span<const double> kernel_row) {
  double sum = machine.bias;
  for (std::size_t k = 0; k < machine.support.size(); ++k) {
    sum += machine.coefficients[k] * kernel_row[machine.support[k]];
  }
  return sum;
}

}  // namespace

int vote(std::span<const double> decisions, std::span<const BinaryMachine> machines, std::size_t classes) {
  if (machines.size() == 1) {
    return decisions[0] > 0 ? machines[0].positive : machines[0].negative;
  }
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
  const SupportBase base(kernel.type, support_vectors, support_rows, rows);
  const std::size_t n = rows.rows();
  model::Prediction prediction;
  prediction.label.resize(n);
  prediction.decision = data::DenseMatrix(n, machines.size());
  prediction.score = data::DenseMatrix(n, schema.classes.size());
  const std::size_t blocks = (n + block_rows - 1) / block_rows;
  context.threads.for_each(blocks, [&](std::size_t b) {
    if (context.monitor.should_stop()) {
      throw Error(ErrorCode::interrupted, "prediction was stopped before all rows had their labels");
    }
    const std::size_t first = b * block_rows;
    const std::size_t count = std::min(block_rows, n - first);
    core::AlignedVector<double> kernel_values(count * base.width());
    base.compute(first, count, kernel_values.data());
    kernel::simd::apply_kernel(kernel, kernel_values.data(), kernel_values.data(), kernel_values.size());
    for (std::size_t i = 0; i < count; ++i) {
      const auto decisions = prediction.decision.row(first + i);
      for (std::size_t m = 0; m < machines.size(); ++m) {
        decisions[m] = decision(machines[m], {kernel_values.data() + i * base.width(), base.width()});
        if (std::isnan(decisions[m])) {
          refuse_undecided();
        }
      }
      prediction.label[first + i] = vote(decisions, machines, schema.classes.size());
      class_scores(decisions, machines, schema.classes.size(), prediction.score.row(first + i).data());
    }
  });
  return prediction;
}

}  // namespace credence::svm
