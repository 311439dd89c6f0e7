#pragma once

#include <string>
#include <vector>

#include "credence/rvm/train.hpp"

/// One training of relevance vector machines, for people.
namespace credence::report {

/// Evidence, index, relevance vectors and how the fit ended; a line for each class where there is a machine for each.
std::string machines_text(const rvm::KernelFit& fit, const rvm::RvmModel& model);
/// Machines that say nothing, repeat their targets, or did not converge.
std::vector<std::string> machine_warnings(const rvm::KernelFit& fit, const rvm::RvmModel& model);

/// With two decimals, zero without a sign.
std::string two_decimals(double value);

}  // namespace credence::report
