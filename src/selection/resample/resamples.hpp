#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "credence/data/dataset.hpp"
#include "credence/selection/options.hpp"
#include "credence/selection/selector.hpp"

/// Ways to leave rows out of a training, and to set rows aside before anything is selected.
namespace credence::selection {

/// One way to leave rows out.
struct Resample {
  std::vector<std::uint32_t> drawn;  ///< for each row, how often it is trained on; 0: left out
  std::vector<bool> apart{};         ///< rows that are left out, but that this resample does not judge; empty: none
  /// Rows that are left out one after the other, each of a training on all others (leave-one-out); empty: none.
  std::vector<std::size_t> one_by_one{};

  std::vector<std::size_t> training_rows() const;  ///< with repeats, ascending
  std::vector<std::size_t> held_out() const;       ///< left out, together or one by one, without those of `apart`
};

/// Each fold left out once.
std::vector<Resample> resamples_of_folds(std::span<const int> folds);
/// The splits that a data set brings. @throws Error as data::check_splits
std::vector<Resample> resamples_of_splits(const data::Dataset& dataset);
/// All rows trained on once.
Resample all_rows(std::size_t n);

/// The resamples of the method `cv`: its folds, or the splits of the data.
std::vector<Resample> resamples_of_cv(const data::Dataset& dataset, const Options& options);

/// Fewer groups or fixed folds than this say too little of other groups.
inline constexpr std::size_t least_clusters = 10;

/// The honest estimate that is made if none was asked for, see Options::estimate.
Estimate default_estimate(const data::Dataset& dataset, const Options& options);

/// The rows that judge the choice. @throws Error invalid_data if no rows can be set aside
data::Dataset rows_set_aside(const data::Dataset& dataset, const Options& options);
/// The others, on which a selection chooses.
data::Dataset rows_not_set_aside(const data::Dataset& dataset, const Options& options);

}  // namespace credence::selection
