#pragma once

#include <memory>
#include <string>
#include <vector>

#include "credence/svm/model.hpp"

namespace credence::io {

/// Writes a model in LIBSVM's text format (c_svc). svm-predict reads the file and gives the same predictions on
/// preprocessed rows; the format has no place for preprocessing. Unless all classes are distinct integers, they
/// get the numbers 0..k-1 (libsvm_class_numbers). The file is written atomically, as save_model writes.
/// @return notes for the user, e.g. about preprocessing that the file cannot carry
/// @throws Error file | invalid_argument (laplacian kernel: LIBSVM has none)
std::vector<std::string> export_libsvm(const svm::SvmModel& model, const std::string& path);

/// Returns the integers that name these classes in LIBSVM files: the classes' own values if all are distinct integers,
/// otherwise 0..k-1 with a note that says so. A model and its data must use the same integers.
std::vector<int> libsvm_class_numbers(const std::vector<std::string>& classes, std::vector<std::string>& notes);

/// Reads a LIBSVM c_svc or nu_svc model, which then predicts what svm-predict predicts. The model has no preprocessing,
/// and matches columns by position. The largest index allowed is 5,000,000; an index above 2^20 may be at most 16 times
/// the number of entries in the file, so that memory stays in proportion to the file.
/// @throws Error file | format with the line
svm::SvmModel import_libsvm(const std::string& path);

/// Loads a model of Credence or of LIBSVM, from a file or a pipe, which is read once.
/// @throws Error as load_model and import_libsvm
std::unique_ptr<model::Predictor> load_any_model(const std::string& path);

/// Whether the file begins as a LIBSVM model does ("svm_type").
bool is_libsvm_model(const std::string& path);

}  // namespace credence::io
