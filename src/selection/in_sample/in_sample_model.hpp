#pragma once

#include <memory>

#include "credence/selection/selector.hpp"
#include "credence/svm/model.hpp"
#include "selection/in_sample/in_sample_path.hpp"
#include "selection/in_sample/in_sample_problem.hpp"

namespace credence::selection {

/// The classifier of the machines' best solutions at this gamma, the hint within.
/// @param dataset  with all rows  @param bound  of the classifier's soft loss
std::shared_ptr<const svm::SvmModel> classifier_of(const InSampleProblem& problem, double gamma,
                                                   const GammaResult& result, const Options& options,
                                                   const data::Dataset& dataset, double bound);

}  // namespace credence::selection
