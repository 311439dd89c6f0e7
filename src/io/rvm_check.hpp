#pragma once

#include <string>

#include "credence/rvm/model.hpp"

namespace credence::io {

/// What is wrong with relevance vector machines whose schema and preprocessing are sound; empty if nothing.
std::string check_rvm(const rvm::RvmModel& model);

}  // namespace credence::io
