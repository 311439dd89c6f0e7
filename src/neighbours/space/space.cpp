#include "neighbours/space/space.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "neighbours/space/spaces.hpp"

namespace credence::neighbours {
namespace {

/// Whether so few entries are not 0 that their lists are cheaper than looking at all.
bool is_thin(const data::SparseMatrix& matrix) {
  return matrix.values.size() < matrix.rows * matrix.columns / 32;
}

}  // namespace

float Space::limit(double distance) const {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  constexpr double upward = 1 + 1e-6;
  if (distance == 0) return -infinity;
  const double units = distance * unit_;
  // Squares below the smallest number vanish: each feature may have lost half of 2^-1074.
  const double lost = static_cast<double>(columns_) * (unit_ * 0x1p-537) * (unit_ * 0x1p-537);
  const double bound = (squared_ ? units * units / 2 + lost : units) * upward + static_cast<double>(least_slack);
  return bound < static_cast<double>(std::numeric_limits<float>::max()) ? static_cast<float>(bound) : infinity;
}

void Space::find_near(const Points& points, std::size_t c, std::size_t first, std::size_t count,
                      const float* point_limits, const float* slot_limits, NearPairs& near) const {
  const std::size_t stride = screen::padded(count);
  near.bounds.resize(points.count() * stride);
  near.columns.resize(stride);
  near.pairs.resize(points.count() * stride);
  near.count = 0;
  screen(points, c, first, count, near.bounds.data(), stride);
  for (std::size_t p = 0; p < points.count(); ++p) {
    const float* const bounds = near.bounds.data() + p * stride;
    const std::size_t found = screen::below(bounds, slot_limits, point_limits[p], stride, near.columns.data());
    for (std::size_t e = 0; e < found; ++e) {
      const std::uint32_t j = near.columns[e];
      near.pairs[near.count++] = {static_cast<std::uint32_t>(p), j, bounds[j]};
    }
  }
}

void Box::include(const Box& other) {
  if (!is_bounded() || !other.is_bounded()) {
    *this = {};
    return;
  }
  for (std::size_t f = 0; f < lowest.size(); ++f) {
    lowest[f] = std::min(lowest[f], other.lowest[f]);
    highest[f] = std::max(highest[f], other.highest[f]);
  }
}

std::unique_ptr<Space> make_space(Metric metric, const data::Features& sample, std::size_t classes) {
  if (metric == Metric::precomputed) return make_given_space(sample, classes);
  if (sample.is_sparse() && is_thin(sample.sparse())) return make_sparse_space(metric, sample, classes);
  return make_dense_space(metric, sample, classes);
}

}  // namespace credence::neighbours
