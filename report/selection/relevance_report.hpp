#pragma once

#include <string>
#include <vector>

#include "credence/model/predictor.hpp"
#include "credence/rvm/train.hpp"

/// One training of relevance vector machines, for people.
namespace credence::report {

/// Evidence, index, relevance vectors and how the fit ended; a line for each class where there is a machine for each.
std::string machines_text(const rvm::KernelFit& fit, const rvm::RvmModel& model);
/// Machines that say nothing, repeat their targets, or did not converge.
std::vector<std::string> machine_warnings(const rvm::KernelFit& fit, const rvm::RvmModel& model);
/// A sentence if the model is a classifier of relevance vectors that gives every training row the same class, or an SVM
/// that remembers its rows one by one (svm::memorised); empty otherwise, and for null models, of which
/// `machine_warnings` speaks.
std::string trained_warning(const model::Predictor& model, const data::Dataset& training, const core::Context& context);

/// With two decimals, zero without a sign.
std::string two_decimals(double value);

}  // namespace credence::report
