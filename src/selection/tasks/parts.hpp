#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/task_bytes.hpp"
#include "credence/selection/comparison.hpp"
#include "selection/grid/judged_grid.hpp"

/// What the tasks of a selection or a comparison hand over.
namespace credence::selection {

/// The cells of one gamma, judged.
struct GridPart {
  std::vector<TaskResult> results;    ///< (cell, resample)
  std::uint8_t width = 1;             ///< bits of a number of errors
  std::vector<std::uint8_t> errors;   ///< JudgedGrid::errors, `width` bits each
  std::vector<double> soft;           ///< JudgedGrid::soft; empty where the loss is hard
  std::vector<std::uint16_t> labels;  ///< OutOfSample::labels and values
  std::vector<double> values;
  std::optional<std::uint64_t> best;  ///< the cell that would be chosen among these alone
  model::Calibration calibration;     ///< of that cell
};

/// Judges the cells of one gamma. @throws Error interrupted if the monitor stopped the work
GridPart judge_part(const data::Dataset& dataset, const Options& options, std::size_t gamma,
                    const core::Context& context);
/// The options with one gamma of the grid alone.
Options of_gamma(const Options& options, std::size_t gamma);
/// Puts a part in its place. @param whole  made by empty_grid for all cells  @throws Error format if sizes differ
void put_part(const GridPart& part, std::size_t gamma, const Options& options, JudgedGrid& whole);

/// A run on an outer fold, or the sentence of the Error in which it ended.
struct OuterPart {
  OuterFold fold;
  std::optional<std::string> problem;
};

/// A number that differs where data, options, the names of contestants or what the sum holds already do.
std::uint32_t fingerprint_of(const data::Dataset& dataset, std::span<const Contestant> contestants,
                             core::Fingerprint sum = {});

std::uint32_t fingerprint_of(const Options& options);

}  // namespace credence::selection
