#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "credence/selection/comparison.hpp"
#include "support/context.hpp"
#include "support/random_data.hpp"
#include "support/selection_fields.hpp"
#include "support/selection_oracle.hpp"

namespace credence {
namespace fixed_folds_within_tests {

using test::Surroundings;

constexpr std::size_t originals = 60;
constexpr std::size_t copies = 5;
constexpr int folds = 10;

/// Overlapping clouds, each row five times, with all its copies in one fixed fold. Folds that part the copies let a
/// narrow kernel look up the answers.
data::Dataset copied_rows(std::uint64_t seed) {
  const test::Clouds clouds = test::random_clouds(originals, 3, 2, 1, seed);
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < originals; ++i) rows.insert(rows.end(), copies, i);
  data::Dataset dataset = clouds.dataset().select_rows(rows);
  for (const std::size_t row : rows) dataset.folds.push_back(static_cast<int>(row * 7 % folds));
  return dataset;
}

selection::Options options_of(const std::string& method) {
  selection::Options options;
  options.method = selection::method_named(method);
  options.costs.C = core::parse_list("2^-3:2^9:x16");
  options.kernels.gamma = kernel::parse_gammas("0.01,0.3,1000");
  options.estimate = selection::Estimate::none;
  options.estimate_samples = 200;
  options.seed = 5;
  options.choose_one_svm();
  return options;
}

std::size_t errors_on(const model::Predictor& model, const data::Dataset& test, const core::Context& context) {
  const model::Prediction prediction = model.predict(test, context);
  std::size_t errors = 0;
  for (std::size_t i = 0; i < test.rows(); ++i) errors += prediction.label[i] != test.labels[i] ? 1U : 0U;
  return errors;
}

/// The loop over the file's folds: the folds that are left, numbered anew, are those of the selection within.
TEST(FixedFolds, AreThoseOfTheSelectionWithinTheNestedEstimate) {
  Surroundings surroundings;
  const data::Dataset dataset = copied_rows(1);
  const selection::Options options = options_of("cv");
  std::size_t errors = 0;
  for (int fold = 0; fold < folds; ++fold) {
    data::Dataset training = dataset.select_rows(test::fold_rows(dataset.folds, fold, false));
    training.folds.clear();
    for (const int other : dataset.folds)
      if (other != fold) training.folds.push_back(other < fold ? other : other - 1);
    const auto selection = selection::Selector(options).select(training, surroundings.context);
    EXPECT_EQ(selection.resamples, folds - 1);
    const auto model = selection::fitted(training, selection, surroundings.context);
    errors += errors_on(*model, dataset.select_rows(test::fold_rows(dataset.folds, fold, true)), surroundings.context);
  }
  const auto estimate = selection::nested_estimate(dataset, options, surroundings.context);
  EXPECT_EQ(estimate.rows, originals * copies);
  EXPECT_DOUBLE_EQ(estimate.error, static_cast<double>(errors) / static_cast<double>(estimate.rows));
  EXPECT_EQ(estimate.interval, "Korn-Graubard");
  EXPECT_LE(estimate.trials, originals);
}

TEST(FixedFolds, AreNumberedAnewInAPart) {
  const data::Dataset dataset = copied_rows(2);
  const data::Dataset part = dataset.select_rows(test::fold_rows(dataset.folds, 4, false));
  EXPECT_EQ(std::set<int>(part.folds.begin(), part.folds.end()), (std::set<int>{0, 1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(&part.clusters(), &part.folds);
}

/// With parted copies the narrowest kernel looks perfect and is the worst. Each method that selects within an outer
/// fold, with random folds, hold-outs or samples there before, chooses it then.
TEST(FixedFolds, AreKeptByEveryMethodWithinAComparison) {
  Surroundings surroundings(2);
  std::vector<selection::Contestant> contestants;
  for (const char* method : {"cv", "kfold-nested", "bootstrap", "holdout"}) {
    contestants.push_back({method, options_of(method), {}});
    test::set_resamples(contestants.back().options, 20);
  }
  std::size_t narrowest = 0;
  std::size_t runs = 0;
  for (const std::uint64_t seed : {11U, 12U, 13U}) {
    const auto comparison = selection::compare(copied_rows(seed), contestants, {}, surroundings.context);
    for (const selection::MethodResult& method : comparison.methods) {
      for (const selection::OuterFold& fold : method.folds) {
        narrowest += fold.chosen.value().gamma == 1000 ? 1U : 0U;
        ++runs;
        EXPECT_GT(fold.bound.value_or(2), method.mean_error) << method.name;
      }
    }
    EXPECT_FALSE(comparison.methods[1].warnings.empty());  // copies are no independent rows
  }
  EXPECT_LT(static_cast<double>(narrowest), 0.3 * static_cast<double>(runs));
}

/// Bootstrap correction judges on rows whose copies were not drawn: its mean over samples is near the error of what was
/// selected on fresh rows.
TEST(FixedFolds, AreDrawnWholeByTheBootstrapCorrection) {
  Surroundings surroundings(2);
  constexpr int trials = 12;
  double honest = 0;
  double truth = 0;
  selection::Options options = options_of("cv");
  options.estimate = selection::Estimate::bbc;
  for (std::uint64_t seed = 0; seed < trials; ++seed) {
    const data::Dataset dataset = copied_rows(seed);
    const auto selection = selection::Selector(options).select(dataset, surroundings.context);
    data::Dataset grouped = dataset;
    grouped.groups = dataset.folds;
    const auto again = selection::Selector(options).select(grouped, surroundings.context);
    EXPECT_EQ(selection.honest.value().error, again.honest.value().error);
    EXPECT_EQ(selection.honest->interval, "Korn-Graubard");
    EXPECT_LE(selection.honest->trials, originals);
    honest += selection.honest->error / trials;
    truth += selection::nested_estimate(dataset, options, surroundings.context).error / trials;
  }
  EXPECT_NEAR(honest, truth, 0.06);
}

bool warns(const selection::Selection& selection, const std::string& part) {
  return std::ranges::any_of(selection.warnings,
                             [&](const std::string& warning) { return warning.find(part) != std::string::npos; });
}

/// Each copy is judged by the others: the chosen setting errs on no row, and on half of all fresh ones.
TEST(FixedFolds, LeaveLeaveOneOutWithoutAnHonestEstimateOrMargins) {
  Surroundings surroundings(2);
  selection::Options options = options_of("loo");
  options.estimate = selection::Estimate::bbc;
  const auto selection = selection::Selector(options).select(copied_rows(3), surroundings.context);
  EXPECT_LT(selection.grid[selection.best.value()].error, 0.02);
  EXPECT_FALSE(selection.honest);
  EXPECT_TRUE(selection.calibration.empty());
  EXPECT_TRUE(warns(selection, "leave-one-out does not know fixed folds"));
}

/// Nothing tells how much rows of a fold depend on each other where none is wrong.
TEST(FixedFolds, CountAsOneTrialEachWhereNoneHasAnError) {
  Surroundings surroundings;
  data::Dataset dataset = test::random_clouds(80, 3, 2, 30, 1).dataset();
  for (std::size_t i = 0; i < dataset.rows(); ++i) dataset.folds.push_back(static_cast<int>(i / 2 % 8));
  selection::Options options = options_of("cv");
  options.estimate = selection::Estimate::bbc;
  const auto selection = selection::Selector(options).select(dataset, surroundings.context);
  EXPECT_EQ(selection.honest.value().error, 0);
  EXPECT_EQ(selection.honest->trials, 8 * selection::worth_of_a_row);
  EXPECT_TRUE(warns(selection, "each group counts as one trial"));
}

/// Rows that belong together are no independent trials of the maximum-margin rule, and no independent rows of a limit.
TEST(FixedFolds, WidenTheIntervalOfMaximumMarginAndWarnOfNonconformity) {
  Surroundings surroundings;
  selection::Options options = options_of("max-margin");
  options.estimate = selection::Estimate::bbc;
  test::set_validation_rows(options, 100);
  const auto found = selection::Selector(options).select(copied_rows(4), surroundings.context);
  EXPECT_EQ(found.honest.value().interval, "Korn-Graubard");
  EXPECT_LT(found.honest->trials, 20);
  options.method = selection::Nonconformity{};
  options.validation_rows = 100;
  EXPECT_TRUE(warns(selection::Selector(options).select(copied_rows(4), surroundings.context),
                    "the limits of nonconformity do not hold"));
}

}  // namespace fixed_folds_within_tests
}  // namespace credence
