#include "neighbours/nearest.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "credence/core/error.hpp"
#include "neighbours/screen.hpp"

namespace credence::neighbours {
namespace {

[[noreturn]] void stopped() {
  throw Error(ErrorCode::interrupted, "the search for nearest neighbours was stopped");
}

/// Some rows of one class.
struct Part {
  std::size_t c;
  std::size_t first;
  std::size_t count;
};

/// Parts small enough that the columns of one stay in the second-level cache.
std::vector<Part> parts_of(const Space& space) {
  constexpr std::size_t cached_values = 131072;
  const std::size_t rows =
      std::clamp(cached_values / std::max<std::size_t>(1, space.columns()), 4 * screen::block, 64 * screen::block) /
      screen::block * screen::block;
  std::vector<Part> parts;
  for (std::size_t c = 0; c < space.classes(); ++c)
    for (std::size_t first = 0; first < space.size(c); first += rows)
      parts.push_back({c, first, std::min(rows, space.size(c) - first)});
  return parts;
}

/// What one thread has seen of the pairs.
class Worker {
 public:
  Worker(const Space& space, std::size_t k) : space_(space), lists_(space.classes(), k) {
    for (std::size_t c = 0; c < space.classes(); ++c) {
      constexpr double infinity = std::numeric_limits<double>::infinity();
      lists_.own[c].assign(space.size(c) * k, infinity);
      lists_.other[c].assign(space.size(c) * k, infinity);
      own_limits_.emplace_back(screen::padded(space.size(c)), std::numeric_limits<float>::infinity());
      other_limits_.push_back(own_limits_.back());
    }
  }

  /// All pairs of a row of `a` and one of `b`; of a part with itself, each pair once.
  void meet(const Part& a, const Part& b) {
    bounds_.resize(Query::most_points * screen::padded(b.count));
    indices_.resize(screen::padded(b.count));
    for (std::size_t i = 0; i < a.count; i += Query::most_points) {
      const std::size_t count = std::min(Query::most_points, a.count - i);
      const auto points = space_.own_points(a.c, a.first + i, count);
      const std::size_t stride = screen::padded(b.count);
      space_.screen(*points, b.c, b.first, b.count, bounds_.data(), stride);
      for (std::size_t p = 0; p < count; ++p) meet(*points, p, a.c, a.first + i + p, b, bounds_.data() + p * stride);
    }
  }

  /// Adds what another thread has seen.
  void merge(const Worker& other) {
    for (std::size_t c = 0; c < space_.classes(); ++c) {
      for (std::size_t slot = 0; slot < space_.size(c); ++slot) {
        add(lists_.own_of(c, slot), other.lists_.own_of(c, slot));
        add(lists_.other_of(c, slot), other.lists_.other_of(c, slot));
      }
    }
  }

  NearestLists lists() && { return std::move(lists_); }

 private:
  void meet(const Points& points, std::size_t p, std::size_t c, std::size_t slot, const Part& b, const float* bounds) {
    const bool same = c == b.c;
    auto& limits = same ? own_limits_ : other_limits_;
    float& limit = limits[c][slot];
    float* const others = limits[b.c].data() + b.first;
    const std::size_t found = screen::below(bounds, others, limit, screen::padded(b.count), indices_.data());
    for (std::size_t e = 0; e < found; ++e) {
      const std::size_t j = indices_[e];
      const std::size_t other = b.first + j;
      if ((same && other <= slot) || !(bounds[j] < std::max(limit, others[j]))) continue;
      const double distance = space_.distance(points, p, b.c, other);
      insert(same ? lists_.own_of(c, slot) : lists_.other_of(c, slot), distance, limit);
      insert(same ? lists_.own_of(b.c, other) : lists_.other_of(b.c, other), distance, others[j]);
    }
  }

  void insert(std::span<double> list, double distance, float& limit) const {
    Smallest smallest(list);
    if (smallest.insert(distance)) limit = space_.limit(smallest.last());
  }

  static void add(std::span<double> list, std::span<const double> values) {
    for (const double value : values) Smallest(list).insert(value);
  }

  const Space& space_;
  NearestLists lists_;
  std::vector<core::AlignedVector<float>> own_limits_;  ///< class: padded size
  std::vector<core::AlignedVector<float>> other_limits_;
  core::AlignedVector<float> bounds_;
  std::vector<std::uint32_t> indices_;
};

}  // namespace

NearestLists nearest_lists(const Space& space, std::size_t k, const core::Context& context) {
  const std::vector<Part> parts = parts_of(space);
  const std::size_t count = parts.size() * (parts.size() + 1) / 2;
  const auto threads =
      std::min<std::size_t>(static_cast<std::size_t>(context.threads.count()), std::max<std::size_t>(1, count));
  std::vector<Worker> workers(threads, Worker(space, k));
  std::atomic<std::size_t> next{0};
  context.monitor.expect(parts.size());
  context.threads.for_each(threads, [&](std::size_t w) {
    // Item number a * parts + b stands for parts a <= b; a thread takes all b of a block of b's for one a.
    for (std::size_t item = next++; item < parts.size() * parts.size(); item = next++) {
      const std::size_t a = item / parts.size();
      const std::size_t b = item % parts.size();
      if (b < a) continue;
      if (context.monitor.should_stop()) stopped();
      workers[w].meet(parts[a], parts[b]);
      if (a == b) context.monitor.advance();
    }
  });
  for (std::size_t w = 1; w < threads; ++w) workers[0].merge(workers[w]);
  return std::move(workers[0]).lists();
}

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
