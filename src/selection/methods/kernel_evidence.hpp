#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "credence/rvm/train.hpp"
#include "credence/selection/selector.hpp"
#include "selection/fit/fit_task.hpp"
#include "selection/fit/kept_parts.hpp"

/// One fit of relevance vector machines for each kernel, on the same rows.
namespace credence::selection {

/// The fit of one kernel, without the matrices of its validity index.
struct FittedKernel : FittedRvms {
  bool without_room = false;  ///< the index is missing because it needs more memory than the budget
  KernelEvidence evidence{};
};

/// Returns for each kernel whether its matrix equals that of the kernel before it to 1e-10, as at tiny widths.
/// Cost: computes a few rows of both matrices, where they differ.
std::vector<bool> repeated(const rvm::Problem& problem, std::span<const kernel::Kernel> kernels);

/// Fits all kernels, as many at a time as memory allows. A kernel that repeats the one before takes its fit, and an
/// index of its own. Kernels whose fits were kept are not fitted again.
std::vector<FittedKernel> fit_kernels(const rvm::Problem& problem, std::span<const kernel::Kernel> kernels,
                                      const Options& options, const KeptParts& kept, const core::Context& context);

/// Adds the covariance of the weights of each RVM. Returns false if the monitor said stop.
bool add_covariances(const rvm::Problem& problem, rvm::KernelFit& fit, const core::Context& context);

}  // namespace credence::selection
