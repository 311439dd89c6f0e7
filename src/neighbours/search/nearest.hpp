#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "credence/core/aligned.hpp"
#include "credence/core/context.hpp"
#include "neighbours/space/space.hpp"

namespace credence::neighbours {

/// The k smallest numbers put in, ascending; +infinity where there were fewer.
class Smallest {
 public:
  explicit Smallest(std::span<double> room) : room_(room) {}

  void clear() { std::ranges::fill(room_, std::numeric_limits<double>::infinity()); }
  /// Whether it is one of the k smallest.
  bool insert(double value) {
    if (!(value < room_.back())) return false;
    std::size_t place = room_.size() - 1;
    for (; place > 0 && value < room_[place - 1]; --place) room_[place] = room_[place - 1];
    room_[place] = value;
    return true;
  }
  double last() const { return room_.back(); }

 private:
  std::span<double> room_;
};

/// The distances in a list that +infinity fills up.
inline std::span<const double> present(std::span<const double> list) {
  std::size_t count = list.size();
  while (count > 0 && list[count - 1] == std::numeric_limits<double>::infinity()) --count;
  return list.first(count);
}

/// For every row of a space, by class and slot: the k smallest distances to its own class and to all others.
struct NearestLists {
  std::size_t k = 1;
  std::vector<std::vector<double>> own;    ///< class: size x k
  std::vector<std::vector<double>> other;  ///< class: size x k

  NearestLists() = default;
  NearestLists(std::size_t classes, std::size_t count) : k(count), own(classes), other(classes) {}
  std::span<double> own_of(std::size_t c, std::size_t slot) { return {own[c].data() + slot * k, k}; }
  std::span<double> other_of(std::size_t c, std::size_t slot) { return {other[c].data() + slot * k, k}; }
  std::span<const double> own_of(std::size_t c, std::size_t slot) const { return {own[c].data() + slot * k, k}; }
  std::span<const double> other_of(std::size_t c, std::size_t slot) const { return {other[c].data() + slot * k, k}; }
};

/// Pairs of blocks of rows are looked at, and lists of a block are filled by one thread at a time. Progress counts
/// pairs of blocks. Cost: half of all pairs, but those of blocks that lie too far apart. Memory: the result, 8 bytes a
/// row, and about 1 MB for each thread.
/// @throws Error interrupted
NearestLists nearest_lists(const Space& space, std::size_t k, const core::Context& context,
                           std::size_t* pairs = nullptr);

/// A block of points and the lower bounds of their distances to every row; one for each thread, used again and again.
class Query {
 public:
  static constexpr std::size_t most_points = 8;

  /// @param most  points of a block, at most most_points
  Query(const Space& space, std::size_t k, std::size_t most = most_points);

  /// At most so many of them, which must outlive the block's use.
  void set(const Points& points);
  std::size_t k() const { return k_; }
  /// Lower bounds of a point to all slots of class c, whole blocks.
  const float* bounds(std::size_t point, std::size_t c) const { return bounds_.data() + point * width_ + starts_[c]; }
  /// Finds the k smallest distances of a point to each class, leaving out one row, if `without_slot` is a slot of
  /// class `without_class`.
  void find(std::size_t point, std::size_t without_class, std::size_t without_slot);
  void find(std::size_t point) { find(point, space_.classes(), 0); }
  /// Of the point that was found last: to class c, and to all classes but c (valid until the next call).
  std::span<const double> own(std::size_t c) const { return {nearest_.data() + c * k_, k_}; }
  std::span<const double> others(std::size_t c);
  /// Room for the indices that a scan of one class finds.
  std::uint32_t* indices() { return indices_.data(); }

 private:
  /// A lower bound that those of at least k rows of class c do not exceed, and of few more; +infinity without k rows.
  float bound_of_some(std::size_t point, std::size_t c);

  const Space& space_;
  std::size_t k_;
  std::vector<std::size_t> starts_;
  std::size_t width_ = 0;
  const Points* points_ = nullptr;
  core::UninitializedVector<float> bounds_;
  std::vector<double> nearest_;  ///< classes x k
  std::vector<double> others_;
  std::vector<std::uint32_t> indices_;
  core::AlignedVector<float> minima_;
  std::vector<float> least_;  ///< k smallest of the minima
};

/// Calls work(point block's first row, query) for all rows in blocks of Query::most_points, on all threads.
/// @throws Error as Space::points; interrupted
void for_each_block(const Space& space, std::size_t k, const data::Features& rows, const core::Context& context,
                    const std::function<void(std::size_t first, const Points& points, Query& query)>& work);

}  // namespace credence::neighbours
