#include <gtest/gtest.h>

#include <cmath>

#include "credence/conformal/evaluation.hpp"
#include "credence/conformal/measures.hpp"
#include "credence/data/reader.hpp"
#include "support/context.hpp"
#include "support/naive_tcm.hpp"
#include "support/shared_data.hpp"

namespace credence::conformal {
namespace neighbours_paper_values_tests {

using credence::test::NaiveTcm;
using credence::test::shared_data;
using credence::test::Surroundings;
using data::DenseMatrix;

DenseMatrix matrix(std::size_t columns, std::vector<double> values) {
  DenseMatrix result(values.size() / columns, columns);
  result.values = std::move(values);
  return result;
}

/// Class 0: A (0,0), B (1,0), C (0,1); class 1: D (4,4), E (3,4), F (4,3). Point reflection at (2,2) swaps A and D, B
/// and E, C and F, and the queries (1,1) and (3,3).
struct SixPoints {
  DenseMatrix rows = matrix(2, {0, 0, 1, 0, 0, 1, 4, 4, 3, 4, 4, 3});
  std::vector<int> labels{0, 0, 0, 1, 1, 1};
  DenseMatrix queries = matrix(2, {1, 1, 3, 3});
  Surroundings one;

  TransductiveNeighbours machine(NeighbourMeasure measure) const {
    return {rows, labels, 2, {.measure = measure}, one.context};
  }
};

TEST(NeighboursByHand, NonconformityOfTheExamples) {
  const SixPoints six;
  const TransductiveNeighbours machine = six.machine(NeighbourRatio::measure());
  // Nearest own: 1 everywhere. Nearest other: A to E, 5; B to F, sqrt(9 + 9), nearer than to E, sqrt(4 + 16).
  for (const std::size_t corner : {0U, 3U}) EXPECT_EQ(machine.nonconformity(corner), 1.0 / 5);
  for (const std::size_t inner : {1U, 2U, 4U, 5U}) EXPECT_EQ(machine.nonconformity(inner), 1 / std::sqrt(18.0));
  const TransductiveNeighbours own = six.machine(OwnClassDistance::measure());
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(own.nonconformity(i), 1);
}

TEST(NeighboursByHand, RatioOfSixPoints) {
  const SixPoints six;
  // Query (1,1) is sqrt(2), 1, 1 from A, B, C and sqrt(18), sqrt(13), sqrt(13) from D, E, F.
  //   As class 0 its nonconformity score is 1 / sqrt(13) = 0.277. Own distances of A, B, C stay 1: 0.2, 0.236, 0.236.
  //   Other distances of D, E, F become sqrt(18), sqrt(13), sqrt(13): 0.236, 0.277, 0.277. So E and F are as strange.
  //   As class 1 it is sqrt(13) / 1. A, B, C have an other at sqrt(2), 1, 1: 0.707, 1, 1; D, E, F stay. None is.
  const Ranks plain = six.machine(NeighbourRatio::measure()).ranks(six.queries, false, six.one.context);
  EXPECT_EQ(plain.values, (std::vector<Rank>{{0, 2, 6}, {0, 0, 6}, {0, 0, 6}, {0, 2, 6}}));
  const Ranks conditional = six.machine(NeighbourRatio::measure()).ranks(six.queries, true, six.one.context);
  EXPECT_EQ(conditional.values, (std::vector<Rank>{{0, 0, 3}, {0, 0, 3}, {0, 0, 3}, {0, 0, 3}}));

  model::Prediction prediction;
  prediction.p_value = p_values(plain, {});
  EXPECT_EQ(prediction.p_value.values, (std::vector<double>{3.0 / 7, 1.0 / 7, 1.0 / 7, 3.0 / 7}));
  conclude(prediction);
  EXPECT_EQ(prediction.label, (std::vector<int>{0, 1}));
  EXPECT_EQ(prediction.credibility, std::vector<double>(2, 3.0 / 7));
  EXPECT_EQ(prediction.confidence, std::vector<double>(2, 1 - 1.0 / 7));
}

TEST(NeighboursByHand, OwnClassDistanceOfSixPoints) {
  const SixPoints six;
  // As its own class (1,1) is 1 away, as all others are; as the other sqrt(13).
  const TransductiveNeighbours machine = six.machine(OwnClassDistance::measure());
  EXPECT_EQ(machine.ranks(six.queries, false, six.one.context).values,
            (std::vector<Rank>{{0, 6, 6}, {0, 0, 6}, {0, 0, 6}, {0, 6, 6}}));
  EXPECT_EQ(machine.ranks(six.queries, true, six.one.context).values,
            (std::vector<Rank>{{0, 3, 3}, {0, 0, 3}, {0, 0, 3}, {0, 3, 3}}));
}

TEST(NeighboursByHand, SmoothingSharesTheTies) {
  EXPECT_EQ(smoothed_p_value({0, 2, 6}, 0.5), 1.5 / 7);
  EXPECT_EQ(smoothed_p_value({3, 1, 6}, 0.25), 3.5 / 7);
  EXPECT_EQ(smoothed_p_value({0, 0, 0}, 0.75), 0.75);
  EXPECT_EQ(p_value({3, 1, 6}), 5.0 / 7);
  EXPECT_EQ(p_value({0, 0, 0}), 1);
}

struct Satellite {
  data::Dataset train = data::read(shared_data("satellite.train.csv.gz"));
  data::Dataset test = data::read(shared_data("satellite.test.csv.gz"), {.schema = &train.schema});
  Surroundings two{2};

  TransductiveNeighbours machine() const {
    return {train.features, train.labels, train.class_count(), {}, two.context};
  }
};

/// Table 3 of the paper (64.4, 35.6, 0, 98.8 and 86.5, 13.5, 0, 94.9 %) and the error of Table 1 (10.6 %).
TEST(NeighboursPaperValues, Satellite) {
  CREDENCE_NEEDS_SHARED_DATA("satellite.train.csv.gz");
  const Satellite satellite;
  ASSERT_EQ(satellite.test.rows(), 2000U);
  const Ranks ranks = satellite.machine().ranks(satellite.test.features, false, satellite.two.context);
  const double levels[] = {0.01, 0.05};
  const Evaluation found = evaluate(p_values(ranks, {}), satellite.test.labels, levels, false);
  EXPECT_EQ(found.rows, 2000U);
  EXPECT_EQ(found.errors, 212U);  // 10.60 %
  ASSERT_EQ(found.levels.size(), 2U);
  EXPECT_EQ(found.levels[0].single, 1288U);   // 64.40 %
  EXPECT_EQ(found.levels[0].multiple, 712U);  // 35.60 %
  EXPECT_EQ(found.levels[0].empty, 0U);
  EXPECT_EQ(found.levels[0].single_errors, 16U);  // 98.76 % of 1288 are right
  EXPECT_EQ(found.levels[1].single, 1730U);       // 86.50 %
  EXPECT_EQ(found.levels[1].multiple, 270U);      // 13.50 %
  EXPECT_EQ(found.levels[1].empty, 0U);
  EXPECT_EQ(found.levels[1].single_errors, 89U);  // 94.86 % of 1730 are right
}

TEST(NeighboursPaperValues, SatelliteEqualsTheNaiveCode) {
  CREDENCE_NEEDS_SHARED_DATA("satellite.train.csv.gz");
  const Satellite satellite;
  const NaiveTcm naive(satellite.train.features.to_dense(), satellite.train.labels, satellite.train.class_count(), {});
  const std::size_t chosen[] = {1234};
  const data::Features queries = satellite.test.features.select_rows(chosen);
  const TransductiveNeighbours machine = satellite.machine();
  EXPECT_EQ(machine.ranks(queries, false, satellite.two.context).values, naive.ranks(queries.to_dense(), false).values);
  EXPECT_TRUE(machine.state().own.values == naive.nearest(true).values);
  EXPECT_TRUE(machine.state().other.values == naive.nearest(false).values);
}

}  // namespace neighbours_paper_values_tests
}  // namespace credence::conformal
