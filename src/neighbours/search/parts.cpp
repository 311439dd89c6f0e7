#include "neighbours/search/parts.hpp"

#include <utility>

namespace credence::neighbours {

std::size_t rows_of_parts(std::size_t columns) {
  constexpr std::size_t cached_values = 131072;
  const std::size_t rows = cached_values / std::max<std::size_t>(1, columns);
  return std::clamp(rows, leaf_rows, part_leaves * leaf_rows) / leaf_rows * leaf_rows;
}

std::vector<Part> parts_of(const Space& space) {
  const std::size_t rows = rows_of_parts(space.columns());
  std::vector<Part> parts;
  for (std::size_t c = 0; c < space.classes(); ++c)
    for (std::size_t first = 0; first < space.size(c); first += rows)
      parts.push_back({c, first, std::min(rows, space.size(c) - first)});
  return parts;
}

void Boxes::add(Box leaf) {
  if (leaves.empty())
    whole = leaf;
  else
    whole.include(leaf);
  leaves.push_back(std::move(leaf));
}

Boxes boxes_of(const Space& space, const Part& part) {
  Boxes boxes;
  for (std::size_t leaf = 0; leaf < part.leaves(); ++leaf)
    boxes.add(space.box(*space.own_points(part.c, part.leaf_first(leaf), part.leaf_count(leaf))));
  return boxes;
}

}  // namespace credence::neighbours
