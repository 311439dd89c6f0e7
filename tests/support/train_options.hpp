#pragma once

#include "credence/svm/train.hpp"

namespace credence::test {

/// Options for training on numbers as they are.
inline svm::TrainOptions train_options(const kernel::Kernel& kernel, double C, double tolerance = 1e-3) {
  svm::TrainOptions options;
  options.C = C;
  options.kernel = kernel.shape();
  options.gamma.value = kernel.gamma;
  options.scaling = data::Scaling::none;
  options.solver.tolerance = tolerance;
  return options;
}

}  // namespace credence::test
