#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "credence/rvm/model.hpp"
#include "support/random_data.hpp"

namespace credence::test {

inline constexpr std::size_t rvm_columns = 3;
inline constexpr std::size_t rvm_centres = 7;

/// B B', positive semidefinite.
inline data::DenseMatrix random_covariance(std::size_t size, std::uint64_t seed) {
  const data::DenseMatrix root = random_matrix(size, size, seed, 0.5);
  data::DenseMatrix covariance(size, size);
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j < size; ++j)
      for (std::size_t k = 0; k < size; ++k) covariance.row(i)[j] += root.row(i)[k] * root.row(j)[k];
  }
  return covariance;
}

inline rvm::Machine random_rvm_machine(int positive, std::size_t number, std::uint64_t seed) {
  rvm::Machine machine;
  machine.positive = positive;
  machine.has_bias = number % 2 == 0;
  machine.bias = machine.has_bias ? 0.05 + 0.01 * static_cast<double>(number) : 0;
  machine.centres = number % 3 == 2 ? std::vector<std::uint32_t>{} : std::vector<std::uint32_t>{1, 2, 6};
  if (number % 3 == 0) machine.centres.insert(machine.centres.begin(), 0);
  const data::DenseMatrix weights = random_matrix(1, machine.centres.size(), seed + number, 0.3);
  machine.weights.assign(weights.values.begin(), weights.values.end());
  for (std::size_t k = 0; k < machine.weights.size(); ++k) machine.weights[k] += (k + number) % 2 == 0 ? 1.5 : -1.5;
  machine.covariance = random_covariance(machine.weights.size() + (machine.has_bias ? 1 : 0), seed + 100 + number);
  machine.noise_variance = 1;
  machine.log_evidence = -12.5;
  machine.status = rvm::Status::plateau;
  machine.iterations = 17;
  return machine;
}

/// A model whose numbers were drawn, not fitted. @param classes  0: a regression
inline rvm::RvmModel random_rvm(kernel::KernelType type, std::size_t classes, bool sparse = false,
                                std::uint64_t seed = 1) {
  const bool precomputed = type == kernel::KernelType::precomputed;
  const std::size_t columns = precomputed ? 20 : rvm_columns;
  rvm::RvmModel model;
  model.kernel = {.type = type, .gamma = 0.4, .coef0 = 0.5, .degree = 2};
  const data::DenseMatrix centres = random_thin_matrix(rvm_centres, columns, seed + 3);
  if (!precomputed) model.centres = sparse ? data::Features(sparse_of(centres)) : data::Features(centres);
  model.centre_rows = {0, 2, 3, 5, 8, 13, 19};
  const std::size_t machines = classes > 2 ? classes : 1;
  for (std::size_t m = 0; m < machines; ++m)
    model.machines.push_back(random_rvm_machine(classes > 2 ? static_cast<int>(m) : classes == 2 ? 1 : 0, m, seed));
  const auto clouds = random_clouds(20, columns, classes > 2 ? static_cast<int>(classes) : 2, 1, seed + 5);
  const data::Dataset rows = clouds.dataset();
  model.schema = rows.schema;
  model.preprocessing = data::Preprocessing::fit(rows, data::Scaling::none);
  model.preprocessing.sparse = sparse;
  model.record.rows = 20;
  if (classes == 0) {
    model.schema.task = data::Task::regression;
    model.schema.classes.clear();
    model.machines[0].noise_variance = 0.04;
  } else {
    for (std::size_t c = 0; c < classes; ++c) model.class_counts.push_back(4 + c);
  }
  return model;
}

/// Rows that fit it.
inline data::DenseMatrix rvm_rows(kernel::KernelType type, std::size_t rows, std::uint64_t seed = 77) {
  return random_thin_matrix(rows, type == kernel::KernelType::precomputed ? 20 : rvm_columns, seed);
}

}  // namespace credence::test
