#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "credence/data/splits.hpp"
#include "credence/selection/comparison.hpp"
#include "support/context.hpp"
#include "support/expect_error.hpp"
#include "support/random_data.hpp"
#include "support/selection_fields.hpp"
#include "support/selection_oracle.hpp"

namespace credence {
namespace comparison_vs_loop_tests {

using selection::Comparison;
using selection::Contestant;
using selection::MethodResult;
using selection::OuterFold;
using test::Surroundings;

selection::Options small_options(const std::string& C, const std::string& gamma, std::uint64_t seed) {
  selection::Options options;
  options.costs.C = core::parse_list(C);
  options.kernels.gamma = kernel::parse_gammas(gamma);
  test::set_folds(options, 3);
  options.estimate = selection::Estimate::none;
  options.seed = seed;
  options.choose_one_svm();
  return options;
}

data::Dataset clouds(std::size_t n, int classes, std::uint64_t seed) {
  data::Dataset dataset = test::random_clouds(n, 2, classes, 0.8, seed).dataset();
  dataset.file_rows.resize(n);
  std::iota(dataset.file_rows.begin(), dataset.file_rows.end(), std::size_t{1});
  return dataset;
}

/// Two contestants whose grids differ, so that their errors differ.
std::vector<Contestant> two_contestants() {
  return {{"broad", small_options("0.1,10", "0.1,1", 5), {}}, {"narrow", small_options("0.01", "0.02", 6), {}}};
}

/// A contestant's `narrow` that changes nothing and writes down which rows it saw.
std::function<data::Dataset(const data::Dataset&)> spy(std::vector<data::Dataset>& seen) {
  return [&seen](const data::Dataset& training) {
    seen.push_back(training);
    return training;
  };
}

std::vector<std::size_t> rows_outside(const std::vector<int>& folds, int fold) {
  std::vector<std::size_t> rows = test::fold_rows(folds, fold, false);
  for (std::size_t& row : rows) ++row;  // file rows count from 1
  return rows;
}

void expect_splits(const data::Dataset& dataset, int outer_folds, std::uint64_t seed, const std::vector<int>& folds) {
  std::vector<data::Dataset> first;
  std::vector<data::Dataset> second;
  std::vector<Contestant> contestants = two_contestants();
  contestants[0].narrow = spy(first);
  contestants[1].narrow = spy(second);
  Surroundings surroundings;
  const Comparison comparison = selection::compare(dataset, contestants, {outer_folds, seed}, surroundings.context);
  ASSERT_EQ(comparison.outer_folds, test::fold_count(folds));
  ASSERT_EQ(first.size(), static_cast<std::size_t>(comparison.outer_folds));
  ASSERT_EQ(second.size(), first.size());
  for (std::size_t f = 0; f < first.size(); ++f) {
    const auto expected = rows_outside(folds, static_cast<int>(f));
    EXPECT_EQ(first[f].file_rows, expected);
    EXPECT_EQ(second[f].file_rows, expected);
    std::vector<int> left;  // the fixed folds but one, numbered anew
    for (const int fold : dataset.folds)
      if (fold != static_cast<int>(f)) left.push_back(fold < static_cast<int>(f) ? fold : fold - 1);
    EXPECT_EQ(first[f].folds, left);
    for (const MethodResult& method : comparison.methods) {
      EXPECT_TRUE(method.folds[f].complete);
      EXPECT_EQ(method.folds[f].rows, dataset.rows() - expected.size());
    }
  }
}

TEST(ComparisonSplits, AreThoseOfStratifiedKFoldForEveryContestant) {
  const data::Dataset dataset = clouds(53, 2, 1);
  expect_splits(dataset, 4, 11, data::stratified_k_fold(dataset.labels, 4, 11));
}

TEST(ComparisonSplits, KeepGroupsTogether) {
  data::Dataset dataset = clouds(60, 2, 2);
  for (std::size_t i = 0; i < dataset.rows(); ++i) dataset.groups.push_back(static_cast<int>(i / 4));
  expect_splits(dataset, 3, 12, data::grouped_k_fold(dataset.groups, 3, 12));
}

TEST(ComparisonSplits, AreTheFixedFoldsIfThereAreAny) {
  data::Dataset dataset = clouds(50, 2, 3);
  for (std::size_t i = 0; i < dataset.rows(); ++i) dataset.folds.push_back(static_cast<int>(i * i % 3));
  std::replace(dataset.folds.begin(), dataset.folds.end(), 1, 2);  // squares mod 3 are 0 and 1
  std::replace(dataset.folds.begin(), dataset.folds.begin() + 20, 2, 1);
  expect_splits(dataset, 10, 13, dataset.folds);
  std::replace(dataset.folds.begin(), dataset.folds.end(), 2, 3);
  Surroundings surroundings;
  test::expect_error(ErrorCode::invalid_data, "without gaps",
                     [&] { selection::compare(dataset, two_contestants(), {}, surroundings.context); });
}

/// One contestant by hand: select, retrain, predict.
std::vector<std::size_t> errors_by_hand(const data::Dataset& dataset, const std::vector<int>& folds,
                                        const selection::Options& options, const core::Context& context) {
  std::vector<std::size_t> errors;
  for (int fold = 0; fold < test::fold_count(folds); ++fold) {
    const data::Dataset training = dataset.select_rows(test::fold_rows(folds, fold, false));
    const data::Dataset held_out = dataset.select_rows(test::fold_rows(folds, fold, true));
    const auto chosen = selection::Selector(options).select(training, context);
    const svm::TrainResult trained = selection::retrain(training, chosen, context);
    const model::Prediction prediction = trained.model.predict(held_out, context);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < held_out.rows(); ++i) wrong += prediction.label[i] == held_out.labels[i] ? 0U : 1U;
    errors.push_back(wrong);
  }
  return errors;
}

class ComparisonOfTwo : public testing::TestWithParam<int> {};

TEST_P(ComparisonOfTwo, EqualsALoopOfSelectRetrainPredict) {
  const data::Dataset dataset = clouds(90, GetParam(), 4);
  const std::vector<Contestant> contestants = two_contestants();
  Surroundings surroundings;
  const Comparison comparison = selection::compare(dataset, contestants, {5, 3}, surroundings.context);
  const std::vector<int> folds = data::stratified_k_fold(dataset.labels, 5, 3);
  ASSERT_EQ(comparison.methods.size(), 2U);
  EXPECT_EQ(comparison.stopped, core::StopReason::none);
  std::vector<std::vector<double>> rates(2);
  for (std::size_t m = 0; m < 2; ++m) {
    const auto expected = errors_by_hand(dataset, folds, contestants[m].options, surroundings.context);
    const MethodResult& method = comparison.methods[m];
    double seconds = 0;
    for (std::size_t f = 0; f < expected.size(); ++f) {
      EXPECT_EQ(method.folds[f].errors, expected[f]) << method.name << ", fold " << f;
      EXPECT_EQ(*method.folds[f].selected_score, method.folds[f].chosen->error);
      EXPECT_FALSE(method.folds[f].honest);
      rates[m].push_back(static_cast<double>(expected[f]) / static_cast<double>(method.folds[f].rows));
      seconds += method.folds[f].seconds;
    }
    double mean = 0;
    double squares = 0;
    for (const double rate : rates[m]) mean += rate / 5;
    for (const double rate : rates[m]) squares += (rate - mean) * (rate - mean);
    EXPECT_NEAR(method.mean_error, mean, 1e-15);
    EXPECT_NEAR(method.error_std, std::sqrt(squares / 4), 1e-15);
    EXPECT_NEAR(method.seconds, seconds, 1e-9);
  }
  EXPECT_NE(comparison.methods[0].mean_error, comparison.methods[1].mean_error) << "the case should tell them apart";
  // Fold sizes are all 18 of 90, so the ratio of test to training rows is 1/4.
  const auto expected = selection::corrected_resampled_t_test(rates[0], rates[1], 0.25);
  ASSERT_TRUE(comparison.tests[1]);
  EXPECT_DOUBLE_EQ(comparison.tests[1]->mean_difference, expected.mean_difference);
  EXPECT_DOUBLE_EQ(comparison.tests[1]->t, expected.t);
  EXPECT_DOUBLE_EQ(comparison.tests[1]->p_value, expected.p_value);
}

INSTANTIATE_TEST_SUITE_P(Classes, ComparisonOfTwo, testing::Values(2, 3));

/// Repeat r has the folds, and the errors, of a comparison without repeats whose seed is larger by r; the test is that
/// of all folds, whose ratio of test to training rows is 1/4.
TEST(ComparisonRepeats, AreComparisonsWithTheNextSeeds) {
  const data::Dataset dataset = clouds(90, 2, 4);
  const std::vector<Contestant> contestants = two_contestants();
  Surroundings surroundings;
  const Comparison all =
      selection::compare(dataset, contestants, {.outer_folds = 5, .seed = 3, .repeats = 3}, surroundings.context);
  EXPECT_EQ(all.outer_folds, 5);
  EXPECT_EQ(all.options.repeats, 3);
  EXPECT_EQ(all.stopped, core::StopReason::none);
  std::vector<std::vector<double>> rates(2);
  for (std::uint64_t repeat = 0; repeat < 3; ++repeat) {
    const Comparison one = selection::compare(dataset, contestants, {5, 3 + repeat}, surroundings.context);
    EXPECT_EQ(one.options.repeats, 1);
    for (std::size_t m = 0; m < 2; ++m) {
      ASSERT_EQ(all.methods[m].folds.size(), 15U);
      for (std::size_t f = 0; f < 5; ++f) {
        const OuterFold& fold = all.methods[m].folds[5 * repeat + f];
        EXPECT_EQ(fold.errors, one.methods[m].folds[f].errors) << "repeat " << repeat << ", fold " << f;
        rates[m].push_back(fold.error());
      }
    }
  }
  EXPECT_FALSE(std::equal(rates[0].begin(), rates[0].begin() + 5, rates[0].begin() + 5)) << "the draws differ";
  EXPECT_NEAR(all.methods[0].mean_error, std::accumulate(rates[0].begin(), rates[0].end(), 0.0) / 15, 1e-15);
  const auto expected = selection::corrected_resampled_t_test(rates[0], rates[1], 0.25);
  ASSERT_TRUE(all.tests[1]);
  EXPECT_NEAR(all.tests[1]->mean_difference, expected.mean_difference, 1e-15);
  EXPECT_NEAR(all.tests[1]->p_value, expected.p_value, 1e-12);
}

TEST(ComparisonRepeats, OfFoldsThatCanBeDrawnInOneWayAreRefused) {
  Surroundings surroundings;
  const auto refuse = [&](const data::Dataset& dataset, int outer_folds, int repeats, const char* part) {
    test::expect_error(ErrorCode::invalid_argument, part, [&] {
      selection::compare(dataset, two_contestants(), {.outer_folds = outer_folds, .repeats = repeats},
                         surroundings.context);
    });
  };
  data::Dataset dataset = clouds(40, 2, 3);
  refuse(dataset, 4, 0, "repeats: 0 is not at least 1");
  refuse(dataset, 20, 6000, "6000 times 20 outer folds are more than 100000");
  refuse(dataset, 40, 2, "40 outer folds of these 40 rows can be drawn in one way only");
  data::Dataset grouped = dataset;
  for (std::size_t i = 0; i < 40; ++i) grouped.groups.push_back(static_cast<int>(i % 4));
  refuse(grouped, 4, 2, "4 outer folds of these 4 groups can be drawn in one way only");
  data::Dataset unequal = clouds(55, 2, 3);  // groups of 1, 2, ..., 10 rows, which their sizes deal out
  for (int group = 0; group < 10; ++group)
    unequal.groups.insert(unequal.groups.end(), static_cast<std::size_t>(group + 1), group);
  refuse(unequal, 3, 2, "3 outer folds of these 10 groups can be drawn in one way only");
  for (std::size_t i = 0; i < 40; ++i) dataset.folds.push_back(static_cast<int>(i % 4));
  refuse(dataset, 4, 2, "fixed by the data");
}

TEST(ComparisonContract, HonestEstimatesAreAveragedOverTheFolds) {
  std::vector<Contestant> contestants = two_contestants();
  contestants[0].options.estimate = selection::Estimate::bbc;
  contestants[0].options.estimate_samples = 50;
  Surroundings surroundings;
  const Comparison comparison = selection::compare(clouds(60, 2, 5), contestants, {3, 1}, surroundings.context);
  double mean = 0;
  for (const OuterFold& fold : comparison.methods[0].folds) mean += fold.honest.value() / 3;
  EXPECT_NEAR(comparison.methods[0].mean_honest.value(), mean, 1e-15);
  EXPECT_FALSE(comparison.methods[1].mean_honest);
}

void expect_same(const Comparison& a, const Comparison& b) {
  ASSERT_EQ(a.methods.size(), b.methods.size());
  for (std::size_t m = 0; m < a.methods.size(); ++m) {
    EXPECT_EQ(a.methods[m].mean_error, b.methods[m].mean_error);
    EXPECT_EQ(a.methods[m].mean_selected_score, b.methods[m].mean_selected_score);
    for (std::size_t f = 0; f < a.methods[m].folds.size(); ++f)
      EXPECT_EQ(a.methods[m].folds[f].errors, b.methods[m].folds[f].errors);
  }
}

TEST(ComparisonContract, DoesNotDependOnTheNumberOfThreads) {
  std::vector<Contestant> contestants = two_contestants();
  contestants.push_back({"nonconformity", small_options("0.1,10", "0.1,1", 5).with(selection::Nonconformity{}), {}});
  contestants.back().options.as<selection::Nonconformity>().tie = selection::Tie::random;
  const data::Dataset dataset = clouds(70, 2, 6);
  Surroundings one(1);
  Surroundings two(2);
  expect_same(selection::compare(dataset, contestants, {4, 2}, one.context),
              selection::compare(dataset, contestants, {4, 2}, two.context));
}

TEST(ComparisonContract, TestsAreAntisymmetricAndAContestantEqualsItself) {
  std::vector<Contestant> contestants = two_contestants();
  contestants.push_back(contestants.front());
  Surroundings surroundings;
  const Comparison comparison = selection::compare(clouds(80, 2, 7), contestants, {5, 2}, surroundings.context);
  ASSERT_EQ(comparison.tests.size(), 9U);
  for (std::size_t a = 0; a < 3; ++a) {
    EXPECT_FALSE(comparison.tests[a * 3 + a]);
    for (std::size_t b = 0; b < 3; ++b) {
      if (a == b) continue;
      ASSERT_TRUE(comparison.tests[a * 3 + b]);
      EXPECT_EQ(comparison.tests[a * 3 + b]->mean_difference, -comparison.tests[b * 3 + a]->mean_difference);
      EXPECT_EQ(comparison.tests[a * 3 + b]->t, -comparison.tests[b * 3 + a]->t);
      EXPECT_EQ(comparison.tests[a * 3 + b]->p_value, comparison.tests[b * 3 + a]->p_value);
    }
  }
  EXPECT_NE(comparison.tests[1]->mean_difference, 0);
  EXPECT_EQ(comparison.tests[2]->mean_difference, 0);
  EXPECT_EQ(comparison.tests[2]->p_value, 1);
}

TEST(ComparisonContract, ProgressEndsWhereItWasSaidToEnd) {
  core::Monitor::Progress last;
  core::Monitor monitor([&](const core::Monitor::Progress& progress) {
    EXPECT_GE(progress.done, last.done);
    last = progress;
    return true;
  });
  const core::Threads threads(2);
  selection::compare(clouds(50, 2, 8), two_contestants(), {3, 2}, {threads, monitor});
  EXPECT_EQ(last.total, 6000U);
  EXPECT_EQ(last.done, last.total);
}

TEST(ComparisonContract, AStopLeavesWholeFoldsAndSaysSo) {
  core::Monitor monitor([](const core::Monitor::Progress& progress) { return 2 * progress.done < progress.total; });
  const core::Threads threads(2);
  const Comparison comparison = selection::compare(clouds(60, 2, 9), two_contestants(), {8, 2}, {threads, monitor});
  EXPECT_EQ(comparison.stopped, core::StopReason::cancelled);
  std::size_t complete = 0;
  for (const MethodResult& method : comparison.methods) {
    ASSERT_EQ(method.folds.size(), 8U);
    EXPECT_TRUE(method.folds.front().complete);
    EXPECT_FALSE(method.folds.back().complete);
    for (const OuterFold& fold : method.folds) {
      EXPECT_GT(fold.rows, 0U);
      complete += fold.complete ? 1U : 0U;
    }
  }
  EXPECT_GE(complete, 6U);
  EXPECT_LE(complete, 9U);
  Surroundings surroundings;
  const Comparison whole = selection::compare(clouds(60, 2, 9), two_contestants(), {8, 2}, surroundings.context);
  EXPECT_EQ(comparison.methods[0].folds[0].errors, whole.methods[0].folds[0].errors);
  ASSERT_TRUE(comparison.tests[1]);
  EXPECT_NE(comparison.tests[1]->mean_difference, whole.tests[1]->mean_difference);
}

TEST(ComparisonContract, StoppedBeforeItBeginsItHasNothing) {
  Surroundings surroundings;
  surroundings.monitor.cancel();
  const Comparison comparison = selection::compare(clouds(40, 2, 9), two_contestants(), {3, 2}, surroundings.context);
  EXPECT_EQ(comparison.stopped, core::StopReason::cancelled);
  EXPECT_FALSE(comparison.methods[0].folds[0].complete);
  EXPECT_FALSE(comparison.tests[1]);
  EXPECT_FALSE(comparison.methods[0].mean_selected_score);
}

TEST(ComparisonContract, RefusesWhatCannotBeCompared) {
  Surroundings surroundings;
  data::Dataset dataset = clouds(40, 2, 10);
  test::expect_error(ErrorCode::invalid_argument, "at least one method",
                     [&] { selection::compare(dataset, {}, {}, surroundings.context); });
  std::vector<Contestant> wrong = two_contestants();
  test::set_folds(wrong[1].options, 1);
  test::expect_error(ErrorCode::invalid_argument, "folds: 1 is not at least 2",
                     [&] { selection::compare(dataset, wrong, {}, surroundings.context); });
  test::expect_error(ErrorCode::invalid_argument, "1",
                     [&] { selection::compare(dataset, two_contestants(), {1, 0}, surroundings.context); });
  for (const int label : dataset.labels) dataset.folds.push_back(label);  // each training part has one class
  dataset.source = "rows.csv";
  test::expect_error(ErrorCode::invalid_data, "rows.csv",
                     [&] { selection::compare(dataset, two_contestants(), {}, surroundings.context); });
}

}  // namespace comparison_vs_loop_tests
}  // namespace credence
