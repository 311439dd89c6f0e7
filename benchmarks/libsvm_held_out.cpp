#include "credence/svm/loss.hpp"
#include "libsvm_kernel.hpp"

namespace credence::bench {
namespace {

void silent(const char*) {}

}  // namespace

data::DenseMatrix libsvm_soft_losses(const KernelNodes& nodes, std::span<const int> labels, const HeldOutSplit& split,
                                     std::span<const double> costs) {
  svm_set_print_string_function(silent);
  std::vector<svm_node*> x;
  std::vector<double> y;
  for (const std::size_t row : split.training) {
    x.push_back(nodes.row(row));
    y.push_back(labels[row]);
  }
  const svm_problem problem{static_cast<int>(x.size()), y.data(), x.data()};
  data::DenseMatrix losses(split.judging.size(), costs.size());
  for (std::size_t c = 0; c < costs.size(); ++c) {
    const svm_parameter parameter = kernel_parameters(costs[c], tolerance);
    svm_model* model = svm_train(&problem, &parameter);
    for (std::size_t i = 0; i < split.judging.size(); ++i) {
      double decision = 0;
      svm_predict_values(model, nodes.row(split.judging[i]), &decision);
      losses.row(i)[c] = svm::soft_loss(labels[split.judging[i]] * model->label[0] * decision);
    }
    svm_free_and_destroy_model(&model);
  }
  return losses;
}

}  // namespace credence::bench
