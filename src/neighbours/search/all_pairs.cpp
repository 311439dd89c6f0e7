#include <algorithm>
#include <atomic>
#include <limits>
#include <mutex>
#include <tuple>
#include <utility>
#include <vector>

#include "core/numbers.hpp"
#include "credence/core/error.hpp"
#include "neighbours/search/nearest.hpp"
#include "neighbours/search/order.hpp"

/// All pairs of rows of a space. The k smallest numbers of a set do not depend on the order in which they come, so the
/// result is the same for any threads and blocks.
namespace credence::neighbours {
namespace {

using core::float_infinity;

/// Some rows of one class, from the first slot of a leaf on.
struct Part {
  std::size_t c;
  std::size_t first;
  std::size_t count;

  std::size_t leaves() const { return (count + leaf_rows - 1) / leaf_rows; }
  std::size_t leaf_first(std::size_t leaf) const { return first + leaf * leaf_rows; }
  std::size_t leaf_count(std::size_t leaf) const { return std::min(leaf_rows, count - leaf * leaf_rows); }
};

struct Boxes {
  Box whole;
  std::vector<Box> leaves;

  void add(Box leaf) {
    if (leaves.empty())
      whole = leaf;
    else
      whole.include(leaf);
    leaves.push_back(std::move(leaf));
  }
};

/// Rows of a part: so many that their columns stay in the second-level cache.
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

Boxes boxes_of(const Space& space, const Part& part) {
  Boxes boxes;
  for (std::size_t leaf = 0; leaf < part.leaves(); ++leaf)
    boxes.add(space.box(*space.own_points(part.c, part.leaf_first(leaf), part.leaf_count(leaf))));
  return boxes;
}

/// What all threads know: the lists, and what lower bounds must be below to change one. A part belongs to the thread
/// that holds its mutex.
class Found {
 public:
  Found(const Space& space, std::size_t k, std::size_t parts) : space_(space), lists_(space.classes(), k), own_(parts) {
    for (std::size_t c = 0; c < space.classes(); ++c) {
      lists_.own[c].assign(space.size(c) * k, std::numeric_limits<double>::infinity());
      lists_.other[c].assign(space.size(c) * k, std::numeric_limits<double>::infinity());
      own_limits_.emplace_back(space.size(c), float_infinity);
      other_limits_.emplace_back(space.size(c), float_infinity);
    }
  }

  /// The limits of a part for rows of its own class or for others.
  void read(const Part& part, std::size_t number, bool same, float* limits) {
    const std::lock_guard lock(own_[number]);
    std::copy_n((same ? own_limits_ : other_limits_)[part.c].begin() + static_cast<std::ptrdiff_t>(part.first),
                part.count, limits);
  }

  /// @return the limit of the row from now on
  float insert(const Part& part, std::size_t number, std::size_t row, bool same, double distance) {
    const std::size_t slot = part.first + row;
    const std::lock_guard lock(own_[number]);
    Smallest list(same ? lists_.own_of(part.c, slot) : lists_.other_of(part.c, slot));
    float& limit = (same ? own_limits_ : other_limits_)[part.c][slot];
    if (list.insert(distance)) limit = space_.limit(list.last());
    return limit;
  }

  NearestLists take() { return std::move(lists_); }

 private:
  const Space& space_;
  NearestLists lists_;
  std::vector<std::vector<float>> own_limits_;  ///< class: slot
  std::vector<std::vector<float>> other_limits_;
  std::vector<std::mutex> own_;  ///< of each part
};

/// What one thread needs to look at pairs of parts.
class Worker {
 public:
  Worker(const Space& space, const std::vector<Part>& parts, const std::vector<Boxes>& boxes, Found& found)
      : space_(space), parts_(parts), boxes_(boxes), found_(found) {}

  /// All pairs of a row of part a and one of part b; of a part with itself, each pair once.
  void meet(std::size_t a, std::size_t b) {
    const bool same = parts_[a].c == parts_[b].c;
    read(a, same, a_limits_, a_largest_);
    read(b, same, b_limits_, b_largest_);
    const float largest = std::max(*std::ranges::max_element(a_largest_), *std::ranges::max_element(b_largest_));
    if (!(space_.between(boxes_[a].whole, boxes_[b].whole) < largest)) return;
    set_points(a);
    for (std::size_t i = 0; i < parts_[a].leaves(); ++i) {
      for (std::size_t j = a == b ? i : 0; j < parts_[b].leaves(); ++j) {
        const float limit = std::max(a_largest_[i], b_largest_[j]);
        if (space_.between(boxes_[a].leaves[i], boxes_[b].leaves[j]) < limit) meet(a, i, b, j, same);
      }
    }
  }

  /// Pairs of rows that were not left out with their leaves.
  std::size_t pairs() const { return pairs_; }

 private:
  void read(std::size_t part, bool same, core::AlignedVector<float>& limits, std::vector<float>& largest) const {
    const std::size_t leaves = parts_[part].leaves();
    limits.assign(leaves * leaf_rows, -float_infinity);
    found_.read(parts_[part], part, same, limits.data());
    largest.resize(leaves);
    for (std::size_t leaf = 0; leaf < leaves; ++leaf) {
      const auto first = limits.begin() + static_cast<std::ptrdiff_t>(leaf * leaf_rows);
      largest[leaf] = *std::max_element(first, first + leaf_rows);
    }
  }

  void set_points(std::size_t a) {
    if (a == a_) return;
    a_ = a;
    points_.clear();
    const Part& part = parts_[a];
    for (std::size_t leaf = 0; leaf < part.leaves(); ++leaf)
      points_.push_back(space_.own_points(part.c, part.leaf_first(leaf), part.leaf_count(leaf)));
  }

  void meet(std::size_t a, std::size_t i, std::size_t b, std::size_t j, bool same) {
    const Part& part = parts_[a];
    const Part& other = parts_[b];
    // A part with itself has one set of limits.
    float* const of_points = (a == b ? b_limits_ : a_limits_).data() + i * leaf_rows;
    float* const of_slots = b_limits_.data() + j * leaf_rows;
    const std::size_t first = other.leaf_first(j);
    space_.find_near(*points_[i], other.c, first, other.leaf_count(j), of_points, of_slots, near_);
    pairs_ += points_[i]->count() * other.leaf_count(j);
    for (const screen::NearPair& pair : near_.found()) {
      if (a == b && i == j && pair.column <= pair.point) continue;
      if (!(pair.bound < std::max(of_points[pair.point], of_slots[pair.column]))) continue;
      const double distance = space_.distance(*points_[i], pair.point, other.c, first + pair.column);
      of_points[pair.point] = found_.insert(part, a, i * leaf_rows + pair.point, same, distance);
      of_slots[pair.column] = found_.insert(other, b, j * leaf_rows + pair.column, same, distance);
    }
  }

  const Space& space_;
  const std::vector<Part>& parts_;
  const std::vector<Boxes>& boxes_;
  Found& found_;
  core::AlignedVector<float> a_limits_;
  core::AlignedVector<float> b_limits_;
  std::vector<float> a_largest_;  ///< of each leaf
  std::vector<float> b_largest_;
  std::size_t a_ = static_cast<std::size_t>(-1);
  std::vector<std::unique_ptr<Points>> points_;  ///< of part a_, leaf by leaf
  NearPairs near_;
  std::size_t pairs_ = 0;
};

/// Pairs of parts in the order in which they are looked at. Those that surely hold near rows come first, so that limits
/// are small when the many others come: each part with itself, and with the nearest part of every class.
class Agenda {
 public:
  Agenda(const Space& space, const std::vector<Part>& parts, const std::vector<Boxes>& boxes,
         const core::Context& context)
      : parts_(parts.size()), is_first_(parts.size() * parts.size(), false) {
    std::vector<std::vector<std::size_t>> nearest(parts_);
    context.threads.for_each(parts_, [&](std::size_t a) {
      if (!context.monitor.should_stop()) nearest[a] = nearest_of(space, parts, boxes, a);
    });
    for (std::size_t a = 0; a < parts_; ++a) {
      put(a, a);
      for (const std::size_t b : nearest[a]) put(std::min(a, b), std::max(a, b));
    }
  }

  /// Items are pairs, but some are empty.
  std::size_t items() const { return first_.size() + parts_ * parts_; }
  /// @return whether item `item` is a pair
  bool get(std::size_t item, std::size_t& a, std::size_t& b) const {
    if (item < first_.size()) {
      std::tie(a, b) = first_[item];
      return true;
    }
    a = (item - first_.size()) / parts_;
    b = (item - first_.size()) % parts_;
    return a <= b && !is_first_[a * parts_ + b];
  }

 private:
  /// Of every class the part nearest to part a.
  static std::vector<std::size_t> nearest_of(const Space& space, const std::vector<Part>& parts,
                                             const std::vector<Boxes>& boxes, std::size_t a) {
    std::vector<std::size_t> nearest(space.classes(), a);
    std::vector<float> bounds(space.classes(), float_infinity);
    for (std::size_t b = 0; b < parts.size(); ++b) {
      if (b == a) continue;
      const std::size_t c = parts[b].c;
      const float bound = space.between(boxes[a].whole, boxes[b].whole);
      if (nearest[c] == a || bound < bounds[c]) {
        bounds[c] = bound;
        nearest[c] = b;
      }
    }
    return nearest;
  }

  void put(std::size_t a, std::size_t b) {
    if (is_first_[a * parts_ + b]) return;
    is_first_[a * parts_ + b] = true;
    first_.emplace_back(a, b);
  }

  std::size_t parts_;
  std::vector<bool> is_first_;
  std::vector<std::pair<std::size_t, std::size_t>> first_;
};

}  // namespace

NearestLists nearest_lists(const Space& space, std::size_t k, const core::Context& context, std::size_t* pairs) {
  const std::vector<Part> parts = parts_of(space);
  std::vector<Boxes> boxes(parts.size());
  context.threads.for_each(parts.size(), [&](std::size_t a) { boxes[a] = boxes_of(space, parts[a]); });
  const Agenda agenda(space, parts, boxes, context);
  Found found(space, k, parts.size());
  const std::size_t count = parts.size() * (parts.size() + 1) / 2;
  const auto threads =
      std::clamp<std::size_t>(static_cast<std::size_t>(context.threads.count()), 1, std::max<std::size_t>(1, count));
  std::atomic<std::size_t> next{0};
  std::atomic<std::size_t> looked_at{0};
  context.monitor.expect(count);
  context.threads.for_each(threads, [&](std::size_t) {
    Worker worker(space, parts, boxes, found);
    std::size_t a = 0;
    std::size_t b = 0;
    for (std::size_t item = next++; item < agenda.items(); item = next++) {
      if (!agenda.get(item, a, b)) continue;
      if (context.monitor.should_stop())
        throw Error(ErrorCode::interrupted, "the search for nearest neighbours was stopped");
      worker.meet(a, b);
      context.monitor.advance();
    }
    looked_at += worker.pairs();
  });
  if (pairs != nullptr) *pairs = looked_at;
  return found.take();
}

}  // namespace credence::neighbours
