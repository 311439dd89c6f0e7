#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "credence/conformal/measures.hpp"
#include "support/context.hpp"
#include "support/expect_error.hpp"
#include "support/on_target.hpp"
#include "support/tcm_problems.hpp"

namespace credence::conformal {
namespace neighbours_vs_naive_tests {

using credence::test::all_measures;
using credence::test::all_metrics;
using credence::test::all_numbers;
using credence::test::expect_same_ranks;
using credence::test::fit_for;
using credence::test::naive_of;
using credence::test::NaiveTcm;
using credence::test::Numbers;
using credence::test::random_problem;
using credence::test::stored;
using credence::test::Surroundings;
using credence::test::TcmProblem;
using credence::test::thin_problem;
using credence::test::told;
using credence::test::trained;
using data::DenseMatrix;
using neighbours::Metric;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Cosine lengths overflow or vanish there: an error, not a number.
bool has_length(Numbers numbers, Metric metric) {
  return metric != Metric::cosine || numbers != Numbers::denormal;
}

/// Ranks, plain and label-conditional, and nearest distances are the naive ones.
void expect_naive(const TcmProblem& problem, const NeighbourOptions& options, const core::Context& context,
                  bool sparse_rows = false, bool sparse_queries = false) {
  const TransductiveNeighbours fast = trained(problem, options, context, sparse_rows);
  const NaiveTcm naive = naive_of(problem, options);
  const data::Features queries = stored(problem.queries, sparse_queries);
  for (const bool conditional : {false, true}) {
    SCOPED_TRACE(told(options) + (conditional ? ", label-conditional" : "") + (sparse_rows ? ", sparse" : ""));
    expect_same_ranks(fast.ranks(queries, conditional, context), naive.ranks(problem.queries, conditional));
  }
  SCOPED_TRACE(told(options));
  const TransductiveNeighbours::State state = fast.state();
  EXPECT_EQ(state.rows.to_dense().values, problem.rows.values);
  EXPECT_EQ(state.labels, problem.labels);
  EXPECT_EQ(state.own.values, naive.nearest(true).values);
  EXPECT_EQ(state.other.values, naive.nearest(false).values);
  for (std::size_t i = 0; i < problem.rows.rows; ++i) ASSERT_EQ(fast.nonconformity(i), naive.nonconformity(i)) << i;
}

void expect_naive_for_every_option(const TcmProblem& raw, std::initializer_list<Metric> metrics,
                                   std::initializer_list<int> ks, const core::Context& context) {
  for (const Metric metric : metrics) {
    const TcmProblem problem = fit_for(metric, raw);
    for (const int k : ks)
      for (const NeighbourMeasure measure : all_measures) expect_naive(problem, {measure, k, metric}, context);
  }
}

TEST(NeighboursVsNaive, EveryMeasureMetricAndKOnNumbersOfEveryKind) {
  Surroundings one;
  for (const Numbers numbers : all_numbers) {
    SCOPED_TRACE("numbers " + std::to_string(static_cast<int>(numbers)));
    const TcmProblem raw = random_problem(numbers, 41, 3, 3, 7, 11 + static_cast<std::uint64_t>(numbers));
    for (const Metric metric : all_metrics) {
      if (!has_length(numbers, metric)) continue;
      const TcmProblem problem = fit_for(metric, raw);
      for (int k = 1; k <= 5; ++k)
        for (const NeighbourMeasure measure : all_measures) expect_naive(problem, {measure, k, metric}, one.context);
    }
  }
}

TEST(NeighboursVsNaive, SizesAroundTheEdgesOfBlocks) {
  Surroundings two(2);
  for (const std::size_t n : {1U,  2U,  3U,  7U,  8U,  9U,  15U, 16U, 17U,  31U,  32U,  33U,
                              47U, 48U, 49U, 63U, 64U, 65U, 96U, 97U, 127U, 128U, 129U, 257U}) {
    SCOPED_TRACE("rows " + std::to_string(n));
    const Numbers numbers = n % 2 == 0 ? Numbers::grid : Numbers::normal;
    expect_naive_for_every_option(random_problem(numbers, n, 1 + n % 5, 2, 5, n), {Metric::euclidean}, {1, 3},
                                  two.context);
  }
}

TEST(NeighboursVsNaive, ColumnsAroundTheEdgesOfVectors) {
  Surroundings one;
  for (const std::size_t d : {1U, 2U, 3U, 4U, 5U, 7U, 8U, 9U, 15U, 16U, 17U, 31U, 32U, 33U, 64U, 65U, 300U}) {
    for (const Numbers numbers : {Numbers::tenths, Numbers::normal, Numbers::offset_grid}) {
      SCOPED_TRACE("columns " + std::to_string(d));
      expect_naive_for_every_option(random_problem(numbers, 37, d, 3, 4, 100 + d), {Metric::euclidean, Metric::cosine},
                                    {2}, one.context);
      expect_naive_for_every_option(random_problem(numbers, 37, d, 3, 4, 200 + d), {Metric::manhattan}, {1},
                                    one.context);
    }
  }
}

TEST(NeighboursVsNaive, HundredsOfRowsOfEveryKind) {
  Surroundings two(2);
  for (const Numbers numbers : all_numbers) {
    SCOPED_TRACE("numbers " + std::to_string(static_cast<int>(numbers)));
    expect_naive_for_every_option(random_problem(numbers, 299, 4, 3, 3, 31), {Metric::euclidean, Metric::manhattan},
                                  {1, 4}, two.context);
  }
}

TEST(NeighboursVsNaive, EverySimdTarget) {
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    const credence::test::OnTarget on(target);
    Surroundings one;
    for (const Numbers numbers : all_numbers) {
      SCOPED_TRACE("numbers " + std::to_string(static_cast<int>(numbers)));
      expect_naive_for_every_option(random_problem(numbers, 75, 19, 3, 4, 32), {Metric::euclidean, Metric::manhattan},
                                    {2}, one.context);
    }
  }
}

TEST(NeighboursVsNaive, FifteenHundredRows) {
  Surroundings two(2);
  for (const Numbers numbers : {Numbers::far_normal, Numbers::near_copies})
    expect_naive(random_problem(numbers, 1501, 6, 3, 4, 77), {.k = 3}, two.context);
}

TEST(NeighboursVsNaive, EveryStorage) {
  Surroundings two(2);
  for (const Numbers numbers : {Numbers::normal, Numbers::grid, Numbers::offset_grid, Numbers::tiny}) {
    for (const double zeros : {0.98, 0.6}) {
      const TcmProblem raw = thin_problem(numbers, 83, 120, zeros, 5);
      for (const Metric metric : all_metrics) {
        const TcmProblem problem = fit_for(metric, raw);
        for (const bool sparse_queries : {false, true})
          expect_naive(problem, {.k = 2, .metric = metric}, two.context, true, sparse_queries);
        expect_naive(problem, {.k = 2, .metric = metric}, two.context, false, true);
      }
    }
  }
}

TEST(NeighboursVsNaive, SparseRowsWithZerosWrittenOut) {
  Surroundings one;
  const TcmProblem problem = thin_problem(Numbers::grid, 30, 60, 0.95, 8);
  data::SparseMatrix rows;
  rows.rows = problem.rows.rows;
  rows.columns = problem.rows.columns;
  for (std::size_t i = 0; i < rows.rows; ++i) {
    for (std::size_t f = 0; f < rows.columns; ++f) {
      if (problem.rows.row(i)[f] == 0 && (i + f) % 3 != 0) continue;
      rows.indices.push_back(static_cast<std::uint32_t>(f));
      rows.values.push_back(problem.rows.row(i)[f]);
    }
    rows.offsets.push_back(rows.values.size());
  }
  const TransductiveNeighbours fast(rows, problem.labels, problem.classes, {.k = 2}, one.context);
  expect_same_ranks(fast.ranks(problem.queries, false, one.context),
                    naive_of(problem, {.k = 2}).ranks(problem.queries, false));
}

TEST(NeighboursVsNaive, ClassesThatAreSmallOrMissing) {
  Surroundings one;
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    TcmProblem problem = random_problem(seed == 2 ? Numbers::grid : Numbers::normal, 30, 2, 7, 9, seed);
    // Class 0 has 22 rows, 1 one, 2 two, 3 four, 5 one; 4 and 6 have none.
    for (std::size_t i = 0; i < 30; ++i)
      problem.labels[i] = i == 3 ? 1 : i == 7 || i == 8 ? 2 : i >= 12 && i < 16 ? 3 : i == 29 ? 5 : 0;
    expect_naive_for_every_option(problem, {Metric::euclidean}, {1, 2, 3, 4, 5, 21, 22, 29, 60}, one.context);
  }
}

TEST(NeighboursVsNaive, OneClassAlone) {
  Surroundings one;
  for (const std::size_t classes : {1U, 2U, 3U}) {
    TcmProblem problem = random_problem(Numbers::normal, 12, 2, classes, 5, classes);
    std::fill(problem.labels.begin(), problem.labels.end(), static_cast<int>(classes) - 1);
    expect_naive_for_every_option(problem, {Metric::euclidean, Metric::cosine}, {1, 3, 20}, one.context);
  }
}

TEST(NeighboursVsNaive, AllRowsEqual) {
  Surroundings one;
  TcmProblem problem = random_problem(Numbers::normal, 20, 3, 3, 6, 4);
  for (std::size_t i = 1; i < 20; ++i) credence::test::copy_row(problem.rows, 0, problem.rows, i);
  expect_naive_for_every_option(problem, {Metric::euclidean, Metric::manhattan, Metric::cosine}, {1, 2, 9},
                                one.context);
}

TEST(NeighboursVsNaive, EveryRowTwiceWithTheSameAndWithOtherLabels) {
  Surroundings one;
  for (const int shift : {0, 1}) {
    TcmProblem problem = random_problem(Numbers::normal, 40, 2, 3, 10, 6);
    for (std::size_t i = 0; i < 20; ++i) {
      credence::test::copy_row(problem.rows, i, problem.rows, 20 + i);
      problem.labels[20 + i] = (problem.labels[i] + shift) % 3;
    }
    for (std::size_t q = 0; q < 10; ++q) credence::test::copy_row(problem.rows, 3 * q, problem.queries, q);
    expect_naive_for_every_option(problem, {Metric::euclidean, Metric::cosine}, {1, 2, 5}, one.context);
  }
}

TEST(NeighboursVsNaive, DirectionsThatAreEqualButForRounding) {
  Surroundings one;
  TcmProblem problem = random_problem(Numbers::grid, 40, 3, 2, 8, 9);
  for (std::size_t i = 0; i < 40; ++i)
    for (double& value : problem.rows.row(i)) value = (value + 1) * (0.1 + 0.7 * static_cast<double>(i % 5));
  for (double& value : problem.queries.values) value = (value + 1) / 3;
  expect_naive_for_every_option(problem, {Metric::cosine}, {1, 2, 5}, one.context);
}

TEST(NeighboursVsNaive, PrecomputedDiagonalIsNobodysDistance) {
  Surroundings one;
  TcmProblem problem = fit_for(Metric::precomputed, random_problem(Numbers::normal, 25, 3, 3, 6, 10));
  for (std::size_t i = 0; i < 25; ++i) problem.rows.row(i)[i] = static_cast<double>(i % 4);
  for (const int k : {1, 3}) expect_naive(problem, {.k = k, .metric = Metric::precomputed}, one.context);
}

/// Sums that float cannot hold, or whose ratios vanish.
TEST(NeighboursVsNaive, PrecomputedDistancesOfEveryMagnitude) {
  Surroundings one;
  for (const double scale : {1e37, 1e38, 1e39, 1e45, 1e150, 1e-38, 1e-45, 1e-150, 1e-300}) {
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
      TcmProblem problem = fit_for(Metric::precomputed, random_problem(Numbers::normal, 9, 2, 2, 12, 500 + seed));
      for (DenseMatrix* matrix : {&problem.rows, &problem.queries})
        for (double& value : matrix->values) value *= scale;
      expect_naive(problem, {.k = 1 + static_cast<int>(seed % 3), .metric = Metric::precomputed}, one.context);
    }
  }
}

TEST(NeighboursVsNaive, RatiosThatVanish) {
  Surroundings one;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    TcmProblem problem = random_problem(Numbers::grid, 12, 1, 2, 12, 700 + seed);
    core::RandomStream random(seed, 903);
    for (DenseMatrix* matrix : {&problem.rows, &problem.queries})
      for (double& value : matrix->values) value *= random.uniform() < 0.5 ? 1e-190 : 1e140;
    expect_naive(problem, {.metric = Metric::manhattan}, one.context);
  }
}

/// Random sizes, settings and storage, mostly small enough for every edge to be met.
TEST(NeighboursVsNaive, HundredsOfRandomProblems) {
  Surroundings one;
  Surroundings two(2);
  core::RandomStream random(20020819, 903);
  for (int trial = 0; trial < 400 && !HasFailure(); ++trial) {
    const std::size_t n = 1 + random.below(trial % 4 == 0 ? 70 : 14);
    const Numbers numbers = all_numbers[random.below(all_numbers.size())];
    const Metric metric = all_metrics[random.below(all_metrics.size())];
    if (!has_length(numbers, metric)) continue;
    const NeighbourOptions options{all_measures[random.below(all_measures.size())],
                                   static_cast<int>(1 + random.below(5)), metric};
    const TcmProblem problem = fit_for(metric, random_problem(numbers, n, 1 + random.below(6), 1 + random.below(5),
                                                              1 + random.below(6), random.below(1U << 30)));
    SCOPED_TRACE("trial " + std::to_string(trial) + ", numbers " + std::to_string(static_cast<int>(numbers)));
    expect_naive(problem, options, trial % 2 == 0 ? one.context : two.context, random.below(2) == 0,
                 random.below(2) == 0);
  }
}

TEST(NeighboursVsNaive, RowsAreRankedEachByItselfWhateverTheThreads) {
  Surroundings one;
  Surroundings two(2);
  const TcmProblem problem = random_problem(Numbers::tenths, 150, 3, 3, 131, 12);
  const TransductiveNeighbours fast = trained(problem, {.k = 2}, one.context);
  const TransductiveNeighbours other = trained(problem, {.k = 2}, two.context);
  EXPECT_TRUE(fast.state() == other.state());
  const Ranks all = fast.ranks(problem.queries, false, one.context);
  expect_same_ranks(other.ranks(problem.queries, false, two.context), all);
  for (const std::size_t count : {0U, 1U, 15U, 16U, 17U, 31U, 32U, 33U, 64U, 130U}) {
    std::vector<std::size_t> chosen;
    for (std::size_t q = 0; q < count; ++q) chosen.push_back(130 - q);
    const Ranks some = fast.ranks(data::Features(problem.queries).select_rows(chosen), false, two.context);
    ASSERT_EQ(some.rows, count);
    for (std::size_t q = 0; q < count; ++q)
      for (std::size_t c = 0; c < 3; ++c) EXPECT_TRUE(some.at(q, c) == all.at(130 - q, c)) << count << ' ' << q;
  }
}

TEST(NeighboursVsNaive, OneRowIsRankedAsInCompany) {
  Surroundings one;
  for (const Metric metric : all_metrics) {
    const TcmProblem problem = fit_for(metric, thin_problem(Numbers::grid, 50, 40, 0.9, 13));
    for (const bool sparse : {false, true}) {
      const data::Features queries = stored(problem.queries, sparse);
      const TransductiveNeighbours fast = trained(problem, {.k = 2, .metric = metric}, one.context, !sparse);
      for (const bool conditional : {false, true}) {
        const Ranks all = fast.ranks(queries, conditional, one.context);
        for (std::size_t q = 0; q < all.rows; ++q) {
          const std::vector<Rank> alone = fast.rank(queries, q, conditional);
          ASSERT_EQ(alone.size(), all.classes);
          for (std::size_t c = 0; c < all.classes; ++c) EXPECT_TRUE(alone[c] == all.at(q, c)) << q << ' ' << c;
        }
      }
    }
  }
}

/// Halves that differ by rounding are one matrix: the upper one.
TEST(NeighboursVsNaive, TheUpperHalfOfPrecomputedDistancesCounts) {
  Surroundings one;
  const TcmProblem problem = fit_for(Metric::precomputed, random_problem(Numbers::grid, 40, 3, 2, 10, 14));
  TcmProblem uneven = problem;
  for (std::size_t i = 0; i < 40; ++i)
    for (std::size_t j = 0; j < i; ++j) uneven.rows.row(i)[j] *= 1 + 1e-9 * static_cast<double>((i + j) % 3);
  const NeighbourOptions options{.k = 2, .metric = Metric::precomputed};
  const TransductiveNeighbours fast = trained(uneven, options, one.context);
  const NaiveTcm naive = naive_of(problem, options);
  expect_same_ranks(fast.ranks(problem.queries, false, one.context), naive.ranks(problem.queries, false));
  EXPECT_EQ(fast.state().own.values, naive.nearest(true).values);
  EXPECT_EQ(fast.state().other.values, naive.nearest(false).values);
}

TEST(NeighboursVsNaive, WithoutAnExampleNobodyIsCompared) {
  Surroundings one;
  const TransductiveNeighbours empty(3, 2, {.k = 2});
  EXPECT_EQ(empty.size(), 0U);
  EXPECT_EQ(empty.columns(), 3U);
  EXPECT_EQ(empty.class_counts(), (std::vector<std::size_t>{0, 0}));
  for (const bool conditional : {false, true}) {
    const Ranks ranks = empty.ranks(DenseMatrix(2, 3), conditional, one.context);
    EXPECT_EQ(ranks.values, std::vector<Rank>(4));
  }
}

TEST(Measures, AreTheRulesOfTheirHeaders) {
  using List = std::vector<double>;
  EXPECT_EQ(neighbour_ratio(List{1, 2}, List{3, 4}), 3.0 / 7);
  EXPECT_EQ(neighbour_ratio(List{1, 2}, List{3}), 1.5 / 3);
  EXPECT_EQ(neighbour_ratio(List{1}, List{3, 4}), 1 / 3.5);
  EXPECT_EQ(neighbour_ratio(List{0}, List{0}), 1);
  EXPECT_EQ(neighbour_ratio(List{0, 0}, List{0}), 1);
  EXPECT_EQ(neighbour_ratio(List{0, 2}, List{0, 0}), infinity);
  EXPECT_EQ(neighbour_ratio(List{0}, List{2}), 0);
  EXPECT_EQ(neighbour_ratio(List{}, List{2}), infinity);
  EXPECT_EQ(neighbour_ratio(List{}, List{}), infinity);
  EXPECT_EQ(neighbour_ratio(List{2}, List{}), 0);
  EXPECT_EQ(neighbour_ratio(List{0}, List{}), 0);
  EXPECT_EQ(neighbour_ratio(List{0.1, 0.2, 0.3}, List{1, 1, 1}), ((0.1 + 0.2) + 0.3) / 3);
  EXPECT_EQ(own_class_distance(List{1, 2}, 2), 3);
  EXPECT_EQ(own_class_distance(List{1, 2}, 5), 7.5);
  EXPECT_EQ(own_class_distance(List{0.1}, 3), 0.1 * 3);
  EXPECT_EQ(own_class_distance(List{0, 0}, 3), 0);
  EXPECT_EQ(own_class_distance(List{}, 3), infinity);
}

/// Eighths, whose sums do not round.
std::vector<double> eighths(std::size_t count) {
  std::vector<double> weights;
  for (std::size_t i = 0; i < count; ++i) weights.push_back(static_cast<double>(1 + i * 7 % 23) / 8);
  return weights;
}

TEST(NeighboursVsNaive, KnownWeightsTakeThePlaceOfCounts) {
  const Surroundings two(2);
  for (const Numbers numbers : {Numbers::grid, Numbers::normal}) {
    const TcmProblem problem = random_problem(numbers, 83, 3, 3, 19, 31);
    const std::vector<double> weights = eighths(83);
    for (const int k : {1, 3}) {
      for (const NeighbourMeasure measure : all_measures) {
        const NeighbourOptions options{measure, k};
        const TransductiveNeighbours fast(problem.rows, problem.labels, problem.classes, options, two.context, weights);
        const NaiveTcm naive(problem.rows, problem.labels, problem.classes, options, weights);
        for (const bool conditional : {false, true}) {
          const Ranks expected = naive.ranks(problem.queries, conditional);
          expect_same_ranks(fast.ranks(problem.queries, conditional, two.context), expected);
          const TransductiveNeighbours restored(fast.state(), problem.classes, options);
          expect_same_ranks(restored.ranks(problem.queries, conditional, two.context), expected);
        }
        double sum = 0;
        double squares = 0;
        for (const double weight : weights) sum += weight, squares += weight * weight;
        EXPECT_DOUBLE_EQ(fast.effective_rows().value(), sum * sum / squares);
      }
    }
  }
}

TEST(NeighboursVsNaive, ExamplesWithWeightsStayAsTheyAre) {
  const Surroundings one;
  const TcmProblem problem = random_problem(Numbers::normal, 12, 2, 2, 3, 32);
  TransductiveNeighbours machine(problem.rows, problem.labels, 2, {}, one.context, eighths(12));
  test::expect_error(ErrorCode::invalid_argument, "not added one by one", [&] { machine.add(problem.queries, 0, 1); });
  test::expect_error(ErrorCode::invalid_argument, "not removed one by one", [&] { machine.remove(3); });
  test::expect_error(ErrorCode::invalid_argument, "12 examples have a nonconformity score, but 11 have weights",
                     [&] { TransductiveNeighbours(problem.rows, problem.labels, 2, {}, one.context, eighths(11)); });
}

}  // namespace neighbours_vs_naive_tests
}  // namespace credence::conformal
