#pragma once

#include <memory>
#include <string>
#include <vector>

#include "credence/core/context.hpp"
#include "credence/selection/selector.hpp"
#include "credence/svm/model.hpp"
#include "selection/in_sample/in_sample_problem.hpp"

namespace credence::selection {

/// The hint f0 that some rows give: for each binary SVM, one against the rest, a linear SVM with C =
/// InSampleOptions::hint_C; if these rows have only one of its two classes, the constant -1 or +1.
/// @param rows  the rows that train it, and nothing else
/// @param preprocessing  the classifier's, which the hint shares
/// @param warnings  gets a sentence for each binary SVM that has one class, or was not solved to its tolerance
/// @throws Error interrupted if the monitor says stop
std::shared_ptr<const svm::SvmModel> train_hint(const data::Dataset& rows, const data::Preprocessing& preprocessing,
                                                const Options& options, const core::Context& context,
                                                std::vector<std::string>& warnings);

/// -1 or +1 for each row: whether it is of the SVM's positive class.
std::vector<int> machine_signs(const data::Dataset& dataset, const svm::BinaryMachine& machine);

/// The classifier of the binary SVMs' best solutions at this gamma, with the hint.
/// @param dataset  with all rows  @param bound  of the classifier's soft loss
std::shared_ptr<const svm::SvmModel> classifier_of(const InSampleProblem& problem, double gamma,
                                                   const GammaResult& result, const Options& options,
                                                   const data::Dataset& dataset, double bound);

}  // namespace credence::selection
