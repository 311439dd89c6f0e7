#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/bytes/sealed.hpp"
#include "credence/core/fingerprint.hpp"
#include "credence/selection/comparison.hpp"
#include "selection/grid/judged_grid.hpp"

/// What the shards of a selection or a comparison hand over.
namespace credence::distributed {

/// The cells of one gamma, judged.
struct GridPart {
  std::vector<selection::TaskResult> results;  ///< (cell, resample)
  std::uint8_t width = 1;                      ///< bits of a number of errors
  std::vector<std::uint8_t> errors;            ///< JudgedGrid::errors, `width` bits each
  std::vector<double> soft;                    ///< JudgedGrid::soft; empty where the loss is hard
  std::vector<std::uint16_t> labels;           ///< OutOfSample::labels and values
  std::vector<double> values;
  std::optional<std::uint64_t> best;  ///< the cell that would be chosen among these alone
  model::Calibration calibration;     ///< of that cell
};

/// Judges the cells of one gamma. @throws Error interrupted if the monitor stopped the work
GridPart judge_part(const data::Dataset& dataset, const selection::Options& options, std::size_t gamma,
                    const core::Context& context);
/// The options with one gamma of the grid alone, of one kernel and scaling. Gammas are numbered through all of these.
selection::Options of_gamma(const selection::Options& options, std::size_t gamma);
/// Puts a part in its place. @param whole  made by empty_grid for all cells  @throws Error format if sizes differ
void put_part(const GridPart& part, std::size_t gamma, const selection::Options& options, selection::JudgedGrid& whole);

/// A run on an outer fold, or the sentence of the Error in which it ended.
struct OuterPart {
  selection::OuterFold fold;
  std::optional<std::string> problem;
};

/// A number that differs where the data, the options, the names of contestants or the contents of `sum` differ.
std::uint32_t fingerprint_of(const data::Dataset& dataset, std::span<const selection::Contestant> contestants,
                             core::Fingerprint sum = {});

std::uint32_t fingerprint_of(const selection::Options& options);

}  // namespace credence::distributed
