#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "credence/core/context.hpp"
#include "credence/kernel/kernel.hpp"

/// What Table 1 and Figure 2 have in common.
namespace credence::reproduce::kernel_validity {

kernel::Kernel rbf_of(double sigma);
/// In the order of the widths.
std::vector<kernel::GammaRule> gammas_of(std::span<const double> widths);

/// The largest of the scores that are allowed, of all if none is; ties to the last, the widest kernel.
std::size_t largest_of(std::span<const double> scores, const std::vector<bool>& allowed);
std::size_t largest_of(std::span<const double> scores);

/// @throws Error interrupted if it was
void check_not_stopped(bool stopped);

/// Calls work(job, context of one thread and the job's progress) for each job, in parallel. A job that the monitor
/// stops is left.
void run_jobs(std::size_t count, std::size_t units, const core::Context& context,
              const std::function<void(std::size_t job, const core::Context&)>& work);

}  // namespace credence::reproduce::kernel_validity
