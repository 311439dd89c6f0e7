#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <limits>
#include <span>
#include <string_view>

#include "selection/fit/fit_task.hpp"
#include "selection/fit/grid_run.hpp"

/// The two functions that train every model of a grid. One chosen setting on all rows is trained by
/// ensemble/retraining.cpp.
namespace credence::selection {

/// Whether the path of a task may leave out larger costs (PathWatch).
enum class GiveUp {
  never,
  alone,     ///< each path by itself
  together,  ///< the resamples of a gamma together
};

/// The last C on the paths of one gamma. A setting that one resample gave up has no error, whatever the others find, so
/// their paths end there too. The end is the same in whatever order the resamples come: the path that ends first of
/// all always gets there.
class SharedEnd {
 public:
  void end_at(std::size_t cost);
  std::size_t last() const { return last_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::size_t> last_{std::numeric_limits<std::size_t>::max()};
};

/// A caller of fit_grid: it requests tasks, and receives their results. Its functions are called from several threads.
struct Collector {
  std::string_view kind{};  ///< in a checkpoint; empty: nothing is kept
  GiveUp give_up = GiveUp::never;
  std::function<TaskWants(std::size_t gamma, std::size_t resample)> begin;
  std::function<void(std::size_t gamma, std::size_t resample, FittedTask found)> end;
};

/// Trains every task of a grid: each kernel with its gamma, on each resample, along all costs. Tasks run in parallel,
/// kernel function and scaling outermost, then by gamma, so that a run that is stopped leaves whole settings behind.
/// Tasks in the checkpoint of the context are not trained again. Results do not depend on threads.
void fit_grid(GridRun& run, const Collector& collector);

/// Solves the SVMs of one task along the costs of the options; each solve starts from the solution at the cost before.
/// @param rows  the kernel matrix of all rows  @param end  of the gamma, for paths that give up together
FittedTask fit_paths(kernel::Rows& rows, const data::Dataset& dataset, const Options& options, const Resample& resample,
                     TaskWants wants, const core::Monitor& monitor, GiveUp give_up = GiveUp::never,
                     SharedEnd* end = nullptr);

}  // namespace credence::selection
