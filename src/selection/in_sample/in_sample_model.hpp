#pragma once

#include <memory>
#include <span>

#include "credence/selection/selector.hpp"
#include "credence/svm/model.hpp"
#include "selection/in_sample/in_sample_problem.hpp"

namespace credence::selection {

/// The classifier of the machines' solutions over the kernel with this gamma, the hint within.
std::shared_ptr<const svm::SvmModel> classifier_of(const InSampleProblem& problem, double gamma,
                                                   std::span<const svm::IvanovSolution> solutions,
                                                   const Options& options, model::TrainingRecord record);

}  // namespace credence::selection
