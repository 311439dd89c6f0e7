#pragma once

#include <string>

#include "credence/model/predictor.hpp"

namespace credence::io {

/// What is wrong with a predictor that came from a file; empty if predicting with it is safe.
/// Sizes, indices, layouts, the kernel's parameters, and that all numbers are finite (validation margins: not NaN).
/// Cost: one pass over the predictor.
std::string inconsistency(const model::Predictor& predictor);

}  // namespace credence::io
