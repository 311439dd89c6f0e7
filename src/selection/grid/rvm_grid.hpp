#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "credence/core/context.hpp"
#include "selection/grid/grid_run.hpp"

/// Relevance vector machines for the gammas of a grid, on parts of the rows.
namespace credence::selection {

/// Candidate centres of fits on parts of so many rows: as many as a fit on all of them would have.
std::size_t resolved_centres(std::size_t rows, const Options& options);

/// The most memory that a fit on at most so many rows may need.
std::size_t fit_bytes(std::size_t rows, std::size_t centres, data::Task task);

/// Calls fit(task, context of its own) for every task, in ascending order; several at a time, with one thread each,
/// where the memory budget allows it. Task k is worth units[k] of the monitor. A run that is stopped leaves the rest
/// out.
void for_each_fit(std::span<const std::size_t> units, std::size_t bytes, const core::Context& context,
                  const std::function<void(std::size_t task, const core::Context& part)>& fit);

/// Calls work(gamma, resample, context of its own) for every task of a grid that is not left out, gamma by gamma.
/// @param rows  that the largest resample trains on
void for_each_rvm(const GridRun& run, const Options& options, std::size_t rows, const core::Context& context,
                  const std::function<void(std::size_t gamma, std::size_t resample, const core::Context& part)>& work);

}  // namespace credence::selection
