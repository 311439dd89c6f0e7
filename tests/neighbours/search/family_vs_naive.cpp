#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <vector>

#include "neighbours/search/family.hpp"
#include "support/context.hpp"
#include "support/expect_error.hpp"
#include "support/random_data.hpp"

namespace credence::neighbours {
namespace family_vs_naive_tests {

using credence::test::expect_error;
using credence::test::random_clouds;
using credence::test::random_matrix;
using credence::test::random_thin_matrix;
using credence::test::sparse_of;
using credence::test::Surroundings;
using data::DenseMatrix;

constexpr double infinity = std::numeric_limits<double>::infinity();

NeighbourFamily family_of(data::Features rows, std::vector<int> labels, std::vector<int> k, std::size_t classes) {
  NeighbourFamily family;
  family.rows = std::move(rows);
  family.labels = std::move(labels);
  family.k = std::move(k);
  family.class_count = classes;
  return family;
}

/// The sum of the k smallest; of fewer than k in proportion, of none infinity.
double naive_sum(std::vector<double> distances, int k) {
  if (distances.empty()) return infinity;
  std::sort(distances.begin(), distances.end());
  double sum = 0;
  const std::size_t count = std::min<std::size_t>(distances.size(), static_cast<std::size_t>(k));
  for (std::size_t i = 0; i < count; ++i) sum += distances[i];
  return sum * k / static_cast<double>(count);
}

/// The header's formula, one loop in the other.
double naive_score(const NeighbourFamily& family, std::span<const double> query, int k, int y) {
  const DenseMatrix rows = family.rows.to_dense();
  std::vector<double> own;
  std::vector<double> others;
  for (std::size_t i = 0; i < rows.rows; ++i) {
    double squares = 0;
    for (std::size_t f = 0; f < rows.columns; ++f) squares += (query[f] - rows.row(i)[f]) * (query[f] - rows.row(i)[f]);
    (family.labels[i] == y ? own : others).push_back(std::sqrt(squares));
  }
  const double a = naive_sum(own, k);
  const double b = naive_sum(others, k);
  if (std::isinf(a)) return -1;
  if (std::isinf(b)) return 1;
  return a == 0 && b == 0 ? 0 : (b - a) / (b + a);
}

/// Largest difference to the naive scores; labels must be those of the scores given.
double difference_to_naive(const NeighbourFamily& family, const DenseMatrix& queries, const model::Scores& scores) {
  EXPECT_EQ(scores.rows, queries.rows);
  EXPECT_EQ(scores.models, family.k.size());
  double largest = 0;
  for (std::size_t q = 0; q < queries.rows; ++q) {
    for (std::size_t m = 0; m < family.k.size(); ++m) {
      int best = 0;
      for (std::size_t y = 0; y < family.class_count; ++y) {
        const double naive = naive_score(family, queries.row(q), family.k[m], static_cast<int>(y));
        EXPECT_FALSE(std::isnan(scores.at(q, m)[y]));
        largest = std::max(largest, std::abs(scores.at(q, m)[y] - naive));
        if (scores.at(q, m)[y] > scores.at(q, m)[static_cast<std::size_t>(best)]) best = static_cast<int>(y);
      }
      EXPECT_EQ(scores.label(q, m), best);
    }
  }
  return largest;
}

model::Scores score_all(const NeighbourFamily& family, const data::Features& queries, int threads = 1) {
  Surroundings some(threads);
  return family.score_all(queries, some.context);
}

TEST(NeighbourFamily, DenseEqualsTheNaiveLoops) {
  for (const std::size_t n : {1U, 2U, 15U, 16U, 17U, 70U}) {
    for (const std::size_t d : {1U, 5U, 33U}) {
      for (const int classes : {2, 3}) {
        const auto clouds = random_clouds(n, d, classes, 1, 3 * n + d);
        const auto family = family_of(clouds.x, clouds.classes, {1, 2, 5, 40}, static_cast<std::size_t>(classes));
        const DenseMatrix queries = random_matrix(37, d, 99);
        EXPECT_LT(difference_to_naive(family, queries, score_all(family, queries)), 1e-13) << n << ' ' << d;
      }
    }
  }
}

TEST(NeighbourFamily, ManyRowsAndColumnsPassTiles) {
  const auto clouds = random_clouds(700, 900, 2, 0.1, 4);  // a tile holds 65536 values
  const auto family = family_of(clouds.x, clouds.classes, {3}, 2);
  const DenseMatrix queries = random_matrix(3, 900, 98);
  EXPECT_LT(difference_to_naive(family, queries, score_all(family, queries)), 1e-13);
}

/// n rows of which about 1 number in 50 is not 0: sparse rows that are kept sparse.
DenseMatrix thin_rows(std::size_t n, std::uint64_t seed) {
  return random_thin_matrix(n, 150, seed, 0.98);
}

TEST(NeighbourFamily, EveryStorageEqualsTheNaiveLoops) {
  std::vector<int> labels;
  for (std::size_t i = 0; i < 60; ++i) labels.push_back(static_cast<int>(i * i % 4 % 3));
  for (const bool thin : {false, true}) {
    const DenseMatrix rows = thin ? thin_rows(60, 5) : random_thin_matrix(60, 12, 5);
    const DenseMatrix queries = thin ? thin_rows(40, 6) : random_thin_matrix(40, 12, 6);
    for (const data::Features& stored : {data::Features(rows), data::Features(sparse_of(rows))}) {
      const auto family = family_of(stored, labels, {1, 3, 7}, 3);
      const model::Scores of_dense = score_all(family, queries);
      const model::Scores of_sparse = score_all(family, sparse_of(queries));
      EXPECT_EQ(of_dense.values, of_sparse.values);
      EXPECT_EQ(of_dense.labels, of_sparse.labels);
      EXPECT_LT(difference_to_naive(family, queries, of_dense), 1e-13);
    }
  }
}

TEST(NeighbourFamily, ThinDistancesEqualTheNaiveLoopsToTheLastBit) {
  // Zeros add nothing, so the merge adds the same numbers in the same order.
  std::vector<int> labels;
  for (std::size_t i = 0; i < 50; ++i) labels.push_back(i % 3 == 0 ? 1 : 0);
  const auto family = family_of(sparse_of(thin_rows(50, 15)), labels, {1, 4}, 2);
  const DenseMatrix queries = thin_rows(20, 16);
  EXPECT_EQ(difference_to_naive(family, queries, score_all(family, queries)), 0);
  const DenseMatrix full = random_matrix(20, 150, 17);
  EXPECT_EQ(difference_to_naive(family, full, score_all(family, full)), 0);
}

TEST(NeighbourFamily, ScoresByHand) {
  // On a line: class 0 at 0 and 1, class 1 at 4 and 6, class 2 at 11.
  const DenseMatrix rows = [] {
    DenseMatrix m(5, 1);
    m.values = {0, 4, 1, 6, 11};
    return m;
  }();
  const auto family = family_of(rows, {0, 1, 0, 1, 2}, {1, 2}, 3);
  DenseMatrix query(1, 1);
  query.values = {2};
  const model::Scores scores = score_all(family, query);
  // k = 1: a = 1, 2, 9; b = 2, 1, 1.
  EXPECT_EQ(scores.at(0, 0)[0], (2.0 - 1) / 3);
  EXPECT_EQ(scores.at(0, 0)[1], (1.0 - 2) / 3);
  EXPECT_EQ(scores.at(0, 0)[2], (1.0 - 9) / 10);
  // k = 2: a = 1 + 2, 2 + 4, 9 * 2; b = 2 + 4, 1 + 2, 1 + 2.
  EXPECT_EQ(scores.at(0, 1)[0], (6.0 - 3) / 9);
  EXPECT_EQ(scores.at(0, 1)[1], (3.0 - 6) / 9);
  EXPECT_EQ(scores.at(0, 1)[2], (3.0 - 18) / 21);
  EXPECT_EQ(scores.labels, (std::vector<int>{0, 0}));
}

TEST(NeighbourFamily, OneNeighbourIsTheNearestNeighbour) {
  const auto clouds = random_clouds(80, 3, 4, 1, 71);
  const auto family = family_of(clouds.x, clouds.classes, {1}, 4);
  const DenseMatrix queries = random_matrix(100, 3, 72, 2);
  const model::Scores scores = score_all(family, queries);
  for (std::size_t q = 0; q < queries.rows; ++q) {
    double least = infinity;
    int nearest = -1;
    for (std::size_t i = 0; i < 80; ++i) {
      double squares = 0;
      for (std::size_t f = 0; f < 3; ++f) squares += std::pow(queries.row(q)[f] - clouds.x.row(i)[f], 2);
      if (squares < least) {
        least = squares;
        nearest = clouds.classes[i];
      }
    }
    EXPECT_EQ(scores.label(q, 0), nearest);
  }
}

TEST(NeighbourFamily, EqualRowsHaveNoDistance) {
  // Numbers that no float holds, far from the origin: differences must be taken directly.
  const DenseMatrix full = random_matrix(21, 7, 8, 0.1, 1e6);
  DenseMatrix thin(21, 300);  // the same numbers, far between
  for (std::size_t i = 0; i < 21; ++i)
    for (std::size_t f = 0; f < 7; ++f) thin.row(i)[40 * f + i] = full.row(i)[f];
  std::vector<int> labels;
  for (std::size_t i = 0; i < 21; ++i) labels.push_back(static_cast<int>(i % 2));
  for (const DenseMatrix& rows : {full, thin}) {
    for (const data::Features& stored : {data::Features(rows), data::Features(sparse_of(rows))}) {
      const model::Scores scores = score_all(family_of(stored, labels, {1}, 2), rows);
      for (std::size_t i = 0; i < 21; ++i) {
        EXPECT_EQ(scores.at(i, 0)[i % 2], 1) << i;  // a is 0 exactly
        EXPECT_EQ(scores.at(i, 0)[1 - i % 2], -1);
      }
    }
  }
}

TEST(NeighbourFamily, RowsThatAreInBothClassesScoreNothing) {
  DenseMatrix rows(6, 1);
  rows.values = {1, 1, 1, 1, 5, 9};
  const auto family = family_of(rows, {0, 1, 0, 1, 0, 2}, {1, 2, 3}, 3);
  DenseMatrix query(1, 1);
  query.values = {1};
  const model::Scores scores = score_all(family, query);
  for (std::size_t m = 0; m < 2; ++m) {
    EXPECT_EQ(scores.at(0, m)[0], 0);  // both sums are 0
    EXPECT_EQ(scores.at(0, m)[1], 0);
    EXPECT_EQ(scores.at(0, m)[2], -1);
    EXPECT_EQ(scores.label(0, m), 0);  // ties to the lowest class
  }
  // Three neighbours: class 0 has 0 + 0 + 4 against 0 + 0 + 8; class 1 has (0 + 0) * 3 / 2 against 0 + 0 + 4.
  EXPECT_EQ(scores.at(0, 2)[0], (8.0 - 4) / 12);
  EXPECT_EQ(scores.at(0, 2)[1], 1);
  EXPECT_EQ(scores.label(0, 2), 1);
}

TEST(NeighbourFamily, ClassesWithFewRowsOrNone) {
  DenseMatrix rows(4, 1);
  rows.values = {0, 1, 2, 10};
  DenseMatrix query(1, 1);
  query.values = {0.5};
  // Class 1 has no rows, class 2 one; k = 50 is larger than n.
  const model::Scores scores = score_all(family_of(rows, {0, 0, 0, 2}, {2, 50}, 3), query);
  EXPECT_EQ(scores.at(0, 0)[0], (19.0 - 1) / 20);  // 0.5 + 0.5 against 9.5 * 2
  EXPECT_EQ(scores.at(0, 1)[0], (475 - 2.5 * 50 / 3) / (475 + 2.5 * 50 / 3));
  for (std::size_t m = 0; m < 2; ++m) EXPECT_EQ(scores.at(0, m)[1], -1);
  // One class alone: nothing speaks against it.
  const model::Scores alone = score_all(family_of(rows, {1, 1, 1, 1}, {1, 9}, 2), query);
  for (std::size_t m = 0; m < 2; ++m) {
    EXPECT_EQ(alone.at(0, m)[0], -1);
    EXPECT_EQ(alone.at(0, m)[1], 1);
    EXPECT_EQ(alone.label(0, m), 1);
  }
}

TEST(NeighbourFamily, RefusesNumbersWhoseDistancesOverflow) {
  DenseMatrix rows(3, 1);
  rows.values = {0, 1e200, -1e200};
  DenseMatrix query(1, 1);
  expect_error(ErrorCode::invalid_data, "row 2", [&] { score_all(family_of(rows, {0, 1, 0}, {1, 2}, 2), query); });
  rows.values = {0, 1, 2};
  query.values = {2e200};
  expect_error(ErrorCode::invalid_data, "row 1", [&] { score_all(family_of(rows, {0, 1, 0}, {1, 2}, 2), query); });
}

TEST(NeighbourFamily, ThreadsAndBlocksDoNotMatter) {
  for (const bool sparse : {false, true}) {
    const DenseMatrix rows = thin_rows(130, 31);
    std::vector<int> labels;
    for (std::size_t i = 0; i < 130; ++i) labels.push_back(static_cast<int>(i % 3));
    const auto family =
        family_of(sparse ? data::Features(sparse_of(rows)) : data::Features(rows), labels, {1, 3, 5}, 3);
    const DenseMatrix queries = thin_rows(101, 32);
    const model::Scores one = score_all(family, queries, 1);
    const model::Scores two = score_all(family, queries, 2);
    EXPECT_EQ(one.values, two.values);
    EXPECT_EQ(one.labels, two.labels);
    for (const std::size_t q : {0U, 31U, 32U, 100U}) {  // alone as in company
      const std::size_t chosen[] = {q};
      const model::Scores alone = score_all(family, data::Features(queries).select_rows(chosen));
      EXPECT_TRUE(std::equal(alone.values.begin(), alone.values.end(), one.at(q, 0)));
    }
  }
}

TEST(NeighbourFamily, VisitsEveryRowOnce) {
  const auto clouds = random_clouds(20, 2, 2, 1, 1);
  const auto family = family_of(clouds.x, clouds.classes, {1}, 2);
  for (const std::size_t n : {0U, 1U, 31U, 32U, 33U, 100U}) {
    std::vector<std::atomic<int>> visits(n);
    Surroundings two(2);
    family.score(random_matrix(n, 2, 3), two.context, [&](std::size_t first, const model::Scores& block) {
      for (std::size_t i = 0; i < block.rows; ++i) ++visits[first + i];
    });
    for (const auto& count : visits) EXPECT_EQ(count.load(), 1);
  }
}

TEST(NeighbourFamily, StopsWhenAsked) {
  const auto clouds = random_clouds(20, 2, 2, 1, 1);
  const auto family = family_of(clouds.x, clouds.classes, {1}, 2);
  Surroundings one;
  int blocks = 0;
  expect_error(ErrorCode::interrupted, "stopped", [&] {
    family.score(random_matrix(500, 2, 3), one.context, [&](std::size_t, const model::Scores&) {
      if (++blocks == 2) one.monitor.cancel();
    });
  });
  EXPECT_EQ(blocks, 2);
}

TEST(NeighbourFamily, RefusesWhatHasNoMeaning) {
  const DenseMatrix rows = random_matrix(3, 2, 1);
  const auto refuse = [&](const std::string& part, const NeighbourFamily& family) {
    expect_error(ErrorCode::invalid_argument, part, [&] { score_all(family, rows); });
  };
  refuse("at least one training row", family_of(DenseMatrix(0, 2), {}, {1}, 2));
  refuse("labels for 2", family_of(rows, {0, 1}, {1}, 2));
  refuse("number of classes", family_of(rows, {0, 1, 2}, {1}, 2));
  refuse("number of classes", family_of(rows, {0, 1, -1}, {1}, 2));
  refuse("ascend", family_of(rows, {0, 1, 1}, {3, 1}, 2));
  refuse("ascend", family_of(rows, {0, 1, 1}, {0, 1}, 2));
  refuse("ascend", family_of(rows, {0, 1, 1}, {}, 2));
  expect_error(ErrorCode::invalid_data, "2 features, but the rows have 5",
               [&] { score_all(family_of(rows, {0, 1, 1}, {1}, 2), random_matrix(4, 5, 1)); });
}

}  // namespace family_vs_naive_tests
}  // namespace credence::neighbours
