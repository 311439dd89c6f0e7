#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "credence/core/aligned.hpp"
#include "credence/data/features.hpp"
#include "credence/neighbours/metric.hpp"
#include "neighbours/space/screen.hpp"

namespace credence::neighbours {

/// Rows made ready to be compared with those of a space.
class Points {
 public:
  explicit Points(std::size_t count) : count_(count) {}
  virtual ~Points() = default;
  std::size_t count() const { return count_; }

 private:
  std::size_t count_;
};

/// Pairs of a point and a slot that may be near, and room to find them in; one for each thread, used again and again.
struct NearPairs {
  core::UninitializedVector<screen::NearPair> pairs;
  std::size_t count = 0;

  std::span<const screen::NearPair> found() const { return {pairs.data(), count}; }

  core::UninitializedVector<float> bounds;  ///< of spaces that know no better way
  std::vector<std::uint32_t> columns;
};

/// The smallest and the largest number of some points in every column, in units of the space; empty where they have no
/// bound.
struct Box {
  std::vector<float> lowest;
  std::vector<float> highest;

  bool is_bounded() const { return !lowest.empty(); }
  /// Grows until it holds the other one too.
  void include(const Box& other);
};

/// Labelled rows and the distances of other rows to them. The rows of a class have slots 0, 1, ...; screening takes a
/// class's slots in whole blocks of screen::block.
///
/// A lower bound, in units of the space, is cheap: a pair whose bound is not below limit(D) has a distance >= D. Only
/// `distance` decides; it is symmetric to the last bit, see Metric.
class Space {
 public:
  virtual ~Space() = default;

  std::size_t columns() const { return columns_; }
  std::size_t classes() const { return sizes_.size(); }
  std::size_t size(std::size_t c) const { return sizes_[c]; }

  /// Rows [first, first + count) of other features.
  /// @throws Error invalid_data for a value that is not finite or beyond largest_value, or a row without a direction
  /// (cosine)
  virtual std::unique_ptr<Points> points(const data::Features& rows, std::size_t first, std::size_t count) const = 0;
  /// Slots [first, first + count) of class c.
  virtual std::unique_ptr<Points> own_points(std::size_t c, std::size_t first, std::size_t count) const = 0;
  /// Lower bounds of all points to slots [first, first + count) of class c, first a multiple of screen::block: to
  /// out[p * stride + slot - first], in whole blocks; +infinity where there is no row. Arrays are 64-byte aligned.
  virtual void screen(const Points& points, std::size_t c, std::size_t first, std::size_t count, float* out,
                      std::size_t stride) const = 0;
  /// The pairs of a point p and a slot first + j, of those named as for `screen`, whose lower bound is below
  /// max(point_limits[p], slot_limits[j]): (p, j) to near.pairs, in any order.
  /// @param slot_limits  64-byte aligned, in whole blocks
  virtual void find_near(const Points& points, std::size_t c, std::size_t first, std::size_t count,
                         const float* point_limits, const float* slot_limits, NearPairs& near) const;
  /// A box that holds the points; one without bounds in a space that has no boxes.
  virtual Box box(const Points&) const { return {}; }
  /// A lower bound, in the units of `screen`, of all distances between points of two boxes.
  virtual float between(const Box&, const Box&) const { return -std::numeric_limits<float>::infinity(); }
  virtual double distance(const Points& points, std::size_t point, std::size_t c, std::size_t slot) const = 0;

  /// What a lower bound must be below for a distance to be below D; -infinity for D = 0.
  float limit(double distance) const;
  /// A distance in the units in which lower bounds, or their doubled square roots (if `squared`), are measured.
  double unit() const { return unit_; }
  /// Whether a lower bound is half the square of a distance in units.
  bool squared() const { return squared_; }

  /// Makes room for so many rows of class c.
  virtual void reserve(std::size_t, std::size_t) {}
  /// A copy of row `row` becomes the last slot of class c.
  virtual void add(const data::Features& rows, std::size_t row, std::size_t c) = 0;
  /// Puts the last row of class c in the place of this slot, and forgets the slot's.
  virtual void remove(std::size_t c, std::size_t slot) = 0;
  /// The rows in the given (class, slot) order, as they were added.
  virtual data::Features rows(const std::vector<std::pair<std::size_t, std::size_t>>& places) const = 0;

 protected:
  Space(std::size_t columns, std::size_t classes) : columns_(columns), sizes_(classes, 0) {}

  std::size_t columns_;
  std::vector<std::size_t> sizes_;
  double unit_ = 1;
  bool squared_ = false;
};

/// An empty space for rows like these.
/// @param sample  rows that are to come, or other ones of about that place and size; only speed depends on them (and,
/// for
///                sparse ones, how rows are kept). For the precomputed metric the distances themselves.
/// @throws Error invalid_data as Space::points
std::unique_ptr<Space> make_space(Metric metric, const data::Features& sample, std::size_t classes);

/// Largest absolute value whose square cannot overflow in a sum.
inline constexpr double largest_value = 1e151;

/// @throws Error invalid_data, naming the row (1-based), unless all values are at most largest_value
void check_values(std::span<const double> values, std::size_t row);

}  // namespace credence::neighbours
