#pragma once

#include <string>

#include "credence/data/dataset.hpp"
#include "credence/svm/model.hpp"
#include "options.hpp"

namespace credence::cli {

/// A Credence model, or one of LIBSVM. @throws Error file | format
svm::SvmModel load_any_model(const std::string& path);

/// Rows to apply the model to; says on standard error if rows were dropped for missing cells.
data::Dataset read_for(const svm::SvmModel& model, const DataOptions& options, bool quiet);

/// "decision", or "decision_a_vs_b" for machines of more than two classes.
std::string decision_name(const svm::SvmModel& model, const svm::BinaryMachine& machine);

}  // namespace credence::cli
