#pragma once

#include <cstddef>
#include <vector>

#include "credence/core/random.hpp"
#include "credence/data/dataset.hpp"

namespace credence::test {

/// The data set with each row as often as its weight says, copies beside each other, and without weights.
inline data::Dataset repeated(const data::Dataset& weighted) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < weighted.rows(); ++i)
    rows.insert(rows.end(), static_cast<std::size_t>(weighted.weights[i]), i);
  data::Dataset result = weighted.select_rows(rows);
  result.weights.clear();
  return result;
}

/// Whole numbers from 1 to `most`.
inline std::vector<double> random_counts(std::size_t n, std::uint64_t most, std::uint64_t seed) {
  core::RandomStream random(seed, 103);
  std::vector<double> counts;
  for (std::size_t i = 0; i < n; ++i) counts.push_back(static_cast<double>(1 + random.below(most)));
  return counts;
}

}  // namespace credence::test
