#include "credence/conformal/online.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "support/context.hpp"
#include "support/expect_error.hpp"
#include "support/tcm_problems.hpp"

namespace credence::conformal {
namespace online_vs_naive_tests {

using credence::test::all_measures;
using credence::test::expect_error;
using credence::test::fit_for;
using credence::test::measured_metrics;
using credence::test::naive_of;
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

/// The first t examples, with the next one as the query.
TcmProblem prefix(const TcmProblem& stream, std::size_t t) {
  TcmProblem result{DenseMatrix(t, stream.rows.columns), {}, stream.classes, DenseMatrix(1, stream.rows.columns)};
  for (std::size_t i = 0; i < t; ++i) {
    credence::test::copy_row(stream.rows, i, result.rows, i);
    result.labels.push_back(stream.labels[i]);
  }
  credence::test::copy_row(stream.rows, t, result.queries, 0);
  return result;
}

double p_of(const Rank& rank, const PValueOptions& options, std::size_t step) {
  return options.smoothed ? smoothed_p_value(rank, smoothing_tau(options.seed, step)) : p_value(rank);
}

/// The step's p-values are those of the naive code and of a machine trained on what came before.
void expect_step(const TcmProblem& stream, std::size_t t, const OnlineStep& step, const NeighbourOptions& neighbours,
                 const PValueOptions& options, const core::Context& context) {
  const TcmProblem before = prefix(stream, t);
  const Ranks naive = naive_of(before, neighbours).ranks(before.queries, options.label_conditional);
  const Ranks fresh =
      t == 0 ? TransductiveNeighbours(stream.rows.columns, stream.classes, neighbours)
                   .ranks(before.queries, options.label_conditional, context)
             : trained(before, neighbours, context).ranks(before.queries, options.label_conditional, context);
  ASSERT_EQ(step.p_value.size(), stream.classes);
  for (std::size_t c = 0; c < stream.classes; ++c) {
    ASSERT_EQ(step.p_value[c], p_of(naive.at(0, c), options, t)) << "step " << t << ", class " << c;
    ASSERT_TRUE(fresh.at(0, c) == naive.at(0, c)) << "step " << t << ", class " << c;
  }
  EXPECT_EQ(step.truth, stream.labels[t]);
  EXPECT_EQ(step.label, std::max_element(step.p_value.begin(), step.p_value.end()) - step.p_value.begin());
}

std::vector<OnlineStep> steps_of(const TcmProblem& stream, const NeighbourOptions& neighbours,
                                 const PValueOptions& options, const core::Context& context, bool sparse = false) {
  std::vector<OnlineStep> steps;
  run_online(stored(stream.rows, sparse), stream.labels, stream.classes, neighbours, options, context,
             [&](const OnlineStep& step) {
               steps.push_back(step);
               return true;
             });
  return steps;
}

void expect_naive_stream(const TcmProblem& stream, const NeighbourOptions& neighbours, const PValueOptions& options,
                         const core::Context& context, bool sparse) {
  SCOPED_TRACE(told(neighbours) + (options.smoothed ? ", smoothed" : "") +
               (options.label_conditional ? ", label-conditional" : ""));
  const std::vector<OnlineStep> steps = steps_of(stream, neighbours, options, context, sparse);
  ASSERT_EQ(steps.size(), stream.labels.size());
  for (std::size_t t = 0; t < steps.size(); ++t) expect_step(stream, t, steps[t], neighbours, options, context);
}

TEST(OnlineVsNaive, EveryStepOfEverySetting) {
  Surroundings one;
  Surroundings two(2);
  for (const Metric metric : measured_metrics) {
    for (const NeighbourMeasure measure : all_measures) {
      for (const bool smoothed : {false, true}) {
        for (const bool conditional : {false, true}) {
          const Numbers numbers = conditional ? Numbers::tenths : Numbers::grid;
          const TcmProblem stream = fit_for(metric, random_problem(numbers, 45, 3, 3, 0, 61));
          const PValueOptions options{.smoothed = smoothed, .label_conditional = conditional, .seed = 7};
          const core::Context& context = smoothed ? one.context : two.context;
          expect_naive_stream(stream, {measure, 2, metric}, options, context, conditional);
        }
      }
    }
  }
}

TEST(OnlineVsNaive, SparseRows) {
  Surroundings one;
  for (const double zeros : {0.98, 0.6}) {
    expect_naive_stream(thin_problem(Numbers::grid, 40, 90, zeros, 62), {.k = 1}, {.smoothed = true, .seed = 3},
                        one.context, true);
  }
}

TEST(OnlineVsNaive, ClassesThatComeLateOrNever) {
  Surroundings one;
  TcmProblem stream = random_problem(Numbers::normal, 40, 2, 5, 0, 63);
  for (std::size_t i = 0; i < 40; ++i) stream.labels[i] = i < 10 ? 2 : i % 3 == 0 ? 4 : i == 20 ? 0 : 2;
  for (const bool conditional : {false, true})
    expect_naive_stream(stream, {.k = 3}, {.label_conditional = conditional}, one.context, false);
}

TEST(OnlineVsNaive, LargerStreamsWithTwoThreads) {
  Surroundings two(2);
  const TcmProblem stream = random_problem(Numbers::far_normal, 140, 3, 2, 0, 64);
  expect_naive_stream(stream, {.k = 2}, {.smoothed = true, .seed = 11}, two.context, false);
}

TEST(OnlineVsNaive, StopsWhenTheVisitorSaysSo) {
  Surroundings one;
  const TcmProblem stream = random_problem(Numbers::normal, 30, 2, 2, 0, 65);
  int steps = 0;
  run_online(stream.rows, stream.labels, 2, {}, {}, one.context, [&](const OnlineStep&) { return ++steps < 12; });
  EXPECT_EQ(steps, 12);
}

TEST(OnlineVsNaive, StopsInTheMiddleWhenAsked) {
  Surroundings one;
  const TcmProblem stream = random_problem(Numbers::normal, 300, 2, 2, 0, 66);
  int steps = 0;
  expect_error(ErrorCode::interrupted, "stopped", [&] {
    run_online(stream.rows, stream.labels, 2, {}, {}, one.context, [&](const OnlineStep&) {
      if (++steps == 50) one.monitor.cancel();
      return true;
    });
  });
  EXPECT_EQ(steps, 50);
}

TEST(OnlineVsNaive, RefusesWhatHasNoMeaning) {
  Surroundings one;
  const TcmProblem stream = random_problem(Numbers::normal, 10, 2, 2, 0, 67);
  const auto refuse = [&](ErrorCode code, const std::string& part, const DenseMatrix& rows,
                          const std::vector<int>& labels, const NeighbourOptions& options) {
    expect_error(code, part, [&] {
      run_online(rows, labels, 2, options, {}, one.context, [](const OnlineStep&) { return true; });
    });
  };
  refuse(ErrorCode::invalid_argument, "k", stream.rows, stream.labels, {.k = 0});
  refuse(ErrorCode::invalid_argument, "distances", stream.rows, stream.labels, {.metric = Metric::precomputed});
  refuse(ErrorCode::invalid_argument, "9", stream.rows, std::vector<int>(9, 0), {});
  std::vector<int> labels = stream.labels;
  labels[7] = 2;
  refuse(ErrorCode::invalid_argument, "2", stream.rows, labels, {});
  DenseMatrix rows = stream.rows;
  rows.row(7)[1] = std::numeric_limits<double>::quiet_NaN();
  refuse(ErrorCode::invalid_data, "row 8", rows, stream.labels, {});
  rows.row(7)[0] = rows.row(7)[1] = 0;
  refuse(ErrorCode::invalid_data, "row 8", rows, stream.labels, {.metric = Metric::cosine});
}

/// One row a call, and equal rows whose smoothing has to differ.
TEST(OnlineNeighboursVsNaive, PredictsBeforeItLearnsAndDrawsATauForEachStep) {
  Surroundings one;
  TcmProblem stream = random_problem(Numbers::grid, 40, 2, 3, 0, 68);
  for (std::size_t t = 20; t < 40; ++t) credence::test::copy_row(stream.rows, 0, stream.rows, t);
  const PValueOptions options{.smoothed = true, .seed = 12};
  OnlineNeighbours learner(2, 3, {.k = 2}, options);
  for (std::size_t t = 0; t < 40; ++t) {
    ASSERT_EQ(learner.size(), t);
    const DenseMatrix row = prefix(stream, t).queries;
    const model::Prediction prediction = learner.predict(row, 0);
    EXPECT_EQ(learner.predict(row, 0).p_value.values, prediction.p_value.values);
    const auto p = prediction.p_value.row(0);
    expect_step(stream, t, {{p.begin(), p.end()}, prediction.label[0], stream.labels[t]}, {.k = 2}, options,
                one.context);
    learner.learn(row, 0, stream.labels[t]);
  }
  expect_error(ErrorCode::invalid_argument, "3", [&] { learner.learn(stream.rows, 0, 3); });
  expect_error(ErrorCode::invalid_data, "1", [&] { learner.predict(DenseMatrix(1, 1), 0); });
  EXPECT_EQ(learner.size(), 40U);
}

TEST(OnlineVsNaive, NoRowsNoSteps) {
  Surroundings one;
  EXPECT_TRUE(steps_of({DenseMatrix(0, 2), {}, 2, {}}, {}, {}, one.context).empty());
}

}  // namespace online_vs_naive_tests
}  // namespace credence::conformal
