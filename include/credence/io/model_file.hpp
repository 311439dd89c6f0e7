#pragma once

#include <string>

#include "credence/svm/model.hpp"

namespace credence::io {

/// Writes a model: magic, format version, length and CRC-32 of a CBOR document, then the document.
/// Atomic: written to a temporary file in the same folder, synchronised, renamed; an older file stays whole on failure.
/// @throws Error file
void save_model(const svm::SvmModel& model, const std::string& path);

/// @throws Error file (missing, unreadable) | format (not a model, truncated, altered, newer version, inconsistent),
/// one sentence each
svm::SvmModel load_model(const std::string& path);

/// True if the file starts as a Credence model.
bool is_model_file(const std::string& path);

}  // namespace credence::io
