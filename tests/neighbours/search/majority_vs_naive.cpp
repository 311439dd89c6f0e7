#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "credence/neighbours/metric.hpp"
#include "support/context.hpp"
#include "support/expect_error.hpp"
#include "support/tcm_problems.hpp"

namespace credence::neighbours {
namespace majority_vs_naive_tests {

using test::Numbers;
using test::TcmProblem;

/// Sorts all rows by (distance, class), counts the first k, and goes through them once more for the first of a label
/// that most have.
int naive_label(const TcmProblem& problem, std::size_t query, std::size_t k) {
  std::vector<std::pair<double, int>> rows;
  for (std::size_t i = 0; i < problem.rows.rows; ++i) {
    double sum = 0;
    for (std::size_t f = 0; f < problem.rows.columns; ++f) {
      const double difference = problem.rows.row(i)[f] - problem.queries.row(query)[f];
      sum += difference * difference;
    }
    rows.emplace_back(std::sqrt(sum), problem.labels[i]);
  }
  std::sort(rows.begin(), rows.end());
  std::vector<int> votes(problem.classes, 0);
  for (std::size_t j = 0; j < k; ++j) ++votes[static_cast<std::size_t>(rows[j].second)];
  const int most = *std::max_element(votes.begin(), votes.end());
  for (std::size_t j = 0; j < k; ++j)
    if (votes[static_cast<std::size_t>(rows[j].second)] == most) return rows[j].second;
  return -1;
}

TEST(Majority, EqualsTheNaiveVote) {
  for (const Numbers numbers : {Numbers::normal, Numbers::grid}) {
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
      const TcmProblem problem = test::random_problem(numbers, 70, 2, 3, 30, seed);
      test::Surroundings two(2);
      const auto labels = majority_labels(problem.rows, problem.labels, problem.classes, problem.queries, 12,
                                          Metric::euclidean, two.context);
      ASSERT_EQ(labels.size(), 12U);
      for (std::size_t k = 1; k <= 12; ++k)
        for (std::size_t q = 0; q < problem.queries.rows; ++q)
          EXPECT_EQ(labels[k - 1][q], naive_label(problem, q, k)) << "k " << k << " query " << q;
    }
  }
}

TEST(Majority, RefusesWhatDoesNotFit) {
  const TcmProblem problem = test::random_problem(Numbers::normal, 5, 2, 2, 3, 4);
  test::Surroundings one;
  const auto refuse = [&](std::vector<int> labels, std::size_t most) {
    test::expect_error(ErrorCode::invalid_argument, "", [&] {
      majority_labels(problem.rows, labels, 2, problem.queries, most, Metric::euclidean, one.context);
    });
  };
  refuse(problem.labels, 0);
  refuse(problem.labels, 6);
  refuse({0, 1}, 1);
  refuse({0, 1, 0, 1, 2}, 1);
  data::DenseMatrix huge = problem.rows;
  huge.row(3)[1] = 1e200;
  test::expect_error(ErrorCode::invalid_data, "row 4", [&] {
    majority_labels(huge, problem.labels, 2, problem.queries, 1, Metric::euclidean, one.context);
  });
}

}  // namespace majority_vs_naive_tests
}  // namespace credence::neighbours
