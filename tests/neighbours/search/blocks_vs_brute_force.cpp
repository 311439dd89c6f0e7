#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include "credence/neighbours/blocks.hpp"
#include "neighbours/search/nearest.hpp"
#include "neighbours/search/order.hpp"
#include "neighbours/space/space.hpp"
#include "support/context.hpp"
#include "support/expect_error.hpp"
#include "support/tcm_problems.hpp"

/// All pairs, one after the other, are the oracle.
namespace credence::neighbours {
namespace blocks_vs_brute_force_tests {

using test::Numbers;
using test::Surroundings;
using test::TcmProblem;

/// The k smallest distances of every row to each class, without the row itself.
ClassDistances brute_force(const TcmProblem& problem, Metric metric, std::size_t k) {
  const auto space = make_space(metric, problem.rows, 1);
  for (std::size_t i = 0; i < problem.rows.rows; ++i) space->add(problem.rows, i, 0);
  ClassDistances all(problem.rows.rows, problem.classes, k);
  const auto points = space->own_points(0, 0, problem.rows.rows);
  for (std::size_t i = 0; i < problem.rows.rows; ++i)
    for (std::size_t j = 0; j < problem.rows.rows; ++j)
      if (j != i)
        Smallest(all.of(i, static_cast<std::size_t>(problem.labels[j]))).insert(space->distance(*points, i, 0, j));
  return all;
}

/// Rows from `first` on, and their labels.
struct Some {
  data::Features rows;
  std::vector<int> labels;
};
Some some_of(const TcmProblem& problem, std::size_t first, std::size_t count) {
  std::vector<std::size_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), first);
  Some some{data::Features(problem.rows).select_rows(numbers), {}};
  for (const std::size_t i : numbers) some.labels.push_back(problem.labels[i]);
  return some;
}

/// Blocks of that many rows, merged from the last to the first or the other way.
ClassDistances in_blocks(const TcmProblem& problem, Metric metric, std::size_t k, std::size_t size, bool backwards,
                         const core::Context& context) {
  const std::size_t m = problem.rows.rows;
  std::vector<ClassDistances> results;
  for (std::size_t first = 0; first < m; first += size) {
    const Some block = some_of(problem, first, std::min(size, m - first));
    results.push_back(nearest_in_block(block.rows, block.labels, problem.classes, problem.rows,
                                       {static_cast<int>(k), metric, static_cast<std::ptrdiff_t>(first)}, context));
  }
  if (backwards) std::ranges::reverse(results);
  ClassDistances all(m, problem.classes, k);
  for (const ClassDistances& result : results) merge(all, result);
  return all;
}

/// The lists of the own class and of all others, from those of every class.
void expect_lists(const TcmProblem& problem, Metric metric, const ClassDistances& expected,
                  const core::Context& context) {
  const auto space = make_space(metric, problem.rows, problem.classes);
  std::vector<std::vector<std::size_t>> numbers(problem.classes);
  for (std::size_t i = 0; i < problem.labels.size(); ++i)
    numbers[static_cast<std::size_t>(problem.labels[i])].push_back(i);
  for (std::size_t c = 0; c < problem.classes; ++c) {
    order_by_place(problem.rows, numbers[c], &context);
    for (const std::size_t i : numbers[c]) space->add(problem.rows, i, c);
  }
  const NearestLists lists = nearest_lists(*space, expected.k, context);
  for (std::size_t c = 0; c < problem.classes; ++c) {
    for (std::size_t slot = 0; slot < numbers[c].size(); ++slot) {
      const std::size_t i = numbers[c][slot];
      std::vector<double> others(expected.k, std::numeric_limits<double>::infinity());
      for (std::size_t other = 0; other < problem.classes; ++other)
        for (const double distance : expected.of(i, other))
          if (other != c) Smallest(others).insert(distance);
      ASSERT_TRUE(std::ranges::equal(lists.own_of(c, slot), expected.of(i, c))) << i;
      ASSERT_TRUE(std::ranges::equal(lists.other_of(c, slot), others)) << i;
    }
  }
}

/// So many rows that they are ordered by place and come in several parts, with whole leaves left out.
TEST(NeighbourBlocks, AreTheSameToTheLastBitAsAllPairs) {
  constexpr std::size_t m = 4500;
  const Surroundings one(1);
  const Surroundings three(3);
  for (const Metric metric : test::measured_metrics) {
    for (const Numbers numbers :
         {Numbers::normal, Numbers::grid, Numbers::near_copies, Numbers::far_normal, Numbers::outlier, Numbers::huge}) {
      SCOPED_TRACE(testing::Message() << core::word(metric) << ", numbers " << static_cast<int>(numbers));
      const TcmProblem problem = test::fit_for(metric, test::random_problem(numbers, m, 3, 2, 0, 17));
      const std::size_t k = numbers == Numbers::normal || numbers == Numbers::grid ? 3 : 1;
      const ClassDistances expected = brute_force(problem, metric, k);
      expect_lists(problem, metric, expected, numbers == Numbers::grid ? one.context : three.context);
      EXPECT_EQ(in_blocks(problem, metric, k, m, false, three.context), expected);
      if (numbers == Numbers::normal || numbers == Numbers::grid) {
        EXPECT_EQ(in_blocks(problem, metric, k, 701, false, one.context), expected);
        EXPECT_EQ(in_blocks(problem, metric, k, 1100, true, three.context), expected);
      }
    }
  }
}

TEST(NeighbourBlocks, QueriesThatAreNoTrainingRowsHaveAllOfThemAsNeighbours) {
  const Surroundings two(2);
  const TcmProblem problem = test::random_problem(Numbers::grid, 300, 4, 3, 90, 5);
  const ClassDistances found = nearest_in_block(problem.rows, problem.labels, problem.classes, problem.queries,
                                                {2, Metric::euclidean}, two.context);
  const auto space = make_space(Metric::euclidean, problem.rows, 1);
  for (std::size_t i = 0; i < problem.rows.rows; ++i) space->add(problem.rows, i, 0);
  const data::Features queries(problem.queries);
  const auto points = space->points(queries, 0, queries.rows());
  ClassDistances expected(problem.queries.rows, problem.classes, 2);
  for (std::size_t q = 0; q < problem.queries.rows; ++q)
    for (std::size_t j = 0; j < problem.rows.rows; ++j)
      Smallest(expected.of(q, static_cast<std::size_t>(problem.labels[j]))).insert(space->distance(*points, q, 0, j));
  EXPECT_EQ(found, expected);
}

TEST(NeighbourBlocks, RefuseWhatDoesNotFit) {
  const Surroundings one(1);
  const TcmProblem problem = test::random_problem(Numbers::normal, 20, 2, 2, 5, 3);
  const auto find = [&](const BlockOptions& options, std::span<const int> labels) {
    return nearest_in_block(problem.rows, labels, 2, problem.queries, options, one.context);
  };
  const std::span<const int> labels(problem.labels);
  test::expect_error(ErrorCode::invalid_argument, "must be at least 1", [&] { find({.k = 0}, labels); });
  test::expect_error(ErrorCode::invalid_argument, "20 rows, but 3 labels", [&] { find({}, labels.first(3)); });
  test::expect_error(ErrorCode::invalid_argument, "need no blocks",
                     [&] { find({.metric = Metric::precomputed}, labels); });
  ClassDistances known = find({}, labels);
  const ClassDistances others = find({.k = 2}, labels);
  test::expect_error(ErrorCode::invalid_argument, "cannot be merged", [&] { merge(known, others); });
}

TEST(NeighbourBlocks, StopWhenAsked) {
  const core::Threads threads(2);
  core::Monitor monitor;
  const core::Context context{threads, monitor};
  const TcmProblem problem = test::random_problem(Numbers::normal, 500, 2, 2, 0, 3);
  monitor.cancel();
  test::expect_error(ErrorCode::interrupted, "stopped",
                     [&] { nearest_in_block(problem.rows, problem.labels, 2, problem.rows, {}, context); });
}

}  // namespace blocks_vs_brute_force_tests
}  // namespace credence::neighbours
