#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "credence/core/describe.hpp"

/// Racing: the cells of a grid are judged on growing, nested subsets of the rows. A cell that is worse than the best
/// one by more than two standard errors is dropped, except where more rows may favour it.
namespace credence::selection {

/// Whether a method races.
enum class Race {
  automatic,  ///< where the exact grid would cost more than Forecast::stated_cost; see way_of
  yes,
  no,  ///< every cell is judged on all rows
};
constexpr auto words_of(Race) {
  return std::array{core::Word{"auto", Race::automatic}, core::Word{"yes", Race::yes}, core::Word{"no", Race::no}};
}

/// One step of a race: a subset of the rows, or some of the resamples of all rows, on which the remaining cells were
/// judged.
struct Rung {
  std::size_t rows = 0;
  std::size_t resamples = 0;  ///< resamples that had judged the cells by then
  std::size_t judged = 0;     ///< cells
  std::size_t survived = 0;   ///< judged cells that went on; in the last rung those within chance of the best
  double seconds = 0;
};

/// What a race did. The last rung has all rows, unless the run was stopped before.
struct RaceReport {
  std::vector<Rung> rungs;
  bool asked_for = false;  ///< Race::yes; false: the forecast of the exact grid was above the stated cost
};

}  // namespace credence::selection
