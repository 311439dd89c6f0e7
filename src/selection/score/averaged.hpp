#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "selection/score/clipped_scores.hpp"
#include "selection/score/out_of_sample.hpp"

/// What the average of several cells says of rows that its machines had not seen.
namespace credence::selection {

/// The predictions of the average of the members, as those of a grid of one cell. Log losses come from sigmoids that
/// are cross-fitted as those of single cells (judge_by_sigmoids).
/// Cost: places x members.
/// @param said  with clipped scores
OutOfSample averaged(const OutOfSample& said, std::span<const std::size_t> members, std::uint64_t seed,
                     const core::Context& context);

/// The same without the sigmoids: of log losses the values are margins of the second class.
/// @param weights  of the places: those without weight are left at 0; empty: all are made
OutOfSample averaged_margins(const OutOfSample& said, std::span<const std::size_t> members,
                             std::span<const double> weights = {});

/// What the average says of one place.
struct RowLosses {
  bool error = false;
  double soft = 0;
};
std::vector<RowLosses> losses_of_average(const OutOfSample& said, std::span<const std::size_t> members);

/// With Rule::average, gives the selection its average: the cells within reach of the best one, and the error of their
/// average. Nothing where no cell is complete, or the monitor says stop.
void add_average(const OutOfSample& said, const Options& options, const core::Context& context, Selection& selection);

}  // namespace credence::selection
