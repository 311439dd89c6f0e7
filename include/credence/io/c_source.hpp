#pragma once

#include <string>

#include "credence/model/predictor.hpp"

namespace credence::io {

/// Returns a header of C99 that predicts as an SVM or an average of SVMs does: preprocessing, decision values, scores,
/// label, p-values, confidence, credibility and prediction sets. The header needs the standard library alone. Its sums
/// run in the order of `predict` and with fma(), so that every number has the bits that `predict` gives on a processor
/// with fused multiplication and addition; docs/c-source.md has its interface. Cost: a pass over the model. The text
/// has about 22 bytes for each number of a support vector.
/// @param name  of the model, for the comment at the head
/// @throws Error invalid_argument for other kinds, sparse rows, precomputed kernels, hints, and fold models that are no
/// SVMs
std::string c_source(const model::Predictor& model, const std::string& name);

}  // namespace credence::io
