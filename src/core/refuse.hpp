#pragma once

#include <string>

#include "credence/core/error.hpp"

namespace credence {

/// Throws an Error for an argument that the function does not take.
[[noreturn]] inline void refuse(const std::string& sentence) {
  throw Error(ErrorCode::invalid_argument, sentence);
}

}  // namespace credence
