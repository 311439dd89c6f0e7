#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "neighbours/space/screen.hpp"
#include "neighbours/space/space.hpp"

/// The rows of a space in parts, and those in leaves.
namespace credence::neighbours {

/// Rows of a leaf. Leaves are screened as wholes.
inline constexpr std::size_t leaf_rows = 4 * screen::block;
/// Leaves of a part, at most.
inline constexpr std::size_t part_leaves = 16;

/// Some rows of one class, from the first slot of a leaf on.
struct Part {
  std::size_t c;
  std::size_t first;
  std::size_t count;

  std::size_t leaves() const { return (count + leaf_rows - 1) / leaf_rows; }
  std::size_t leaf_first(std::size_t leaf) const { return first + leaf * leaf_rows; }
  std::size_t leaf_count(std::size_t leaf) const { return std::min(leaf_rows, count - leaf * leaf_rows); }
};

/// Rows of a part: so many that their columns stay in the second-level cache.
std::size_t rows_of_parts(std::size_t columns);
std::vector<Part> parts_of(const Space& space);

struct Boxes {
  Box whole;
  std::vector<Box> leaves;

  void add(Box leaf);
};
Boxes boxes_of(const Space& space, const Part& part);

}  // namespace credence::neighbours
