#pragma once

#include <string>

#include "credence/svm/model.hpp"

namespace credence::io {

/// What is wrong with a model that came from a file; empty if predicting with it is safe.
/// Sizes, indices, the layout of the machines, the kernel's parameters, and that all numbers are finite.
/// Cost: one pass over the model.
std::string inconsistency(const svm::SvmModel& model);

}  // namespace credence::io
