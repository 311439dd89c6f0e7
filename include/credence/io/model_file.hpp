#pragma once

#include <memory>
#include <string>

#include "credence/model/predictor.hpp"
#include "credence/svm/model.hpp"

namespace credence::io {

/// Writes a predictor (svm::SvmModel, rvm::RvmModel, selection::FamilyPredictor over SVMs, RVMs or nearest neighbours
/// with any rule, conformal::ConformalPredictor, selection::RandomPredictor):
/// magic, format version, length and CRC-32 of a CBOR document, then the document; see docs/model-file.md.
/// Atomic: written to a temporary file in the same folder, synchronised, renamed; an older file stays whole on failure.
/// @throws Error file | invalid_argument (a predictor of another type, a family predictor without its family)
void save_model(const model::Predictor& predictor, const std::string& path);

/// Reads what save_model wrote; the result predicts the same, to the last bit.
/// @throws Error file (missing, unreadable) | format (not a model, truncated, altered, newer version, inconsistent),
/// one sentence each
std::unique_ptr<model::Predictor> load_model(const std::string& path);

/// The same where nothing but a single SVM will do.
/// @throws Error as load_model; invalid_argument if the file holds another kind of predictor
svm::SvmModel load_svm_model(const std::string& path);

/// True if the file starts as a Credence model.
bool is_model_file(const std::string& path);

}  // namespace credence::io
