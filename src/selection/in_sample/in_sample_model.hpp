#pragma once

#include <memory>
#include <span>

#include "credence/selection/selector.hpp"
#include "credence/svm/model.hpp"
#include "selection/in_sample/in_sample_problem.hpp"

namespace credence::selection {

/// The classifier of the machines' solutions over the kernel with this gamma, the hint within.
/// @param rows  of the data set  @param bound  of the classifier's soft loss
std::shared_ptr<const svm::SvmModel> classifier_of(const InSampleProblem& problem, double gamma,
                                                   std::span<const svm::IvanovSolution> solutions,
                                                   const Options& options, std::size_t rows, double bound);

}  // namespace credence::selection
