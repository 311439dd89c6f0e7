#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "credence/data/dataset.hpp"
#include "credence/selection/options.hpp"

/// Ways to leave rows out of a training.
namespace credence::selection {

/// The rows of a data set as Options::copies has them, and what is said of the copies.
struct RowsInUse {
  std::shared_ptr<const data::Dataset> rows;  ///< those given, which must outlive this, where copies change nothing
  Options options;                            ///< with the word of `copies` that was taken, where there are copies
  std::string note{};                         ///< empty where there are fewer copies than 1 % of the rows
  std::vector<int> kept_as{};                 ///< of each row given, its place among `rows`; empty: they are the same

  /// What the rows given have, from what `rows` have.
  std::vector<bool> of_given(std::vector<bool> of_rows) const;
  /// Adds what is said of the copies to a selection of these rows, and the word that was taken.
  void tell(Selection& selection) const;
};
/// Every door through which rows come into a selection asks this first. Where a door before has asked, nothing changes.
RowsInUse rows_in_use(const data::Dataset& dataset, const Options& options);

/// One way to leave rows out.
struct Resample {
  std::vector<std::uint32_t> drawn;  ///< for each row, how often it is trained on; 0: left out
  std::vector<bool> apart{};         ///< rows that are left out, but not for this resample to judge; empty: none

  std::vector<std::size_t> training_rows() const;  ///< with repeats, ascending
  std::vector<std::size_t> held_out() const;       ///< left out, without those kept apart
};

/// Each fold left out once.
std::vector<Resample> resamples_of_folds(std::span<const int> folds);
/// The splits that a data set brings. @throws Error as data::check_splits
std::vector<Resample> resamples_of_splits(const data::Dataset& dataset);
/// All rows trained on once.
Resample all_rows(std::size_t n);

/// The resamples of the method `cv`: its folds, or the splits of the data.
std::vector<Resample> resamples_of_cv(const data::Dataset& dataset, const Options& options);

}  // namespace credence::selection
