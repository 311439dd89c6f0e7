#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "neighbours/search/nearest.hpp"
#include "neighbours/search/order.hpp"
#include "neighbours/space/space.hpp"
#include "support/context.hpp"
#include "support/expect_error.hpp"
#include "support/tcm_problems.hpp"

/// All pairs, one after the other, are the oracle.
namespace credence::neighbours {
namespace nearest_lists_vs_brute_force_tests {

using test::Numbers;
using test::Surroundings;
using test::TcmProblem;

/// The rows of a problem by class, ordered by place.
struct Placed {
  std::unique_ptr<Space> space;
  std::vector<std::vector<std::size_t>> numbers;  ///< class, slot: the row
};
Placed placed(const TcmProblem& problem, Metric metric, const core::Context& context) {
  Placed result{make_space(metric, problem.rows, problem.classes),
                std::vector<std::vector<std::size_t>>(problem.classes)};
  for (std::size_t i = 0; i < problem.labels.size(); ++i)
    result.numbers[static_cast<std::size_t>(problem.labels[i])].push_back(i);
  for (std::size_t c = 0; c < problem.classes; ++c) {
    order_by_place(problem.rows, result.numbers[c], &context);
    for (const std::size_t i : result.numbers[c]) result.space->add(problem.rows, i, c);
  }
  return result;
}

/// The k smallest distances of a row to the rows of its own class but itself, and to those of all others.
std::pair<std::vector<double>, std::vector<double>> brute_force(const TcmProblem& problem, const Space& all_rows,
                                                                const Points& points, std::size_t i, std::size_t k) {
  std::vector<double> own(k, std::numeric_limits<double>::infinity());
  std::vector<double> others = own;
  for (std::size_t j = 0; j < problem.rows.rows; ++j)
    if (j != i)
      Smallest(problem.labels[j] == problem.labels[i] ? own : others).insert(all_rows.distance(points, i, 0, j));
  return {own, others};
}

/// So many rows that they are ordered by place and come in several parts, with whole leaves left out.
TEST(NearestLists, AreTheSameToTheLastBitAsAllPairs) {
  constexpr std::size_t m = 4500;
  const Surroundings one(1);
  const Surroundings three(3);
  for (const Metric metric : test::measured_metrics) {
    for (const Numbers numbers :
         {Numbers::normal, Numbers::grid, Numbers::near_copies, Numbers::far_normal, Numbers::outlier, Numbers::huge}) {
      SCOPED_TRACE(testing::Message() << core::word(metric) << ", numbers " << static_cast<int>(numbers));
      const TcmProblem problem = test::fit_for(metric, test::random_problem(numbers, m, 3, 2, 0, 17));
      const std::size_t k = numbers == Numbers::normal || numbers == Numbers::grid ? 3 : 1;
      const auto all_rows = make_space(metric, problem.rows, 1);
      for (std::size_t i = 0; i < m; ++i) all_rows->add(problem.rows, i, 0);
      const auto points = all_rows->own_points(0, 0, m);
      const core::Context& context = numbers == Numbers::grid ? one.context : three.context;
      const Placed rows = placed(problem, metric, context);
      const NearestLists lists = nearest_lists(*rows.space, k, context);
      for (std::size_t c = 0; c < problem.classes; ++c) {
        for (std::size_t slot = 0; slot < rows.numbers[c].size(); ++slot) {
          const auto [own, others] = brute_force(problem, *all_rows, *points, rows.numbers[c][slot], k);
          ASSERT_TRUE(std::ranges::equal(lists.own_of(c, slot), own)) << slot;
          ASSERT_TRUE(std::ranges::equal(lists.other_of(c, slot), others)) << slot;
        }
      }
    }
  }
}

TEST(NearestLists, StopWhenAsked) {
  const core::Threads threads(2);
  core::Monitor monitor;
  const core::Context context{threads, monitor};
  const TcmProblem problem = test::random_problem(Numbers::normal, 500, 2, 2, 0, 3);
  const Surroundings two(2);
  const Placed rows = placed(problem, Metric::euclidean, two.context);
  monitor.cancel();
  test::expect_error(ErrorCode::interrupted, "stopped", [&] { nearest_lists(*rows.space, 1, context); });
}

}  // namespace nearest_lists_vs_brute_force_tests
}  // namespace credence::neighbours
