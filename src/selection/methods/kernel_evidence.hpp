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

/// Its fit has no matrices of the index.
struct FittedKernel : FittedRvms {
  bool without_room = false;  ///< the index is missing because it asks for more memory than there is
  KernelEvidence evidence{};
};

/// For each kernel whether its matrix is that of the kernel before it, but for 1e-10: at tiny widths.
/// Cost: of a few rows of both matrices, where they differ.
std::vector<bool> repeated(const rvm::Problem& problem, std::span<const kernel::Kernel> kernels);

/// Fits all kernels, as many at a time as memory allows. A kernel that repeats the one before takes its fit, and an
/// index of its own. Kernels whose fits were kept are not fitted again.
std::vector<FittedKernel> fit_kernels(const rvm::Problem& problem, std::span<const kernel::Kernel> kernels,
                                      const Options& options, const KeptParts& kept, const core::Context& context);

/// Adds the covariance of each machine's weights. False if the monitor said stop.
bool add_covariances(const rvm::Problem& problem, rvm::KernelFit& fit, const core::Context& context);

}  // namespace credence::selection
