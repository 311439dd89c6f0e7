#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <optional>
#include <utility>
#include <vector>

#include "credence/data/features.hpp"

namespace credence::test {

/// The minimum over f(x) = f0(x) + w x + b, |w|^2 <= rho, of  sum_i weight_i min(cap, max(0, 1 - y_i f(x_i)))  in one
/// or two dimensions: in the primal, exactly, with no quadratic programme.
///
/// The planes y_i f(x_i) = 1 and = 1 - cap cut the space of (w, b) into cells on which the sum is linear, so it is
/// least at an extreme point of a cell within the cylinder |w|^2 <= rho: where planes meet in a point, or on the
/// cylinder. There w = sqrt(rho) (cos a, sin a), the best b puts some row on one of its planes, and between angles
/// where rows cross planes the sum is P cos a + Q sin a + constant. (With one dimension the cylinder has all w there
/// are.)
class PrimalProblem {
 public:
  data::DenseMatrix x;         ///< n x 1 or n x 2
  std::vector<int> y;          ///< -1 or +1
  std::vector<double> hint{};  ///< f0(x_i); empty: 0
  double rho = 1;
  bool bias = true;
  double cap = 2;                 ///< 2: twice the soft loss; infinity: the hinge loss
  std::vector<double> weights{};  ///< empty: 1 / n; of any sign if cap is finite

  struct Point {
    double first = 0;
    double second = 0;
    double bias = 0;
    double value = std::numeric_limits<double>::infinity();
  };

  double value(double first, double second, double b) const {
    double sum = 0;
    for (std::size_t i = 0; i < y.size(); ++i) sum += weight(i) * loss(i, decision(i, first, second) + b);
    return sum;
  }

  Point minimum() const {
    Point best;
    if (!bias) search_circle(std::nullopt, best);
    for (const Plane& plane : planes())
      if (bias) search_circle(plane, best);
    search_vertices(best);
    return best;
  }

 private:
  /// f(x_row) = level.
  struct Plane {
    std::size_t row;
    double level;
  };
  /// level + cosine cos a + sine sin a.
  struct Wave {
    double level;
    double cosine;
    double sine;
  };

  double weight(std::size_t i) const { return weights.empty() ? 1 / static_cast<double>(y.size()) : weights[i]; }
  double offset(std::size_t i) const { return hint.empty() ? 0 : hint[i]; }
  double coordinate(std::size_t i, std::size_t j) const { return j < x.columns ? x.row(i)[j] : 0; }
  double decision(std::size_t i, double first, double second) const {
    return offset(i) + first * coordinate(i, 0) + second * coordinate(i, 1);
  }
  double loss(std::size_t i, double f) const { return std::min(cap, std::max(0.0, 1 - y[i] * f)); }

  std::vector<Plane> planes() const {
    std::vector<Plane> result;
    for (std::size_t i = 0; i < y.size(); ++i) {
      result.push_back({i, static_cast<double>(y[i])});
      if (std::isfinite(cap)) result.push_back({i, y[i] * (1 - cap)});
    }
    return result;
  }

  /// What f(x_i) is on the cylinder where b puts a row on its plane, or is 0.
  Wave wave(std::size_t i, const std::optional<Plane>& on) const {
    const double r = std::sqrt(rho);
    Wave result{offset(i), r * coordinate(i, 0), r * coordinate(i, 1)};
    if (on) {
      result.level += on->level - offset(on->row);
      result.cosine -= r * coordinate(on->row, 0);
      result.sine -= r * coordinate(on->row, 1);
    }
    return result;
  }

  void take(double first, double second, double b, Point& best) const {
    const double here = value(first, second, b);
    if (here < best.value) best = {first, second, b, here};
  }
  void take_angle(double angle, const std::optional<Plane>& on, Point& best) const {
    const double first = std::sqrt(rho) * std::cos(angle);
    const double second = std::sqrt(rho) * std::sin(angle);
    take(first, second, on ? on->level - decision(on->row, first, second) : 0, best);
  }

  /// Angles in [0, 2 pi] where a row crosses one of its planes, sorted, with both ends.
  std::vector<double> crossings(const std::optional<Plane>& on) const {
    constexpr double turn = 2 * std::numbers::pi;
    std::vector<double> angles{0, turn};
    for (const Plane& plane : planes()) {
      const Wave f = wave(plane.row, on);
      const double amplitude = std::hypot(f.cosine, f.sine);
      const double level = plane.level - f.level;
      if (amplitude == 0 || std::abs(level) > amplitude) continue;
      for (const double side : {-1.0, 1.0}) {
        const double angle = std::fmod(std::atan2(f.sine, f.cosine) + side * std::acos(level / amplitude), turn);
        angles.push_back(angle < 0 ? angle + turn : angle);
      }
    }
    std::sort(angles.begin(), angles.end());
    return angles;
  }

  void search_circle(const std::optional<Plane>& on, Point& best) const {
    const std::vector<double> angles = crossings(on);
    for (std::size_t k = 0; k + 1 < angles.size(); ++k) {
      take_angle(angles[k], on, best);
      const double middle = (angles[k] + angles[k + 1]) / 2;
      double cosine = 0;
      double sine = 0;
      for (std::size_t i = 0; i < y.size(); ++i) {
        const Wave f = wave(i, on);
        const double at = 1 - y[i] * (f.level + f.cosine * std::cos(middle) + f.sine * std::sin(middle));
        if (at <= 0 || at >= cap) continue;
        cosine -= weight(i) * y[i] * f.cosine;
        sine -= weight(i) * y[i] * f.sine;
      }
      take_angle(std::atan2(-sine, -cosine), on, best);
    }
  }

  void search_vertices(Point& best) const {
    const std::vector<Plane> all = planes();
    for (std::size_t i = 0; i < all.size(); ++i) {
      for (std::size_t j = i + 1; j < all.size(); ++j) {
        if (!bias) take_vertex({all[i], all[j]}, best);
        for (std::size_t k = j + 1; bias && k < all.size(); ++k) take_vertex({all[i], all[j], all[k]}, best);
      }
    }
  }

  /// Where the planes meet, by Cramer's rule for w; the last plane gives b.
  void take_vertex(const std::vector<Plane>& planes_of_vertex, Point& best) const {
    const Plane& last = planes_of_vertex.back();
    std::array<std::array<double, 3>, 2> m{};
    for (std::size_t e = 0; e < 2; ++e) {
      const Plane& plane = planes_of_vertex[e];
      m[e] = {coordinate(plane.row, 0), coordinate(plane.row, 1), plane.level - offset(plane.row)};
      if (!bias) continue;
      m[e][0] -= coordinate(last.row, 0);
      m[e][1] -= coordinate(last.row, 1);
      m[e][2] -= last.level - offset(last.row);
    }
    const double determinant = m[0][0] * m[1][1] - m[0][1] * m[1][0];
    if (std::abs(determinant) < 1e-12) return;
    const double first = (m[0][2] * m[1][1] - m[0][1] * m[1][2]) / determinant;
    const double second = (m[0][0] * m[1][2] - m[0][2] * m[1][0]) / determinant;
    if (first * first + second * second > rho) return;
    take(first, second, bias ? last.level - decision(last.row, first, second) : 0, best);
  }
};

}  // namespace credence::test
