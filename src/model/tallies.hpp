#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace credence::model {

/// Rows with the same margin.
struct Tally {
  double margin = 0;
  std::int64_t rows = 0;
  std::int64_t ones = 0;  ///< rows of the second class
};

/// One for each different margin, ascending.
/// @throws Error invalid_argument for sizes that differ, no margin, other labels than 0 and 1, or numbers that are not
///         finite
std::vector<Tally> tallies_of(std::span<const double> margins, std::span<const int> labels);

}  // namespace credence::model
