#include <cmath>

#include "comparison_conformal.hpp"
#include "libsvm_nodes.hpp"

namespace credence::bench {
namespace {

/// Margins y f(x) of all rows under the machine that is trained on them.
std::vector<double> margins(const svm_problem& problem, const svm_parameter& parameter) {
  svm_model* model = svm_train(&problem, &parameter);
  std::vector<double> found;
  for (int i = 0; i < problem.l; ++i) {
    double decision = 0;
    svm_predict_values(model, problem.x[i], &decision);
    const double margin = problem.y[i] == model->label[0] ? decision : -decision;
    found.push_back(std::abs(margin - 1) <= parameter.eps ? 1 : margin);
  }
  svm_free_and_destroy_model(&model);
  return found;
}

void silent(const char*) {}

}  // namespace

data::DenseMatrix libsvm_transductive(const SplitData& data, std::size_t rows, double C, double gamma,
                                      Seconds& seconds) {
  svm_set_print_string_function(silent);
  const Nodes training(data.training);
  const Nodes test(data.test);
  const svm_parameter parameter = parameters(C, gamma);
  std::vector<svm_node*> x;
  for (std::size_t i = 0; i < training.size(); ++i) x.push_back(training.row(i));
  x.push_back(nullptr);
  std::vector<double> y(data.labels.begin(), data.labels.end());
  y.push_back(0);
  data::DenseMatrix p(rows, data.classes);
  const Stopwatch stopwatch;
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t c = 0; c < data.classes; ++c) {
      x.back() = test.row(i);
      y.back() = static_cast<double>(c);
      const auto found = margins({static_cast<int>(x.size()), y.data(), x.data()}, parameter);
      std::size_t count = 0;
      for (const double margin : found) count += margin <= found.back() ? 1U : 0U;
      p.row(i)[c] = static_cast<double>(count) / static_cast<double>(found.size());
    }
  }
  seconds = stopwatch.elapsed();
  return p;
}

}  // namespace credence::bench
