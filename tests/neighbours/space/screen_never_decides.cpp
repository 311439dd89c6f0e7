#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "credence/core/aligned.hpp"
#include "neighbours/space/screen.hpp"
#include "neighbours/space/space.hpp"
#include "support/on_target.hpp"
#include "support/random_data.hpp"
#include "support/tcm_problems.hpp"

namespace credence::neighbours {
namespace screen_never_decides_tests {

using test::Numbers;
using test::OnTarget;
using test::TcmProblem;

/// A pair is left out for distances it attains or exceeds, never for a larger one, on every processor; and a screen
/// that lets everything through would be none.
void expect_sound(Metric metric, Numbers numbers, const data::Features& rows, bool sharp) {
  const auto space = make_space(metric, rows, 1);
  for (std::size_t i = 0; i < rows.rows(); ++i) space->add(rows, i, 0);
  const std::size_t width = screen::padded(rows.rows());
  core::AlignedVector<float> bounds(rows.rows() * width);
  const auto points = space->points(rows, 0, rows.rows());
  space->screen(*points, 0, 0, rows.rows(), bounds.data(), width);
  std::size_t left_out = 0;
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    for (std::size_t j = 0; j < rows.rows(); ++j) {
      const double distance = space->distance(*points, i, 0, j);
      ASSERT_EQ(distance, space->distance(*points, j, 0, i));
      const double above = std::nextafter(distance, std::numeric_limits<double>::infinity());
      ASSERT_LT(bounds[i * width + j], space->limit(above))
          << core::word(metric) << " numbers " << static_cast<int>(numbers) << " " << i << " " << j;
      left_out += bounds[i * width + j] >= space->limit(0.9 * distance) ? 1U : 0U;
    }
    for (std::size_t j = rows.rows(); j < width; ++j)
      ASSERT_FALSE(bounds[i * width + j] < std::numeric_limits<float>::infinity());
  }
  // Boxes of a few rows each promise no more than their rows keep.
  constexpr std::size_t few = 5;
  std::vector<Box> boxes;
  for (std::size_t first = 0; first < rows.rows(); first += few)
    boxes.push_back(space->box(*space->points(rows, first, std::min(few, rows.rows() - first))));
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    for (std::size_t j = 0; j < rows.rows(); ++j) {
      const double above = std::nextafter(space->distance(*points, i, 0, j), std::numeric_limits<double>::infinity());
      ASSERT_LT(space->between(boxes[i / few], boxes[j / few]), space->limit(above)) << i << " " << j;
    }
  }
  if (sharp) EXPECT_GT(left_out, rows.rows() * (rows.rows() - 1) * 9 / 10);
}

TEST(Screen, NeverLeavesOutANearerRow) {
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    const OnTarget on(target);
    for (const Metric metric : test::measured_metrics) {
      for (const Numbers numbers : test::all_numbers) {
        if (metric == Metric::cosine && numbers == Numbers::denormal) continue;  // rows without a direction
        for (const std::size_t d : {1U, 3U, 40U}) {
          const TcmProblem problem = test::fit_for(metric, test::random_problem(numbers, 33, d, 2, 0, 7 * d));
          const bool usual = numbers == Numbers::normal && (d > 1 || metric != Metric::cosine);
          expect_sound(metric, numbers, problem.rows, usual);
        }
      }
      data::DenseMatrix thin = test::random_thin_matrix(35, 200, 5, 0.98);
      for (std::size_t i = 0; i < thin.rows; ++i) thin.row(i)[i] = 1 + static_cast<double>(i);
      expect_sound(metric, Numbers::normal, test::sparse_of(thin), true);
    }
  }
}

/// The pairs that stay in registers are those of the bounds that are written out.
TEST(Screen, NearPairsAreThoseOfTheLowerBounds) {
  core::RandomStream random(11, 104);
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    const OnTarget on(target);
    for (const Metric metric : test::measured_metrics) {
      for (const std::size_t n : {1U, 16U, 17U, 33U, 64U}) {
        const TcmProblem problem = test::random_problem(Numbers::normal, n, 6, 2, 0, n);
        const data::Features rows(problem.rows);
        const auto space = make_space(metric, rows, 1);
        for (std::size_t i = 0; i < n; ++i) space->add(rows, i, 0);
        const std::size_t width = screen::padded(n);
        const auto points = space->points(rows, 0, n);
        core::AlignedVector<float> bounds(n * width);
        space->screen(*points, 0, 0, n, bounds.data(), width);
        core::AlignedVector<float> limits(width, -std::numeric_limits<float>::infinity());
        for (std::size_t j = 0; j < n; ++j) limits[j] = space->limit(3 * random.uniform());
        NearPairs near;
        space->find_near(*points, 0, 0, n, limits.data(), limits.data(), near);
        std::vector<std::pair<std::size_t, std::size_t>> expected;
        for (std::size_t p = 0; p < n; ++p)
          for (std::size_t j = 0; j < n; ++j)
            if (bounds[p * width + j] < std::max(limits[p], limits[j])) expected.emplace_back(p, j);
        std::vector<std::pair<std::size_t, std::size_t>> found;
        for (const screen::NearPair& pair : near.found()) {
          found.emplace_back(pair.point, pair.column);
          EXPECT_EQ(pair.bound, bounds[pair.point * width + pair.column]);
        }
        std::ranges::sort(found);
        EXPECT_EQ(found, expected) << core::word(metric) << " " << n;
      }
    }
  }
}

TEST(Screen, ScansFindWhatLoopsFind) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  constexpr std::size_t n = 13 * screen::block;
  core::RandomStream random(3, 103);
  const auto numbers = [&](double offset) {
    core::AlignedVector<float> values(n);
    for (float& value : values) value = static_cast<float>(random.normal() + offset);
    return values;
  };
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    const OnTarget on(target);
    for (int trial = 0; trial < 50; ++trial) {
      core::AlignedVector<float> values = numbers(1);
      core::AlignedVector<float> own = numbers(-1);
      core::AlignedVector<float> other = numbers(0.5);
      core::AlignedVector<float> own_sum = numbers(1);
      core::AlignedVector<float> rest = numbers(0);
      own[5] = -infinity;
      own[6] = infinity;
      values[7] = infinity;
      values[8] = -infinity;
      own_sum[9] = infinity;
      std::vector<std::uint32_t> found(n);
      std::vector<std::uint32_t> expected;
      const float limit = trial % 2 == 0 ? 0.3F : -infinity;
      for (std::uint32_t j = 0; j < n; ++j)
        if (values[j] < std::max(limit, own[j])) expected.push_back(j);
      found.resize(screen::below(values.data(), own.data(), limit, n, found.data()));
      EXPECT_EQ(found, expected);

      core::AlignedVector<float> minima(2 * screen::block);
      minima.resize(screen::minima(values.data(), n, minima.data()));
      ASSERT_EQ(minima.size(), screen::block);  // n is less than a group
      for (std::size_t lane = 0; lane < screen::block; ++lane) {
        float least = infinity;
        for (std::size_t j = lane; j < n; j += screen::block) least = std::min(least, values[j]);
        EXPECT_EQ(minima[lane], least);
      }

      const screen::Reach reach{own.data(), other.data(), own_sum.data(), rest.data(), 0.7F, trial % 3 == 0};
      expected.clear();
      for (std::uint32_t j = 0; j < n; ++j) {
        const float farthest = std::max(own_sum[j] * reach.factor - rest[j], 0.0F);
        const float bound = reach.squared ? farthest * farthest * 0.5F : farthest;
        if (values[j] < own[j] || (values[j] < other[j] && values[j] <= bound)) expected.push_back(j);
      }
      found.resize(n);
      found.resize(screen::within_reach(values.data(), reach, n, found.data()));
      EXPECT_EQ(found, expected);
    }
  }
}

}  // namespace screen_never_decides_tests
}  // namespace credence::neighbours
