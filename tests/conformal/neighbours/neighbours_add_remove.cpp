#include <gtest/gtest.h>

#include <cstring>
#include <span>

#include "support/context.hpp"
#include "support/tcm_problems.hpp"

namespace credence::conformal {
namespace neighbours_add_remove_tests {

using credence::test::all_measures;
using credence::test::all_numbers;
using credence::test::expect_same_ranks;
using credence::test::fit_for;
using credence::test::measured_metrics;
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

bool same_bytes(std::span<const double> a, std::span<const double> b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

/// Byte by byte; rows by their numbers, whatever the storage.
void expect_same_state(const TransductiveNeighbours& a, const TransductiveNeighbours& b) {
  const TransductiveNeighbours::State first = a.state();
  const TransductiveNeighbours::State second = b.state();
  EXPECT_TRUE(same_bytes(first.rows.to_dense().values, second.rows.to_dense().values));
  EXPECT_EQ(first.rows.columns(), second.rows.columns());
  EXPECT_EQ(first.labels, second.labels);
  EXPECT_TRUE(same_bytes(first.own.values, second.own.values));
  EXPECT_TRUE(same_bytes(first.other.values, second.other.values));
  EXPECT_EQ(a.class_counts(), b.class_counts());
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_EQ(a.nonconformity(i), b.nonconformity(i)) << i;
}

void expect_naive_ranks(const TransductiveNeighbours& machine, const TcmProblem& problem,
                        const core::Context& context) {
  const NaiveTcm naive = naive_of(problem, machine.options());
  for (const bool conditional : {false, true})
    expect_same_ranks(machine.ranks(problem.queries, conditional, context), naive.ranks(problem.queries, conditional));
}

/// Two machines that cannot be told apart, and neither from the naive code.
void expect_same(const TransductiveNeighbours& machine, const TcmProblem& problem, const core::Context& context,
                 bool sparse = false) {
  SCOPED_TRACE(told(machine.options()));
  expect_same_state(machine, trained(problem, machine.options(), context, sparse));
  expect_naive_ranks(machine, problem, context);
}

TransductiveNeighbours grown(const TcmProblem& problem, const NeighbourOptions& options, bool sparse) {
  TransductiveNeighbours machine(problem.rows.columns, problem.classes, options);
  const data::Features rows = stored(problem.rows, sparse);
  for (std::size_t i = 0; i < problem.rows.rows; ++i) machine.add(rows, i, problem.labels[i]);
  return machine;
}

/// What remove does to the examples' numbers.
void remove_from(TcmProblem& problem, std::size_t i) {
  const std::size_t last = problem.rows.rows - 1;
  credence::test::copy_row(problem.rows, last, problem.rows, i);
  problem.labels[i] = problem.labels[last];
  problem.labels.pop_back();
  problem.rows.values.resize(last * problem.rows.columns);
  problem.rows.rows = last;
}

TEST(NeighboursAddRemove, OneByOneIsAllAtOnce) {
  Surroundings one;
  for (const Numbers numbers : all_numbers) {
    SCOPED_TRACE("numbers " + std::to_string(static_cast<int>(numbers)));
    for (const Metric metric : measured_metrics) {
      if (metric == Metric::cosine && numbers == Numbers::denormal) continue;
      const TcmProblem problem = fit_for(metric, random_problem(numbers, 35, 3, 3, 4, 21));
      for (const int k : {1, 3})
        for (const NeighbourMeasure measure : all_measures)
          expect_same(grown(problem, {measure, k, metric}, false), problem, one.context);
    }
  }
}

TEST(NeighboursAddRemove, OneByOneFromSparseRows) {
  Surroundings one;
  for (const double zeros : {0.98, 0.6}) {
    for (const Metric metric : measured_metrics) {
      const TcmProblem problem = fit_for(metric, thin_problem(Numbers::grid, 40, 100, zeros, 22));
      expect_same(grown(problem, {.k = 2, .metric = metric}, true), problem, one.context, true);
      expect_same(grown(problem, {.k = 2, .metric = metric}, true), problem, one.context, false);
    }
  }
}

TEST(NeighboursAddRemove, EitherStorageIsAddedToEither) {
  Surroundings one;
  const TcmProblem problem = thin_problem(Numbers::normal, 30, 80, 0.97, 23);
  for (const bool sparse : {false, true}) {
    TcmProblem half = problem;
    while (half.rows.rows > 15) remove_from(half, half.rows.rows - 1);
    TransductiveNeighbours machine = trained(half, {.k = 2}, one.context, sparse);
    const data::Features rows = stored(problem.rows, !sparse);
    for (std::size_t i = 15; i < 30; ++i) machine.add(rows, i, problem.labels[i]);
    expect_same(machine, problem, one.context);
  }
}

TEST(NeighboursAddRemove, RemoveUndoesAddToTheLastBit) {
  Surroundings one;
  for (const Numbers numbers : all_numbers) {
    for (const Metric metric : measured_metrics) {
      if (metric == Metric::cosine && numbers == Numbers::denormal) continue;
      for (const bool sparse : {false, true}) {
        const TcmProblem problem = fit_for(metric, random_problem(numbers, 33, 3, 4, 9, 24));
        SCOPED_TRACE("numbers " + std::to_string(static_cast<int>(numbers)));
        const TransductiveNeighbours before = trained(problem, {.k = 3, .metric = metric}, one.context, sparse);
        TransductiveNeighbours machine = trained(problem, {.k = 3, .metric = metric}, one.context, sparse);
        const TransductiveNeighbours::State state = machine.state();
        for (std::size_t q = 0; q < problem.queries.rows; ++q) {  // every third is one of the rows
          machine.add(stored(problem.queries, sparse), q, static_cast<int>(q % 4));
          EXPECT_FALSE(machine.state() == state);
          machine.remove(machine.size() - 1);
          EXPECT_TRUE(machine.state() == state);
          expect_same_state(machine, before);
        }
        expect_naive_ranks(machine, problem, one.context);
      }
    }
  }
}

TEST(NeighboursAddRemove, RemoveIsTrainingWithout) {
  Surroundings one;
  for (const Numbers numbers : {Numbers::grid, Numbers::normal, Numbers::far_normal, Numbers::outlier}) {
    for (const Metric metric : measured_metrics) {
      for (const int k : {1, 2, 4}) {
        for (const bool sparse : {false, true}) {
          TcmProblem problem = fit_for(metric, random_problem(numbers, 34, 2, 3, 3, 25));
          TransductiveNeighbours machine = trained(problem, {.k = k, .metric = metric}, one.context, sparse);
          for (const std::size_t i : {17U, 0U, 31U, 5U}) {
            machine.remove(i);
            remove_from(problem, i);
            expect_same(machine, problem, one.context, sparse);
          }
        }
      }
    }
  }
}

TEST(NeighboursAddRemove, DownToNothingAndUpAgain) {
  Surroundings one;
  for (const bool sparse : {false, true}) {
    const TcmProblem problem = random_problem(Numbers::grid, 20, 2, 3, 3, 26);
    TransductiveNeighbours machine = trained(problem, {.k = 2}, one.context, sparse);
    TcmProblem rest = problem;
    while (machine.size() > 0) {
      const std::size_t i = machine.size() / 2;
      machine.remove(i);
      remove_from(rest, i);
      if (machine.size() > 0) expect_same(machine, rest, one.context, sparse);
    }
    EXPECT_EQ(machine.ranks(problem.queries, false, one.context).values, std::vector<Rank>(9));
    const data::Features rows = stored(problem.rows, sparse);
    for (std::size_t i = 0; i < 20; ++i) machine.add(rows, i, problem.labels[i]);
    expect_same(machine, problem, one.context, sparse);
  }
}

/// Steps up and down in random order; the naive code looks at every fifth state.
void wander(const TcmProblem& pool, const NeighbourOptions& options, bool sparse, core::RandomStream& random,
            const core::Context& context) {
  TransductiveNeighbours machine(pool.rows.columns, pool.classes, options);
  TcmProblem problem{DenseMatrix(0, pool.rows.columns), {}, pool.classes, pool.queries};
  const data::Features rows = stored(pool.rows, sparse);
  for (int step = 0; step < 90; ++step) {
    if (machine.size() == 0 || random.uniform() < (step < 50 ? 0.75 : 0.35)) {
      const std::size_t i = random.below(pool.rows.rows);
      const int label = static_cast<int>(random.below(pool.classes));
      machine.add(rows, i, label);
      problem.rows.values.insert(problem.rows.values.end(), pool.rows.row(i).begin(), pool.rows.row(i).end());
      ++problem.rows.rows;
      problem.labels.push_back(label);
    } else {
      const std::size_t i = random.below(machine.size());
      machine.remove(i);
      remove_from(problem, i);
    }
    if (step % 5 == 4 && machine.size() > 0) expect_same(machine, problem, context, sparse);
  }
}

TEST(NeighboursAddRemove, RandomSteps) {
  Surroundings one;
  core::RandomStream random(4, 904);
  for (int trial = 0; trial < 24 && !HasFailure(); ++trial) {
    SCOPED_TRACE("trial " + std::to_string(trial));
    const Numbers numbers = trial % 2 == 0 ? Numbers::grid : all_numbers[random.below(all_numbers.size())];
    Metric metric = measured_metrics[random.below(3)];
    if (numbers == Numbers::denormal) metric = Metric::manhattan;
    const NeighbourOptions options{all_measures[random.below(all_measures.size())],
                                   static_cast<int>(1 + random.below(4)), metric};
    wander(fit_for(metric, random_problem(numbers, 25, 2, 3, 3, random.below(1000))), options, trial % 3 == 0, random,
           one.context);
  }
}

TEST(NeighboursAddRemove, StateMakesTheSameMachine) {
  Surroundings one;
  for (const Metric metric : credence::test::all_metrics) {
    for (const bool sparse : {false, true}) {
      TcmProblem problem = fit_for(metric, thin_problem(Numbers::tenths, 30, 40, 0.8, 27));
      const TransductiveNeighbours first = trained(problem, {.k = 3, .metric = metric}, one.context, sparse);
      TransductiveNeighbours second(first.state(), problem.classes, first.options());
      EXPECT_TRUE(second.state() == first.state());
      expect_same(second, problem, one.context, sparse);
      if (metric == Metric::precomputed) continue;
      second.remove(4);
      remove_from(problem, 4);
      second.add(stored(problem.queries, sparse), 1, 2);
      second.remove(second.size() - 1);
      expect_same(second, problem, one.context, sparse);
    }
  }
}

TEST(NeighboursAddRemove, AnEmptyStateMakesAnEmptyMachine) {
  Surroundings one;
  const TransductiveNeighbours first(2, 3, {.k = 2});
  TransductiveNeighbours second(first.state(), 3, {.k = 2});
  EXPECT_EQ(second.size(), 0U);
  EXPECT_EQ(second.columns(), 2U);
  const TcmProblem problem = random_problem(Numbers::grid, 9, 2, 3, 2, 28);
  for (std::size_t i = 0; i < 9; ++i) second.add(problem.rows, i, problem.labels[i]);
  expect_same(second, problem, one.context);
}

TEST(NeighboursAddRemove, MovedMachinesGoOn) {
  Surroundings one;
  const TcmProblem problem = random_problem(Numbers::grid, 12, 2, 2, 3, 29);
  TransductiveNeighbours first = trained(problem, {}, one.context);
  TransductiveNeighbours second(std::move(first));
  expect_same(second, problem, one.context);
  TransductiveNeighbours third(5, 4, {.k = 3});
  third = std::move(second);
  expect_same(third, problem, one.context);
}

}  // namespace neighbours_add_remove_tests
}  // namespace credence::conformal
