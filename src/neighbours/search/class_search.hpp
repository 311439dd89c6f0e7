#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "credence/core/context.hpp"
#include "neighbours/search/parts.hpp"
#include "neighbours/space/space.hpp"

namespace credence::neighbours {

/// The k smallest distances of many points to every class of a space. Points come in leaves, parts of the space in the
/// order of their distance from the points, and a part that is surely too far away is left out.
class ClassSearch {
 public:
  /// @throws Error interrupted
  ClassSearch(const Space& space, std::size_t k, const core::Context& context);

  /// Whether a point and a slot are the same row, which then is no neighbour of itself.
  using Same = std::function<bool(std::size_t point, std::size_t c, std::size_t slot)>;
  /// @param leaves  points, at most leaf_rows in each; numbers of points run through all leaves
  /// @param lists   points x classes x k; holds what was found elsewhere, or +infinity
  void find(std::span<const std::unique_ptr<Points>> leaves, std::span<double> lists, const Same& same) const;

 private:
  struct Room;
  void meet(const Part& part, std::size_t leaf, const Points& points, std::size_t first, std::span<double> lists,
            const Same& same, Room& room) const;

  const Space& space_;
  std::size_t k_;
  std::vector<Part> parts_;
  std::vector<Boxes> boxes_;
};

}  // namespace credence::neighbours
