#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "credence/conformal/fit.hpp"

namespace credence::conformal {

/// Which rows the preprocessing is fitted on, and which rows are compared with.
struct Apart {
  std::vector<std::size_t> fitted;
  bool some = false;                    ///< whether none of these are compared with
  std::optional<data::Dataset> others;  ///< none: all rows are compared with

  const data::Dataset& compared(const data::Dataset& all) const { return others ? *others : all; }
};
/// Draws the rows by the seed, without a look at labels; class by class for label-conditional p-values. Of fewer than
/// four rows none is set apart. Of groups, whole ones are set apart, and one row of each other group is compared with,
/// drawn by the seed: a row of a new group is exchangeable with these, if groups are. Source: subsampling of Dunn,
/// Wasserman, Ramdas, JASA 118 (2022).
/// @throws Error invalid_data if a class that is trained on has no other row
Apart set_apart(const data::Dataset& dataset, const FitOptions& options);

/// Fitted on the rows apart, or on all.  @throws Error invalid_data if no column varies on all rows
data::Preprocessing preprocessing_of(const data::Dataset& dataset, const FitOptions& options, const Apart& apart);

}  // namespace credence::conformal
