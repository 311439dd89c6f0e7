#include "credence/model/sigmoid.hpp"

#include <algorithm>

#include "model/tallies.hpp"

namespace credence::model {
namespace {

/// A point of the cumulative sum diagram: rows, and rows of the second class, up to some margin.
struct Corner {
  std::int64_t x = 0;
  std::int64_t y = 0;
};

/// Above 0 if c lies to the left of the line from a through b.
std::int64_t turn(const Corner& a, const Corner& b, const Corner& c) {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

double share(std::int64_t part, std::int64_t whole) {
  return static_cast<double>(part) / static_cast<double>(whole);
}

/// Adds a corner to the left of a convex minorant, whose corners stand from right to left, and drops the corners that
/// are none any longer.
void push_left(std::vector<Corner>& hull, const Corner& point) {
  while (hull.size() > 1 && turn(point, hull.back(), hull[hull.size() - 2]) <= 0) hull.pop_back();
  hull.push_back(point);
}

/// The isotonic regression's value at each margin, with one more row of the second class at this very margin: rows of
/// its block, and those of the second class among them.
///
/// The value at margin i is the slope, over step i, of the convex minorant of the points before step i, shifted by
/// (-1, -1), and of those after. The hull holds its corners from the one before step i on, the leftmost last. From step
/// to step the point after the step moves to the other side.
std::vector<Corner> values_with_one_more(const std::vector<Tally>& tallies) {
  std::vector<Corner> points{{0, 0}};
  for (const Tally& tally : tallies) points.push_back({points.back().x + tally.rows, points.back().y + tally.ones});
  std::vector<Corner> hull;
  for (std::size_t i = points.size(); i-- > 0;) push_left(hull, points[i]);
  push_left(hull, {-1, -1});
  std::vector<Corner> values;
  for (std::size_t i = 1; i < points.size(); ++i) {
    const Corner left = hull.back();
    const Corner right = hull[hull.size() - 2];
    values.push_back({right.x - left.x, right.y - left.y});
    const Corner moved{points[i].x - 1, points[i].y - 1};
    if (turn(left, right, moved) >= 0) continue;
    hull.pop_back();
    push_left(hull, moved);
  }
  return values;
}

}  // namespace

VennAbers::VennAbers(std::span<const double> margins, std::span<const int> labels) {
  std::vector<Tally> tallies = tallies_of(margins, labels);
  for (const Tally& tally : tallies) margins_.push_back(tally.margin);
  for (const Corner& block : values_with_one_more(tallies)) upper_.push_back(share(block.y, block.x));
  // The same with the classes, and the order of the margins, the other way round.
  std::ranges::reverse(tallies);
  for (Tally& tally : tallies) tally.ones = tally.rows - tally.ones;
  for (const Corner& block : values_with_one_more(tallies)) lower_.push_back(share(block.x - block.y, block.x));
  std::ranges::reverse(lower_);
}

/// A new margin with label 1 pools with the next margin above, and so has its value; with label 0, with the one below.
ProbabilityInterval VennAbers::operator()(double margin) const {
  const auto from = static_cast<std::size_t>(std::ranges::lower_bound(margins_, margin) - margins_.begin());
  const auto beyond = static_cast<std::size_t>(std::ranges::upper_bound(margins_, margin) - margins_.begin());
  return {beyond == 0 ? 0.0 : lower_[beyond - 1], from == margins_.size() ? 1.0 : upper_[from]};
}

}  // namespace credence::model
