#pragma once

#include <string>

#include "credence/core/context.hpp"
#include "credence/rvm/train.hpp"
#include "credence/selection/selector.hpp"

namespace credence::selection {

/// What trains relevance vector machines of a cell. @param gamma  of the cell: a number, or a rule for the rows at hand
rvm::TrainOptions rvm_options(const Options& options, const kernel::GammaRule& gamma);
/// The same for an SVM. @param nu  0: a C-SVC
svm::TrainOptions svm_options(const Options& options, const kernel::GammaRule& gamma, double C, double nu);

/// "C = 8, gamma = 0.5": the hyper-parameters of a cell.
std::string setting_words(const Cell& cell);

/// Trains the regression of the chosen cell, for what must be said of it beside its score, and its siblings; it becomes
/// the selection's predictor, with the residuals of the rows that the siblings left out. Nothing for partial results;
/// where it cannot be trained there is no predictor, and `fitted` says why.
void keep_regression(const data::Dataset& dataset, const Options& options, const core::Context& context,
                     Selection& selection);

}  // namespace credence::selection
