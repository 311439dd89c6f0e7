#pragma once

#include <string>

#include "credence/svm/train.hpp"

/// What the training of one machine came to.
namespace credence::report {

/// "rbf, gamma = 0.02", or with both spellings of the width.
std::string kernel_text(const kernel::Kernel& kernel, bool by_sigma);
/// Kernel, cost and support vectors of an SVM.
/// @param verbose  also the work of the solver
std::string svm_text(const svm::TrainResult& result, bool by_sigma, bool verbose);

}  // namespace credence::report
