#pragma once

#include <string>
#include <vector>

#include "credence/svm/model.hpp"

namespace credence::io {

/// Writes LIBSVM's text format (c_svc), read by svm-predict with the same predictions on preprocessed rows
/// (the format has no place for preprocessing). Classes whose spelling is not an integer are numbered 0..k-1.
/// Atomic, as save_model.
/// @return notes for the user, e.g. about preprocessing that the file cannot carry
/// @throws Error file | invalid_argument (laplacian kernel: LIBSVM has none)
std::vector<std::string> export_libsvm(const svm::SvmModel& model, const std::string& path);

/// The integers by which LIBSVM files name these classes: their own values if all are distinct integers, otherwise
/// 0..k-1, with a note that says so. Models and data that are meant for each other must both use it.
std::vector<int> libsvm_class_numbers(const std::vector<std::string>& classes, std::vector<std::string>& notes);

/// Reads a LIBSVM c_svc or nu_svc model; the result predicts what svm-predict predicts. No preprocessing; columns are
/// matched by position.
/// @throws Error file | format with the line
svm::SvmModel import_libsvm(const std::string& path);

/// True if the file starts as a LIBSVM model ("svm_type").
bool is_libsvm_model(const std::string& path);

}  // namespace credence::io
