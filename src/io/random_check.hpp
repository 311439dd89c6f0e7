#pragma once

#include <string>

#include "credence/selection/error_estimation.hpp"

namespace credence::io {

/// What is wrong with the members of a random predictor; empty if predicting with them is safe.
std::string check_random(const selection::RandomPredictor& predictor);

}  // namespace credence::io
