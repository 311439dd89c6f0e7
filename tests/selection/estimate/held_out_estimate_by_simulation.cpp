#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "credence/bounds/binomial.hpp"
#include "credence/core/random.hpp"
#include "credence/selection/selector.hpp"
#include "selection/resample/resamples.hpp"
#include "support/context.hpp"
#include "support/expect_error.hpp"
#include "support/random_data.hpp"
#include "support/selection_fields.hpp"

/// The estimate `holdout`: against the loop that it stands for, and by simulation.
namespace credence {
namespace held_out_estimate_by_simulation_tests {

using selection::Estimate;
using test::Surroundings;

selection::Options small_grid(const std::string& method) {
  selection::Options options;
  options.method = selection::method_named(method);
  options.costs.C = core::parse_list("2^-3:2^9:x64");
  options.kernels.gamma = kernel::parse_gammas("2^-7:2^1:x16");
  options.estimate = Estimate::holdout;
  options.estimate_samples = 200;
  test::set_folds(options, 5);
  options.choose_one_svm();
  return options;
}

std::vector<std::size_t> rows_where(const std::vector<bool>& aside, bool value) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < aside.size(); ++i)
    if (aside[i] == value) rows.push_back(i);
  return rows;
}

std::size_t errors_on(const model::Predictor& model, const data::Dataset& test, const core::Context& context) {
  const model::Prediction prediction = model.predict(test, context);
  std::size_t errors = 0;
  for (std::size_t i = 0; i < test.rows(); ++i) errors += prediction.label[i] != test.labels[i] ? 1U : 0U;
  return errors;
}

/// Select on nine tenths without an estimate, train there, count on the others, train on all.
TEST(HeldOutEstimate, IsTheLoopThatItStandsFor) {
  Surroundings surroundings(2);
  const data::Dataset dataset = test::random_clouds(300, 3, 3, 1, 4).dataset();
  for (const char* method : {"cv", "loo", "holdout", "bootstrap"}) {
    selection::Options options = small_grid(method);
    options.seed = 3;
    const auto found = selection::Selector(options).select(dataset, surroundings.context);
    const std::vector<bool> aside = selection::set_aside_rows(dataset, options);
    const data::Dataset training = dataset.select_rows(rows_where(aside, false));
    const data::Dataset judged = dataset.select_rows(rows_where(aside, true));
    ASSERT_EQ(judged.rows(), 30U);
    options.estimate = Estimate::none;
    const auto plain = selection::Selector(options).select(training, surroundings.context);
    EXPECT_EQ(found.best, plain.best) << method;
    const auto model = selection::fitted(training, plain, surroundings.context);
    const std::size_t errors = errors_on(*model, judged, surroundings.context);
    const bounds::Interval ends = bounds::clopper_pearson(errors, 30, 0.05);
    ASSERT_TRUE(found.honest.has_value()) << method;
    EXPECT_EQ(found.honest->method, "hold-out");
    EXPECT_EQ(found.honest->interval, "Clopper-Pearson");
    EXPECT_DOUBLE_EQ(found.honest->error, static_cast<double>(errors) / 30) << method;
    EXPECT_DOUBLE_EQ(found.honest->lower.value(), ends.lower);
    EXPECT_DOUBLE_EQ(found.honest->upper.value(), ends.upper);
    EXPECT_EQ(found.set_aside, 30U);
    EXPECT_EQ(found.n, 300U);
    EXPECT_EQ(found.class_counts, (std::vector<std::size_t>{100, 100, 100}));
    EXPECT_EQ(selection::fitted(dataset, found, surroundings.context)->record.rows, 300U) << method;
  }
}

TEST(HeldOutEstimate, SetsATenthOfEachClassAside) {
  const data::Dataset dataset = test::random_clouds(400, 2, 4, 1, 9).dataset();
  std::vector<std::size_t> counts(4, 0);
  const std::vector<bool> aside = selection::set_aside_rows(dataset, {.seed = 1});
  for (const std::size_t row : rows_where(aside, true)) ++counts[static_cast<std::size_t>(dataset.labels[row])];
  EXPECT_EQ(counts, std::vector<std::size_t>(4, 10));
  EXPECT_NE(aside, selection::set_aside_rows(dataset, {.seed = 2}));
}

TEST(HeldOutEstimate, SetsWholeGroupsAside) {
  data::Dataset dataset = test::random_clouds(200, 2, 2, 1, 9).dataset();
  for (std::size_t i = 0; i < 200; ++i) dataset.groups.push_back(static_cast<int>(i / 4));
  const std::vector<bool> aside = selection::set_aside_rows(dataset, {.seed = 1});
  EXPECT_EQ(rows_where(aside, true).size(), 20U);
  for (std::size_t i = 0; i < 200; ++i) EXPECT_EQ(aside[i], aside[i - i % 4]);
  Surroundings surroundings;
  const auto found = selection::Selector(small_grid("cv")).select(dataset, surroundings.context);
  EXPECT_EQ(found.honest->interval, "Korn-Graubard");
  EXPECT_LE(found.honest->trials, 20);
}

TEST(HeldOutEstimate, IsTheDefaultOfManyRowsAndOfNoFewer) {
  const data::Dataset few = test::random_clouds(selection::holdout_from - 1, 1, 2, 1, 2).dataset();
  data::Dataset many = test::random_clouds(selection::holdout_from, 1, 2, 1, 2).dataset();
  const auto by_default = [&](selection::Options options) {
    EXPECT_EQ(selection::default_estimate(few, options.resolved()), Estimate::bbc);
    return selection::default_estimate(many, options.resolved());
  };
  for (const char* method : {"cv", "loo", "holdout", "bootstrap"})
    EXPECT_EQ(by_default({.method = selection::method_named(method)}), Estimate::holdout) << method;
  for (const char* method : {"nonconformity", "max-margin", "holdout-vote", "kfold-nested", "rademacher"})
    EXPECT_EQ(by_default({.method = selection::method_named(method)}), Estimate::bbc) << method;
  EXPECT_EQ(by_default({.method = selection::HoldOut{}, .refit = selection::Refit::training_rows}), Estimate::bbc);
  selection::Options neighbours;
  neighbours.method = selection::HoldOut{};
  neighbours.choose_from(selection::Learner::knn);
  EXPECT_EQ(by_default(neighbours), Estimate::bbc);
  selection::Options random;
  random.method = selection::method_named("bootstrap");
  test::set_final(random, selection::FinalClassifier::random);
  EXPECT_EQ(by_default(random), Estimate::bbc);
  for (std::size_t i = 0; i < many.rows(); ++i) many.groups.push_back(static_cast<int>(i % 9));
  EXPECT_EQ(by_default({}), Estimate::bbc);
  for (int& group : many.groups) group = static_cast<int>(&group - many.groups.data()) % 10;
  EXPECT_EQ(by_default({}), Estimate::holdout);
}

TEST(ValidationRows, AreThoseOfThePaperForHundredsOfRowsAndGrowWithMore) {
  const std::vector<std::size_t> rows{47, 249, 250, 500, 501, 2000, 100000, 1000000};
  const std::vector<std::size_t> expected{9, 49, 50, 50, 50, 200, 10000, 10000};
  for (std::size_t i = 0; i < rows.size(); ++i)
    EXPECT_EQ(selection::default_validation_rows(rows[i]), expected[i]) << rows[i];
}

TEST(HeldOutEstimate, IsRecordedWhereItWasNotAskedFor) {
  Surroundings surroundings;
  selection::Options options = small_grid("cv");
  options.estimate.reset();
  const data::Dataset dataset = test::random_clouds(60, 1, 2, 8, 2).dataset();
  EXPECT_EQ(selection::Selector(options).select(dataset, surroundings.context).options.estimate, Estimate::bbc);
}

TEST(HeldOutEstimate, OfARegressionIsTheMeanSquareWithPercentiles) {
  Surroundings surroundings;
  core::RandomStream random(5, 1);
  data::DenseMatrix x(120, 1);
  std::vector<double> y;
  for (std::size_t i = 0; i < x.rows; ++i) {
    x.row(i)[0] = 6 * random.uniform() - 3;
    y.push_back(std::sin(x.row(i)[0]) + 0.2 * random.normal());
  }
  const data::Dataset dataset = data::make_regression_dataset(x, y);
  selection::Options options;
  options.task = data::Task::regression;
  options.estimate = Estimate::holdout;
  options.choose_from(selection::Learner::rvm);
  options.kernels.gamma = kernel::parse_gammas("0.5,2");
  const auto found = selection::Selector(options).select(dataset, surroundings.context);
  ASSERT_TRUE(found.honest.has_value());
  EXPECT_EQ(found.honest->rows, 12U);
  EXPECT_EQ(found.honest->score, "mean squared error");
  EXPECT_EQ(found.honest->interval, "percentile");
  EXPECT_LT(found.honest->lower.value(), found.honest->error);
  EXPECT_GT(found.honest->upper.value(), found.honest->error);
  EXPECT_NEAR(found.honest->error, 0.04, 0.04);
  EXPECT_EQ(selection::fitted(dataset, found, surroundings.context)->record.rows, 120U);
}

TEST(HeldOutEstimate, KnowsEveryScoreAndEveryMethod) {
  Surroundings surroundings(2);
  const data::Dataset dataset = test::random_clouds(200, 2, 2, 1, 9).dataset();
  for (const char* score : {"balanced_accuracy", "roc_auc", "f1", "f1_macro", "log_loss"}) {
    selection::Options options = small_grid("cv");
    options.score = core::parse_word<selection::Score>(score);
    const auto found = selection::Selector(options).select(dataset, surroundings.context);
    EXPECT_EQ(found.honest->interval, "percentile") << score;
    EXPECT_LE(found.honest->lower.value(), found.honest->error) << score;
    EXPECT_GE(found.honest->upper.value(), found.honest->error) << score;
  }
  for (const std::string& method : selection::methods()) {
    selection::Options options;
    options.method = selection::method_named(method);
    options.estimate = Estimate::holdout;
    options.kernels.gamma = kernel::parse_gammas("0.5,2");
    if (options.has_costs()) options.costs.C = {1, 8};
    test::set_folds(options, 3);
    test::set_resamples(options, 10);
    const auto found = selection::Selector(options).select(dataset, surroundings.context);
    ASSERT_TRUE(found.honest.has_value()) << method;
    EXPECT_EQ(found.honest->rows, 20U) << method;
    EXPECT_TRUE(selection::fitted(dataset, found, surroundings.context)) << method;
  }
}

TEST(HeldOutEstimate, RefusesWhatItCannotDo) {
  Surroundings surroundings;
  const data::Dataset few = test::random_clouds(9, 2, 2, 1, 9).dataset();
  const selection::Selector selector(small_grid("holdout"));
  test::expect_error(ErrorCode::invalid_data, "9 are too few", [&] { selector.select(few, surroundings.context); });
}

/// Labels that features know nothing of: every classifier errs on half of all new rows, so that a hold-out of fixed
/// size holds 1/2 in at least 95 % of samples. Of 400 samples 365 or fewer would be seen once in 2,000 cases.
TEST(HeldOutEstimate, CoversTheErrorOnNoise) {
  constexpr std::size_t repetitions = 400;
  const core::Threads threads(2);
  std::vector<int> covered(repetitions);
  std::vector<double> errors(repetitions);
  threads.for_each(repetitions, [&](std::size_t r) {
    Surroundings surroundings;
    core::RandomStream coin(r, 71);
    std::vector<std::string> labels;
    for (std::size_t i = 0; i < 300; ++i) labels.emplace_back(coin.uniform() < 0.5 ? "a" : "b");
    const data::Dataset dataset = data::make_dataset(test::random_matrix(300, 4, r), labels);
    selection::Options options = small_grid("cv");
    options.seed = r;
    const auto found = selection::Selector(options).select(dataset, surroundings.context);
    errors[r] = found.honest->error;
    covered[r] = found.honest->lower.value() <= 0.5 && 0.5 <= found.honest->upper.value() ? 1 : 0;
  });
  EXPECT_GT(std::accumulate(covered.begin(), covered.end(), 0), 365);
  // Rows drawn within the classes keep the majority of the sample, which new rows have no part in.
  EXPECT_NEAR(std::accumulate(errors.begin(), errors.end(), 0.0) / repetitions, 0.49, 0.02);
}

}  // namespace held_out_estimate_by_simulation_tests
}  // namespace credence
