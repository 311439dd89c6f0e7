#pragma once

#include <cstddef>
#include <functional>

#include "run.hpp"

namespace credence::cli {

/// Calls work(k, context) for each k below `count`, up to `jobs` at a time, and done(k) in ascending order, from the
/// calling thread, each as soon as the work up to k has ended. Jobs share the threads and the memory of the run; each
/// has one thread at least. The progress of all makes that of the run, and what stops the run stops all of them.
/// The first exception of `work`, in the order of k, ends the rest and is thrown again.
/// @param jobs  >= 1
void run_jobs(std::size_t count, int jobs, Run& run,
              const std::function<void(std::size_t k, const core::Context& context)>& work,
              const std::function<void(std::size_t k)>& done);

}  // namespace credence::cli
