#include <gtest/gtest.h>

#include <limits>

#include "credence/conformal/online.hpp"
#include "support/context.hpp"
#include "support/expect_error.hpp"
#include "support/tcm_problems.hpp"

namespace credence::conformal {
namespace neighbours_errors_tests {

using credence::test::expect_error;
using credence::test::expect_same_ranks;
using credence::test::fit_for;
using credence::test::naive_of;
using credence::test::Numbers;
using credence::test::random_problem;
using credence::test::stored;
using credence::test::Surroundings;
using credence::test::TcmProblem;
using credence::test::trained;
using data::DenseMatrix;
using neighbours::Metric;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

TcmProblem some_problem() {
  return random_problem(Numbers::normal, 10, 3, 2, 4, 51);
}

/// Rows of the problem with one number replaced: row 4 (of 1, 2, ...), column 2.
DenseMatrix with_value(double value) {
  DenseMatrix rows = some_problem().rows;
  rows.row(3)[1] = value;
  return rows;
}

void refuse_training(ErrorCode code, const std::string& part, const data::Features& rows,
                     const std::vector<int>& labels, const NeighbourOptions& options = {}) {
  Surroundings one;
  expect_error(code, part, [&] { TransductiveNeighbours(rows, labels, 2, options, one.context); });
}

TEST(NeighboursErrors, OptionsThatHaveNoMeaning) {
  Surroundings one;
  const TcmProblem problem = some_problem();
  EXPECT_TRUE(NeighbourOptions{}.validate().empty());
  for (const int k : {0, -1, std::numeric_limits<int>::min()}) {
    EXPECT_EQ(NeighbourOptions{.k = k}.validate().size(), 1U);
    refuse_training(ErrorCode::invalid_argument, "k", problem.rows, problem.labels, {.k = k});
    expect_error(ErrorCode::invalid_argument, "k", [&] { TransductiveNeighbours(3, 2, {.k = k}); });
    expect_error(ErrorCode::invalid_argument, "k",
                 [&] { TransductiveNeighbours(trained(problem, {}, one.context).state(), 2, {.k = k}); });
  }
  expect_error(ErrorCode::invalid_argument, "distances",
               [] { TransductiveNeighbours(3, 2, {.metric = Metric::precomputed}); });
}

TEST(NeighboursErrors, LabelsThatDoNotFit) {
  const TcmProblem problem = some_problem();
  for (const int wrong : {-1, 2, std::numeric_limits<int>::max(), std::numeric_limits<int>::min()}) {
    std::vector<int> labels = problem.labels;
    labels[6] = wrong;
    refuse_training(ErrorCode::invalid_argument, std::to_string(wrong), problem.rows, labels);
  }
  for (const std::size_t count : {0U, 9U, 11U})
    refuse_training(ErrorCode::invalid_argument, std::to_string(count), problem.rows, std::vector<int>(count, 0));
}

TEST(NeighboursErrors, NumbersThatAreNone) {
  const TcmProblem problem = some_problem();
  for (const double wrong : {nan, infinity, -infinity}) {
    for (const Metric metric : credence::test::measured_metrics) {
      for (const bool sparse : {false, true}) {
        refuse_training(ErrorCode::invalid_data, "row 4", stored(with_value(wrong), sparse), problem.labels,
                        {.metric = metric});
      }
    }
  }
}

/// A distance that overflowed would be taken for a missing one.
TEST(NeighboursErrors, NumbersWhoseDistancesOverflow) {
  for (const double wrong : {1e152, -1e200, std::numeric_limits<double>::max()}) {
    for (const Metric metric : credence::test::measured_metrics) {
      for (const bool sparse : {false, true}) {
        refuse_training(ErrorCode::invalid_data, "row 4", stored(with_value(wrong), sparse), some_problem().labels,
                        {.metric = metric});
      }
    }
  }
}

TEST(NeighboursErrors, RowsOfZerosHaveNoCosine) {
  DenseMatrix rows = some_problem().rows;
  for (double& value : rows.row(3)) value = 0;
  for (const bool sparse : {false, true}) {
    refuse_training(ErrorCode::invalid_data, "row 4", stored(rows, sparse), some_problem().labels,
                    {.metric = Metric::cosine});
  }
}

/// Squares of such numbers are 0 or infinite: there is no length to divide by, and no silent one either.
TEST(NeighboursErrors, RowsWithoutALengthHaveNoCosine) {
  for (const double scale : {1e-200, 1e200}) {
    DenseMatrix rows = some_problem().rows;
    for (double& value : rows.row(3)) value *= scale;
    refuse_training(ErrorCode::invalid_data, "row 4", rows, some_problem().labels, {.metric = Metric::cosine});
  }
}

TEST(NeighboursErrors, PrecomputedDistancesThatAreNone) {
  const TcmProblem problem = fit_for(Metric::precomputed, some_problem());
  const NeighbourOptions options{.metric = Metric::precomputed};
  const auto refuse = [&](const std::string& part, const DenseMatrix& rows) {
    for (const bool sparse : {false, true})
      refuse_training(ErrorCode::invalid_data, part, stored(rows, sparse), problem.labels, options);
  };
  refuse("square", some_problem().rows);
  for (const double wrong : {-1.0, nan, infinity}) {
    DenseMatrix rows = problem.rows;
    rows.row(3)[7] = wrong;
    rows.row(7)[3] = wrong;
    refuse("row 4", rows);
  }
  DenseMatrix rows = problem.rows;
  rows.row(7)[3] *= 1.001;
  refuse("symmetric", rows);
}

TEST(NeighboursErrors, QueriesThatDoNotFit) {
  Surroundings one;
  const TcmProblem problem = some_problem();
  const TransductiveNeighbours machine = trained(problem, {}, one.context);
  const TransductiveNeighbours cosine = trained(problem, {.metric = Metric::cosine}, one.context);
  const auto refuse = [&](const std::string& part, const TransductiveNeighbours& ranking, const DenseMatrix& rows) {
    for (const bool sparse : {false, true})
      expect_error(ErrorCode::invalid_data, part, [&] { ranking.ranks(stored(rows, sparse), false, one.context); });
  };
  refuse("5", machine, DenseMatrix(4, 5));
  refuse("2", machine, DenseMatrix(4, 2));
  for (const double wrong : {nan, infinity, -infinity, 1e200}) refuse("row 4", machine, with_value(wrong));
  for (const double wrong : {nan, infinity}) refuse("row 4", cosine, with_value(wrong));
  expect_error(ErrorCode::invalid_data, "row 4", [&] { machine.rank(with_value(nan), 3, false); });
  expect_error(ErrorCode::invalid_data, "5", [&] { machine.rank(DenseMatrix(4, 5), 0, false); });
  expect_error(ErrorCode::invalid_argument, "4", [&] { machine.rank(problem.queries, 4, false); });
  DenseMatrix zeros = some_problem().rows;
  for (double& value : zeros.row(3)) value = 0;
  refuse("row 4", cosine, zeros);
  const TcmProblem distances = fit_for(Metric::precomputed, problem);
  const TransductiveNeighbours precomputed = trained(distances, {.metric = Metric::precomputed}, one.context);
  refuse("3", precomputed, problem.queries);
  for (const double wrong : {-1.0, nan, infinity}) {
    DenseMatrix queries = distances.queries;
    queries.row(3)[1] = wrong;
    refuse("row 4", precomputed, queries);
  }
}

/// A step that is refused leaves everything as it was.
void refuse_step(ErrorCode code, const std::string& part, TransductiveNeighbours& machine,
                 const std::function<void()>& step) {
  const TransductiveNeighbours::State before = machine.state();
  expect_error(code, part, step);
  EXPECT_TRUE(machine.state() == before);
}

TEST(NeighboursErrors, StepsThatAreRefusedChangeNothing) {
  Surroundings one;
  const TcmProblem problem = some_problem();
  for (const Metric metric : credence::test::measured_metrics) {
    for (const bool sparse : {false, true}) {
      TransductiveNeighbours machine = trained(problem, {.k = 2, .metric = metric}, one.context, sparse);
      const auto refuse_add = [&](ErrorCode code, const std::string& part, const DenseMatrix& rows, std::size_t row,
                                  int label) {
        refuse_step(code, part, machine, [&] { machine.add(stored(rows, sparse), row, label); });
      };
      for (const int wrong : {-1, 2})
        refuse_add(ErrorCode::invalid_argument, std::to_string(wrong), problem.rows, 0, wrong);
      for (const std::size_t wrong : {10U, 1000U})
        refuse_add(ErrorCode::invalid_argument, std::to_string(wrong), problem.rows, wrong, 0);
      for (const double wrong : {nan, infinity}) refuse_add(ErrorCode::invalid_data, "row 4", with_value(wrong), 3, 0);
      for (const std::size_t columns : {2U, 4U}) {
        DenseMatrix rows(1, columns);
        rows.values.assign(columns, 1);
        refuse_add(ErrorCode::invalid_data, std::to_string(columns), rows, 0, 0);
      }
      if (metric == Metric::cosine) refuse_add(ErrorCode::invalid_data, "row 1", DenseMatrix(1, 3), 0, 0);
      for (const std::size_t wrong : {std::size_t{10}, std::numeric_limits<std::size_t>::max()})
        refuse_step(ErrorCode::invalid_argument, std::to_string(wrong), machine, [&] { machine.remove(wrong); });
      expect_same_ranks(machine.ranks(problem.queries, false, one.context),
                        naive_of(problem, machine.options()).ranks(problem.queries, false));
    }
  }
}

TEST(NeighboursErrors, PrecomputedDistancesNeitherGrowNorShrink) {
  Surroundings one;
  const TcmProblem problem = fit_for(Metric::precomputed, some_problem());
  TransductiveNeighbours machine = trained(problem, {.metric = Metric::precomputed}, one.context);
  refuse_step(ErrorCode::invalid_argument, "distances", machine, [&] { machine.add(problem.rows, 0, 0); });
  refuse_step(ErrorCode::invalid_argument, "distances", machine, [&] { machine.remove(0); });
}

TEST(NeighboursErrors, AnEmptyMachineHasNothingToRemove) {
  TransductiveNeighbours machine(2, 2, {});
  expect_error(ErrorCode::invalid_argument, "", [&] { machine.remove(0); });
}

TEST(NeighboursErrors, StatesWhosePartsDoNotFit) {
  Surroundings one;
  using State = TransductiveNeighbours::State;
  const TcmProblem problem = some_problem();
  const State good = trained(problem, {.k = 2}, one.context).state();
  const auto refuse = [&](const std::function<void(State&)>& spoil, Metric metric = Metric::euclidean) {
    State state = good;
    spoil(state);
    expect_error(ErrorCode::invalid_argument, "",
                 [&] { TransductiveNeighbours(state, 2, {.k = 2, .metric = metric}); });
  };
  refuse([](State& state) { state.labels.pop_back(); });
  refuse([](State& state) { state.labels[3] = 2; });
  refuse([](State& state) { state.labels[3] = -1; });
  refuse([](State& state) { state.rows = DenseMatrix(9, 3); });
  refuse([](State& state) { state.own = DenseMatrix(9, 2); });
  refuse([](State& state) { state.other = DenseMatrix(10, 1); });
  refuse([](State& state) { state.own.values.pop_back(); });
  refuse([](State& state) { state.own.values[4] = nan; });
  refuse([](State& state) { state.own.values[4] = -1; });
  refuse([](State& state) { std::swap(state.other.values[4], state.other.values[5]); });
  refuse([](State&) {}, Metric::precomputed);
}

TEST(NeighboursErrors, StopsWhenAsked) {
  const TcmProblem problem = some_problem();
  Surroundings free;
  Surroundings stopped;
  stopped.monitor.cancel();
  const TransductiveNeighbours machine = trained(problem, {}, free.context);
  expect_error(ErrorCode::interrupted, "stopped", [&] { trained(problem, {}, stopped.context); });
  expect_error(ErrorCode::interrupted, "stopped", [&] { machine.ranks(problem.queries, false, stopped.context); });
  expect_error(ErrorCode::interrupted, "stopped", [&] {
    run_online(problem.rows, problem.labels, 2, {}, {}, stopped.context, [](const OnlineStep&) { return true; });
  });
}

TEST(NeighboursErrors, StopsInTheMiddle) {
  const TcmProblem problem = random_problem(Numbers::normal, 3000, 2, 2, 3000, 52);
  Surroundings free;
  const TransductiveNeighbours machine = trained(problem, {}, free.context);
  const auto expect_stop = [&](const std::function<void(const core::Context&)>& run) {
    core::Monitor monitor([](const core::Monitor::Progress& progress) { return progress.done * 10 < progress.total; });
    expect_error(ErrorCode::interrupted, "stopped", [&] { run(core::Context{free.threads, monitor}); });
  };
  expect_stop([&](const core::Context& context) { trained(problem, {}, context); });
  expect_stop([&](const core::Context& context) { machine.ranks(problem.queries, false, context); });
}

}  // namespace neighbours_errors_tests
}  // namespace credence::conformal
