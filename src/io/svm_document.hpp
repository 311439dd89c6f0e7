#pragma once

#include <nlohmann/json.hpp>

#include "credence/svm/model.hpp"

namespace credence::io {

/// The fields of a single SVM beside those of every predictor; see put_predictor. Its hint is held with
/// what it does not share with the model: kernel, support vectors, machines, and a record of its training.
/// @throws Error invalid_argument for a hint of a hint
void put_svm(nlohmann::json& document, const svm::SvmModel& model);

/// The inverse, after read_predictor. @throws as the readers of document_parts.hpp
void read_svm(const nlohmann::json& document, svm::SvmModel& model);

}  // namespace credence::io
