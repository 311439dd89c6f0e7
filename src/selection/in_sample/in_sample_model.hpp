#pragma once

#include <memory>

#include "credence/selection/selector.hpp"
#include "credence/svm/model.hpp"
#include "selection/in_sample/in_sample_path.hpp"
#include "selection/in_sample/in_sample_problem.hpp"

namespace credence::selection {

/// The classifier of the machines' best solutions at this gamma, the hint within.
/// @param rows  of the data set  @param bound  of the classifier's soft loss
std::shared_ptr<const svm::SvmModel> classifier_of(const InSampleProblem& problem, double gamma,
                                                   const GammaResult& result, const Options& options, std::size_t rows,
                                                   double bound);

}  // namespace credence::selection
