#pragma once

#include <string>

#include "credence/svm/model.hpp"

namespace credence::io {

/// What is wrong with a single SVM whose schema and preprocessing are sound; empty if nothing.
std::string check_svm(const svm::SvmModel& model);

}  // namespace credence::io
