#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "credence/core/random.hpp"
#include "credence/data/repeats.hpp"
#include "credence/data/splits.hpp"
#include "credence/selection/comparison.hpp"
#include "credence/selection/one_setting.hpp"
#include "credence/selection/selector.hpp"
#include "selection/ensemble/fold_models.hpp"
#include "selection/resample/resamples.hpp"
#include "support/context.hpp"
#include "support/random_data.hpp"
#include "support/run_selection.hpp"
#include "support/same_selection.hpp"

namespace credence::selection {
namespace copies_by_simulation_tests {

using data::Copies;

Options options_of(const std::string& method, std::optional<Copies> copies = {}) {
  Options options;
  options.method = method_named(method);
  if (options.is<Regions>()) options.as<Regions>().partitions = 1;
  options.costs.C = {1, 100};
  options.kernels.gamma = kernel::parse_gammas("0.1,1000");  // the second looks answers up
  options.copies = copies;
  options.choose_one_svm();
  return options;
}

/// Distinct rows with labels that are coins.
data::Dataset noise(std::size_t rows, std::size_t columns, std::uint64_t seed) {
  core::RandomStream random(seed, 31);
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < rows; ++i) labels.push_back(random.below(2) == 0 ? "a" : "b");
  labels[0] = "a";
  labels[1] = "b";
  return data::make_dataset(test::random_matrix(rows, columns, seed), labels);
}

std::vector<std::size_t> each_row(std::size_t rows, std::size_t times) {
  std::vector<std::size_t> all;
  for (std::size_t t = 0; t < times; ++t)
    for (std::size_t i = 0; i < rows; ++i) all.push_back(i);
  return all;
}

/// The rows and the first few of them once more.
data::Dataset with_copies(const data::Dataset& distinct, std::size_t copies) {
  std::vector<std::size_t> rows = each_row(distinct.rows(), 1);
  for (std::size_t i = 0; i < copies; ++i) rows.push_back(7 * i % distinct.rows());
  return distinct.select_rows(rows);
}

/// Two classes well apart, of continuous numbers.
data::Dataset notes_of_banks(std::size_t rows, std::uint64_t seed) {
  return test::random_clouds(rows, 4, 2, 0.9, seed).dataset();
}

bool speaks_of_copies(const std::vector<std::string>& sentences) {
  return std::ranges::any_of(sentences,
                             [](const std::string& one) { return one.find("are copies of") != std::string::npos; });
}

/// Four rows for one: the estimate is that of coins, and its interval covers 50 %. At 95 % more than 4 of 20 intervals
/// miss with probability 0.003; without the treatment all of them do.
void expect_coins(const std::string& method, std::optional<Estimate> estimate, std::size_t rows = 100) {
  std::size_t missed = 0;
  double sum = 0;
  constexpr std::size_t trials = 20;
  for (std::uint64_t seed = 1; seed <= trials; ++seed) {
    Options options = options_of(method);
    options.estimate = estimate;
    options.estimate_samples = 200;
    options.seed = seed;
    const Selection found = test::run_selection(noise(rows, 3, seed).select_rows(each_row(rows, 4)), options, 2);
    ASSERT_TRUE(found.honest) << method;
    EXPECT_TRUE(speaks_of_copies(found.warnings)) << method;
    EXPECT_EQ(found.options.copies, Copies::fold);
    EXPECT_LE(found.honest->trials, static_cast<double>(rows)) << method;
    sum += found.honest->error;
    missed += *found.honest->lower <= 0.5 && 0.5 <= *found.honest->upper ? 0U : 1U;
  }
  EXPECT_NEAR(sum / trials, 0.5, 0.06) << method;
  EXPECT_LE(missed, 4U) << method;
}

TEST(Copies, OfNoiseLeaveTheEstimateOfCoinsByCrossValidation) {
  expect_coins("cv", {});
}
TEST(Copies, OfNoiseLeaveTheEstimateOfCoinsByBootstrap) {
  expect_coins("bootstrap", {});
}
TEST(Copies, OfNoiseLeaveTheEstimateOfCoinsByNestedFolds) {
  expect_coins("kfold-nested", {});
}
TEST(Copies, OfNoiseLeaveTheEstimateOfCoinsWithRowsSetAside) {
  expect_coins("cv", Estimate::holdout, 200);
}
TEST(Copies, OfNoiseLeaveTheEstimateOfCoinsByNestedEstimate) {
  expect_coins("cv", Estimate::nested, 60);
}
TEST(Copies, OfNoiseLeaveTheEstimateOfCoinsByHoldOut) {
  expect_coins("holdout", {}, 200);
}
TEST(Copies, OfNoiseLeaveTheEstimateOfCoinsByLargestMargin) {
  expect_coins("max-margin", {}, 200);
}
TEST(Copies, OfNoiseLeaveTheEstimateOfCoinsInRegions) {
  expect_coins("regions", Estimate::bbc, 150);
}

/// Whatever leaves rows out leaves out whole copies: each door, row by row.
TEST(Copies, StandOnOneSideOfEveryDoor) {
  const data::Dataset raw = with_copies(noise(300, 3, 4), 100);
  const std::vector<int> number = data::repeated_rows(raw).number_of;
  const auto together = [&](const auto& side_of) {
    std::vector<std::set<std::size_t>> sides(number.size());
    for (std::size_t i = 0; i < number.size(); ++i)
      sides[static_cast<std::size_t>(number[i])].insert(static_cast<std::size_t>(side_of(i)));
    return std::ranges::all_of(sides, [](const auto& one) { return one.size() <= 1; });
  };
  for (const char* method : {"cv", "holdout", "max-margin", "nonconformity", "kfold-nested", "regions", "bootstrap"}) {
    Options options = options_of(method).resolved();
    const RowsInUse used = rows_in_use(raw, options);
    const auto by = [](const auto& list) { return [&list](std::size_t i) { return list[i]; }; };
    EXPECT_TRUE(together(by(set_aside_rows(raw, options)))) << method;
    options.p_values = model::PValues::split;
    EXPECT_TRUE(together(by(set_aside_rows(raw, options)))) << method;
    const FoldModelRows fold_models = fold_model_rows(*used.rows, options);
    EXPECT_TRUE(together(by(fold_models.fold_model_of))) << method;
    if (options.looks_at("validation")) EXPECT_TRUE(together(by(validation_split(raw, options)))) << method;
  }
  const Options cv = options_of("cv").resolved();
  EXPECT_TRUE(together(
      [&, folds = data::folds_of(*rows_in_use(raw, cv).rows, 10, 3, 2, "cv")](std::size_t i) { return folds[i]; }));
}

/// A table of few values is as it was, to the last bit, and a note alone speaks of the copies.
TEST(Copies, OfFewValuesChangeNothing) {
  core::RandomStream random(8);
  data::DenseMatrix x(400, 10);
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < 400; ++i) {
    for (double& value : x.row(i)) value = static_cast<double>(random.below(2)) * (random.below(3) == 0 ? 1 : 0);
    labels.push_back(x.row(i)[0] + x.row(i)[1] + static_cast<double>(random.below(2)) > 1 ? "a" : "b");
  }
  const data::Dataset dataset = data::make_dataset(x, labels);
  ASSERT_GT(data::repeated_rows(dataset).copies(), 100U);
  for (const char* method : {"cv", "bootstrap", "holdout", "loo"}) {
    const Selection found = test::run_selection(dataset, options_of(method));
    data::Dataset ungrouped = dataset;
    test::expect_same(found, test::run_selection(ungrouped, options_of(method, Copies::keep)));
    EXPECT_TRUE(speaks_of_copies(found.notes));
    EXPECT_FALSE(speaks_of_copies(found.warnings));
    EXPECT_EQ(found.options.copies, Copies::keep);
  }
}

/// 1 or 2 % of copies change a good set's estimate by less than a standard error, and its trials not at all.
/// Twelve questions with five answers: two equal rows of 150 would be a wonder, and each comes three times. Three
/// questions: rows are equal by chance too, and those stay apart.
TEST(Copies, OfATableOfFewValuesThatWasEnteredSeveralTimesShareAFold) {
  for (const std::size_t questions : {12U, 3U}) {
    data::Dataset once = noise(150, questions, 5);
    core::RandomStream random(7, 33);
    for (std::size_t i = 0; i < once.rows(); ++i)
      for (double& answer : once.features.dense().row(i)) answer = static_cast<double>(random.below(5));
    const data::Dataset thrice = once.select_rows(each_row(150, 3));
    const Selection found = test::run_selection(thrice, options_of("cv"));
    const Selection alone = test::run_selection(once, options_of("cv", Copies::keep));
    EXPECT_EQ(found.options.copies, Copies::fold);
    EXPECT_NEAR(found.honest->error, alone.honest->error, 0.1) << questions;
    EXPECT_GT(*found.honest->upper, 0.45) << questions;
    EXPECT_NEAR(found.honest->trials, alone.honest->trials, 1) << questions;
    if (questions == 12) EXPECT_LT(test::run_selection(thrice, options_of("cv", Copies::keep)).honest->error, 0.1);
  }
}

TEST(Copies, FewOfThemChangeAGoodSetByLessThanAStandardError) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    for (const std::size_t copies : {10U, 20U}) {
      const data::Dataset dataset = with_copies(notes_of_banks(1000, seed), copies);
      Options options = options_of("cv");
      options.kernels.gamma = kernel::parse_gammas("0.01,0.1,1");
      const Selection shared = test::run_selection(dataset, options);
      options.copies = Copies::keep;
      const Selection kept = test::run_selection(dataset, options);
      EXPECT_EQ(speaks_of_copies(shared.warnings), copies > 10) << seed;  // 10 of 1010 rows are fewer than 1 %
      EXPECT_EQ(shared.honest->trials, kept.honest->trials);
      const double error = std::max(kept.honest->error, 1 / 1000.0);
      EXPECT_LT(std::abs(shared.honest->error - kept.honest->error), std::sqrt(error * (1 - error) / 1000)) << seed;
    }
  }
}

TEST(Copies, DroppedLeaveTheSelectionOfTheDistinctRows) {
  const data::Dataset distinct = noise(80, 3, 6);
  const data::Dataset dataset = with_copies(distinct, 40);
  test::Surroundings surroundings;
  for (const char* method : {"cv", "loo", "bootstrap", "holdout"}) {
    Selection dropped = test::run_selection(dataset, options_of(method, Copies::drop));
    const Selection plain = test::run_selection(distinct, options_of(method));
    EXPECT_TRUE(speaks_of_copies(dropped.warnings));
    std::erase_if(dropped.warnings, [](const std::string& one) { return speaks_of_copies({one}); });
    test::expect_same(dropped, plain);
    EXPECT_EQ(dropped.n, 80U);
    const auto one = fitted(dataset, dropped, surroundings.context);
    const auto other = fitted(distinct, plain, surroundings.context);
    EXPECT_EQ(one->predict(distinct, surroundings.context).score.values,
              other->predict(distinct, surroundings.context).score.values);
    EXPECT_EQ(one->calibration.nonconformity_scores, other->calibration.nonconformity_scores);
  }
}

TEST(Copies, HaveTheSameLabel) {
  data::Dataset dataset = noise(100, 3, 7).select_rows(each_row(100, 2));
  for (std::size_t i = 100; i < 200; ++i) dataset.labels[i] = 1 - dataset.labels[i];
  const Selection found = test::run_selection(dataset, options_of("cv", Copies::drop));
  EXPECT_EQ(found.n, 200U);
  EXPECT_FALSE(speaks_of_copies(found.warnings));
}

TEST(Copies, YieldToGroupsFoldsAndSplits) {
  data::Dataset dataset = with_copies(noise(100, 3, 8), 50);
  data::Dataset grouped = dataset;
  for (std::size_t i = 0; i < dataset.rows(); ++i) grouped.groups.push_back(static_cast<int>(i % 30));
  data::Dataset folded = dataset;
  for (std::size_t i = 0; i < dataset.rows(); ++i) folded.folds.push_back(static_cast<int>(i % 5));
  data::Dataset split = dataset;
  split.splits = {{each_row(75, 1), {80, 90, 100, 120, 130}}};
  for (const data::Dataset* rows : {&grouped, &folded, &split}) {
    for (const std::optional<Copies> copies : {std::optional<Copies>(), std::optional(Copies::drop)}) {
      const Selection found = test::run_selection(*rows, options_of("cv", copies));
      EXPECT_TRUE(speaks_of_copies(found.notes));
      EXPECT_FALSE(speaks_of_copies(found.warnings));
      test::expect_same(found, test::run_selection(*rows, options_of("cv", Copies::keep)));
    }
  }
}

/// From 5 % on leave-one-out gives no estimate, as copies judge each other; below it is as it was.
TEST(Copies, TakeTheEstimateFromLeaveOneOutFromFivePercentOn) {
  const data::Dataset distinct = noise(200, 3, 9);
  const Selection many = test::run_selection(with_copies(distinct, 20), options_of("loo"));
  EXPECT_FALSE(many.honest);
  EXPECT_TRUE(speaks_of_copies(many.warnings));
  EXPECT_TRUE(many.calibration.empty());
  Selection few = test::run_selection(with_copies(distinct, 6), options_of("loo"));
  EXPECT_TRUE(speaks_of_copies(few.warnings));
  std::erase_if(few.warnings, [](const std::string& one) { return speaks_of_copies({one}); });
  test::expect_same(few, test::run_selection(with_copies(distinct, 6), options_of("loo", Copies::keep)));
}

TEST(Copies, StayTogetherInComparisonsAndSingleSettings) {
  test::Surroundings surroundings;
  const data::Dataset dataset = noise(100, 3, 10).select_rows(each_row(100, 4));
  const Comparison compared = compare(dataset, {{"cv", options_of("cv")}}, {.outer_folds = 5}, surroundings.context);
  EXPECT_NEAR(compared.methods.front().mean_error, 0.5, 0.15);
  EXPECT_TRUE(speaks_of_copies(compared.methods.front().warnings));
  OneSetting setting(data::Task::classification);
  setting.options.kernels.gamma = kernel::parse_gammas("1000");
  const Selection crossed = cross_validate(dataset, setting, 10, surroundings.context);
  EXPECT_NEAR(crossed.grid.front().error, 0.5, 0.15);
}

/// Four rows of each subject, near each other: without groups the answers are looked up.
data::Dataset subjects(std::uint64_t seed, double signal = 0) {
  data::Dataset dataset = noise(100, 4, seed).select_rows(each_row(100, 4));
  const data::DenseMatrix jitter = test::random_matrix(400, 4, seed + 100, 0.05);
  for (std::size_t i = 0; i < 400; ++i) {
    for (std::size_t j = 1; j < 4; ++j) dataset.features.dense().row(i)[j] += jitter.row(i)[j];
    dataset.features.dense().row(i)[0] = static_cast<double>(i % 100 + 1);
    if (signal > 0)
      for (std::size_t j = 1; j < 4; ++j)
        dataset.features.dense().row(i)[j] = jitter.row(i)[j] * 20 + signal * (dataset.labels[i] == 0 ? 1 : -1);
  }
  return dataset;
}

TEST(Subjects, OfNoiseGiveAWarningWithBothErrors) {
  const Selection found = test::run_selection(subjects(3), options_of("cv"));
  ASSERT_LT(found.honest->error, 0.2);
  const auto warning = std::ranges::find_if(
      found.warnings, [](const std::string& one) { return one.find("whole subjects") != std::string::npos; });
  ASSERT_NE(warning, found.warnings.end());
  data::Dataset grouped = subjects(3);
  for (std::size_t i = 0; i < 400; ++i) grouped.groups.push_back(static_cast<int>(i % 100));
  OneSetting setting(data::Task::classification);  // the same by hand
  setting.options.costs = found.options.costs;
  setting.options.costs.C = {found.grid[*found.best].C};
  setting.options.kernels.gamma = {{kernel::GammaRule::Kind::value, found.grid[*found.best].gamma}};
  test::Surroundings surroundings;
  const double error = cross_validate(grouped, setting, 10, surroundings.context).grid.front().error;
  EXPECT_NEAR(error, 0.5, 0.15);
  EXPECT_NE(warning->find(fmt::format("{:.4g} %", 100 * error)), std::string::npos) << *warning;
  EXPECT_NE(warning->find(fmt::format("{:.4g} %", 100 * found.honest->error)), std::string::npos) << *warning;
  EXPECT_EQ(std::ranges::count_if(found.notes,
                                  [](const std::string& one) { return one.find("subject") != std::string::npos; }),
            1);
}

TEST(Subjects, ThatDoNotMatterGiveANoteAlone) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Selection found = test::run_selection(subjects(seed, 1.5), options_of("cv"));
    EXPECT_EQ(found.notes.size(), 1U);
    for (const std::string& warning : found.warnings)
      EXPECT_EQ(warning.find("whole subjects"), std::string::npos) << warning;
  }
}

}  // namespace copies_by_simulation_tests
}  // namespace credence::selection
