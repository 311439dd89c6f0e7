#include "neighbours/search/nearest.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "credence/core/error.hpp"
#include "neighbours/space/screen.hpp"

namespace credence::neighbours {
namespace {

[[noreturn]] void stopped() {
  throw Error(ErrorCode::interrupted, "the search for nearest neighbours was stopped");
}

}  // namespace

Query::Query(const Space& space, std::size_t k, std::size_t most)
    : space_(space), k_(k), nearest_(space.classes() * k) {
  std::size_t largest = 0;
  for (std::size_t c = 0; c < space.classes(); ++c) {
    starts_.push_back(width_);
    width_ += screen::padded(space.size(c));
    largest = std::max(largest, screen::padded(space.size(c)));
  }
  bounds_.resize(most * width_);
  indices_.resize(largest);
  minima_.resize((largest + screen::group - 1) / screen::group * screen::block);
}

void Query::set(const Points& points) {
  points_ = &points;
  for (std::size_t c = 0; c < space_.classes(); ++c)
    if (space_.size(c) > 0) space_.screen(points, c, 0, space_.size(c), bounds_.data() + starts_[c], width_);
}

float Query::bound_of_some(std::size_t point, std::size_t c) {
  least_.assign(k_, std::numeric_limits<float>::infinity());
  const std::size_t count = screen::minima(bounds(point, c), screen::padded(space_.size(c)), minima_.data());
  for (std::size_t j = 0; j < count; ++j) {
    const float value = minima_[j];
    if (!(value < least_.back())) continue;
    std::size_t place = k_ - 1;
    for (; place > 0 && value < least_[place - 1]; --place) least_[place] = least_[place - 1];
    least_[place] = value;
  }
  return least_.back();
}

void Query::find(std::size_t point, std::size_t without_class, std::size_t without_slot) {
  constexpr std::size_t step = 32 * screen::block;
  constexpr float infinity = std::numeric_limits<float>::infinity();
  for (std::size_t c = 0; c < space_.classes(); ++c) {
    Smallest smallest({nearest_.data() + c * k_, k_});
    smallest.clear();
    const float* const values = bounds(point, c);
    const std::size_t end = screen::padded(space_.size(c));
    float limit = infinity;
    float settled = -infinity;  // rows with bounds below have been looked at
    if (const float near = c == without_class ? infinity : bound_of_some(point, c);
        near < std::numeric_limits<float>::max()) {
      // A little more than the k nearest, so that the limit that follows mostly lets no further row through.
      settled = std::max(std::nextafter(near, infinity), near + std::abs(near) / 64);
      const std::size_t found = screen::below(values, nullptr, settled, end, indices_.data());
      for (std::size_t e = 0; e < found; ++e) smallest.insert(space_.distance(*points_, point, c, indices_[e]));
      limit = space_.limit(smallest.last());
    }
    if (limit <= settled) continue;
    const auto look_at = [&](std::size_t slot) {
      if (values[slot] < limit && values[slot] >= settled && !(c == without_class && slot == without_slot) &&
          smallest.insert(space_.distance(*points_, point, c, slot)))
        limit = std::min(limit, space_.limit(smallest.last()));
    };
    for (std::size_t first = 0; first < end; first += step) {
      const std::size_t found =
          screen::below(values + first, nullptr, limit, std::min(step, end - first), indices_.data());
      for (std::size_t e = 0; e < found; ++e) look_at(first + indices_[e]);
    }
  }
}

std::span<const double> Query::others(std::size_t c) {
  others_.assign(k_, std::numeric_limits<double>::infinity());
  Smallest smallest(others_);
  for (std::size_t other = 0; other < space_.classes(); ++other) {
    for (std::size_t j = 0; other != c && j < k_ && smallest.insert(own(other)[j]); ++j) {
    }
  }
  return others_;
}

void for_each_block(const Space& space, std::size_t k, const data::Features& rows, const core::Context& context,
                    const std::function<void(std::size_t first, const Points& points, Query& query)>& work) {
  const std::size_t blocks = (rows.rows() + Query::most_points - 1) / Query::most_points;
  const std::size_t threads = std::min(static_cast<std::size_t>(context.threads.count()), blocks);
  std::atomic<std::size_t> next{0};
  context.monitor.expect(blocks);
  context.threads.for_each(threads, [&](std::size_t) {
    Query query(space, k, std::min(Query::most_points, rows.rows()));
    for (std::size_t b = next++; b < blocks; b = next++) {
      if (context.monitor.should_stop()) stopped();
      const std::size_t first = b * Query::most_points;
      const auto points = space.points(rows, first, std::min(Query::most_points, rows.rows() - first));
      query.set(*points);
      work(first, *points, query);
      context.monitor.advance();
    }
  });
}

}  // namespace credence::neighbours
