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

float Query::limit_of_some(std::size_t point, std::size_t c) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const float* const values = bounds(point, c);
  const std::size_t end = screen::padded(space_.size(c));
  const std::size_t count = screen::minima(values, end, minima_.data());
  if (count < k_) return infinity;
  least_.assign(k_, {infinity, 0});
  for (std::size_t j = 0; j < count; ++j) {
    if (minima_[j] < least_.back().first) {
      least_.back() = {minima_[j], j};
      for (std::size_t place = k_ - 1; place > 0 && least_[place] < least_[place - 1]; --place)
        std::swap(least_[place], least_[place - 1]);
    }
  }
  double farthest = 0;
  for (const auto& [value, j] : least_) {
    std::size_t slot = j / screen::block * screen::group + j % screen::block;
    while (slot < end && values[slot] != value) slot += screen::block;
    if (slot >= space_.size(c)) return infinity;
    farthest = std::max(farthest, space_.distance(*points_, point, c, slot));
  }
  return space_.limit(std::nextafter(farthest, std::numeric_limits<double>::infinity()));
}

void Query::find(std::size_t point, std::size_t without_class, std::size_t without_slot) {
  constexpr std::size_t step = 32 * screen::block;
  for (std::size_t c = 0; c < space_.classes(); ++c) {
    Smallest smallest({nearest_.data() + c * k_, k_});
    smallest.clear();
    const float* const values = bounds(point, c);
    float limit = c == without_class ? std::numeric_limits<float>::infinity() : limit_of_some(point, c);
    const std::size_t end = screen::padded(space_.size(c));
    for (std::size_t first = 0; first < end; first += step) {
      const std::size_t found =
          screen::below(values + first, nullptr, limit, std::min(step, end - first), indices_.data());
      for (std::size_t e = 0; e < found; ++e) {
        const std::size_t slot = first + indices_[e];
        if (values[slot] < limit && !(c == without_class && slot == without_slot) &&
            smallest.insert(space_.distance(*points_, point, c, slot))) {
          limit = std::min(limit, space_.limit(smallest.last()));
        }
      }
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
