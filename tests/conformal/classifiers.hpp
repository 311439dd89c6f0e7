#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "credence/svm/family.hpp"
#include "credence/svm/train.hpp"
#include "neighbours/search/family.hpp"
#include "support/context.hpp"
#include "support/random_data.hpp"
#include "support/train_options.hpp"

namespace credence::test {

inline svm::SvmModel trained_svm(const data::DenseMatrix& x, const std::vector<int>& labels, double C = 1,
                                 double gamma = 0.5) {
  const Surroundings surroundings;
  std::vector<std::string> names;
  for (const int label : labels) names.push_back(class_name(label));
  const kernel::Kernel kernel{.type = kernel::KernelType::rbf, .gamma = gamma};
  return svm::train(data::make_dataset(data::Features(x), names), train_options(kernel, C), surroundings.context).model;
}

/// A family of one SVM.
inline std::shared_ptr<const svm::SvmFamily> family_of(const svm::SvmModel& model, std::size_t classes) {
  auto family = std::make_shared<svm::SvmFamily>();
  family->kernel = model.kernel;
  family->gammas = {model.kernel.gamma};
  family->cost_count = 1;
  family->class_count = classes;
  family->support_vectors = model.support_vectors;
  family->support_rows = model.support_rows;
  family->bias = data::DenseMatrix(1, model.machines.size());
  family->norm = family->bias;
  for (std::size_t m = 0; m < model.machines.size(); ++m) {
    const svm::BinaryMachine& machine = model.machines[m];
    svm::MachineCosts& costs = family->machines.emplace_back();
    costs.support = machine.support;
    costs.coefficients = data::DenseMatrix(machine.support.size(), 1);
    costs.coefficients.values = machine.coefficients;
    family->bias.row(0)[m] = machine.bias;
  }
  return family;
}

/// Nearest neighbours of one k (or several).
inline std::shared_ptr<const neighbours::NeighbourFamily> neighbours_of(data::DenseMatrix x, std::vector<int> labels,
                                                                        std::size_t classes, std::vector<int> k = {1}) {
  auto family = std::make_shared<neighbours::NeighbourFamily>();
  family->rows = std::move(x);
  family->labels = std::move(labels);
  family->k = std::move(k);
  family->class_count = classes;
  return family;
}

struct Sample {
  data::DenseMatrix x;
  std::vector<int> labels;

  Sample rows(const std::vector<std::size_t>& which) const {
    Sample result{rows_of_matrix(x, which), {}};
    for (const std::size_t i : which) result.labels.push_back(labels[i]);
    return result;
  }
};

/// Independent draws: two overlapping classes of whole numbers in {0, ..., 4}^2, so that most examples have duplicates,
/// of both classes. @param rare  share of class 1
inline Sample gridded_sample(std::size_t n, double rare, core::RandomStream& random) {
  Sample sample{data::DenseMatrix(n, 2), {}};
  for (std::size_t i = 0; i < n; ++i) {
    const int label = random.uniform() < rare ? 1 : 0;
    for (double& value : sample.x.row(i)) value = static_cast<double>(random.below(4)) + (label == 1 ? 1 : 0);
    sample.labels.push_back(label);
  }
  return sample;
}

}  // namespace credence::test
