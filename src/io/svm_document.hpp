#pragma once

#include <nlohmann/json.hpp>

#include "credence/svm/model.hpp"

namespace credence::io {

/// The fields of a single SVM beside those of every predictor; see put_predictor.
void put_svm(nlohmann::json& document, const svm::SvmModel& model);

/// The inverse. @throws as the readers of document_parts.hpp
void read_svm(const nlohmann::json& document, svm::SvmModel& model);

}  // namespace credence::io
