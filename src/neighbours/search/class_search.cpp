#include "neighbours/search/class_search.hpp"

#include <algorithm>
#include <utility>

#include "core/numbers.hpp"
#include "credence/core/error.hpp"
#include "neighbours/search/nearest.hpp"

namespace credence::neighbours {
namespace {

using core::float_infinity;

}  // namespace

ClassSearch::ClassSearch(const Space& space, std::size_t k, const core::Context& context)
    : space_(space), k_(k), parts_(parts_of(space)), boxes_(parts_.size()) {
  context.threads.for_each(parts_.size(), [&](std::size_t i) {
    if (context.monitor.should_stop())
      throw Error(ErrorCode::interrupted, "the search for nearest neighbours was stopped");
    boxes_[i] = boxes_of(space, parts_[i]);
  });
}

struct ClassSearch::Room {
  std::vector<float> limits;                                                                 ///< points x classes
  core::AlignedVector<float> none = core::AlignedVector<float>(leaf_rows, -float_infinity);  ///< slots have no limits
  std::vector<float> of_class;  ///< of the points of a leaf
  NearPairs near;
};

void ClassSearch::find(std::span<const std::unique_ptr<Points>> leaves, std::span<double> lists,
                       const Same& same) const {
  Room room;
  const std::size_t classes = space_.classes();
  for (std::size_t list = 0; list < lists.size() / k_; ++list)
    room.limits.push_back(space_.limit(lists[list * k_ + k_ - 1]));
  Boxes boxes;
  for (const auto& leaf : leaves) boxes.add(space_.box(*leaf));
  std::vector<std::pair<float, std::size_t>> order;
  for (std::size_t i = 0; i < parts_.size(); ++i) order.emplace_back(space_.between(boxes.whole, boxes_[i].whole), i);
  std::ranges::sort(order);
  for (const auto& [bound, i] : order) {
    const Part& part = parts_[i];
    for (std::size_t leaf = 0, first = 0; leaf < leaves.size(); first += leaves[leaf++]->count()) {
      const Points& points = *leaves[leaf];
      float largest = -float_infinity;
      const auto renew = [&] {
        largest = -float_infinity;
        for (std::size_t p = 0; p < points.count(); ++p)
          largest = std::max(largest, room.limits[(first + p) * classes + part.c]);
      };
      renew();
      if (!(bound < largest) || !(space_.between(boxes.leaves[leaf], boxes_[i].whole) < largest)) continue;
      for (std::size_t l = 0; l < part.leaves(); ++l) {
        if (!(space_.between(boxes.leaves[leaf], boxes_[i].leaves[l]) < largest)) continue;
        meet(part, l, points, first, lists, same, room);
        if (room.near.count > 0) renew();
      }
    }
  }
}

void ClassSearch::meet(const Part& part, std::size_t leaf, const Points& points, std::size_t first,
                       std::span<double> lists, const Same& same, Room& room) const {
  const std::size_t classes = space_.classes();
  const auto place = [&](std::size_t p) { return (first + p) * classes + part.c; };
  room.of_class.resize(points.count());
  for (std::size_t p = 0; p < points.count(); ++p) room.of_class[p] = room.limits[place(p)];
  const std::size_t slots = part.leaf_first(leaf);
  space_.find_near(points, part.c, slots, part.leaf_count(leaf), room.of_class.data(), room.none.data(), room.near);
  for (const screen::NearPair& pair : room.near.found()) {
    float& limit = room.limits[place(pair.point)];
    const std::size_t slot = slots + pair.column;
    if (!(pair.bound < limit) || same(first + pair.point, part.c, slot)) continue;
    Smallest list(lists.subspan(place(pair.point) * k_, k_));
    if (list.insert(space_.distance(points, pair.point, part.c, slot))) limit = space_.limit(list.last());
  }
}

}  // namespace credence::neighbours
