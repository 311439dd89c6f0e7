#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "credence/data/features.hpp"

/// The content of rows, and numbers that stand for it. A random choice that belongs to a row takes the row's key, so
/// that the choice is the same in whatever call, place or storage the row comes.
namespace credence::data {

/// Calls visit(column, value) for the entries of a row: all of a dense one, the stored ones of a sparse one.
void for_each_entry(const Features& features, std::size_t row, auto&& visit) {
  if (features.is_sparse()) {
    const auto indices = features.sparse().row_indices(row);
    const auto values = features.sparse().row_values(row);
    for (std::size_t k = 0; k < indices.size(); ++k) visit(std::size_t{indices[k]}, values[k]);
  } else {
    const auto values = features.dense().row(row);
    for (std::size_t j = 0; j < values.size(); ++j) visit(j, values[j]);
  }
}

/// Returns a 64-bit hash of the numbers that are not 0 and their columns. Dense and sparse rows of the same numbers
/// have the same key, as have 0 and -0, and all NaN. Equal rows have equal keys; other rows have different keys except
/// for chance (2^-64 a pair).  Hash: SplitMix64, two steps for each number (core::mixed).
std::uint64_t row_key(std::span<const double> row);
std::uint64_t row_key(const Features& features, std::size_t row);
/// The keys of all rows.
std::vector<std::uint64_t> row_keys(const Features& features);

inline constexpr std::size_t most_smallest_keys = 100;
/// The keys by which rows are recognised: the smallest ones, ascending, each once, at most 100. Keys are uniform, so
/// that these stand for all rows, however many there are (bottom-k sketch; Broder, 1997).
std::vector<std::uint64_t> smallest_keys(std::vector<std::uint64_t> keys);
/// Whether all rows of the sketch are among the rows of these keys. If a share s of the sketched rows is not among
/// them, the answer is true with probability (1 - s)^100 for 100 keys.
/// @param sketch  by smallest_keys; for an empty one the answer is false
bool holds_all(const std::vector<std::uint64_t>& keys, const std::vector<std::uint64_t>& sketch);

}  // namespace credence::data
