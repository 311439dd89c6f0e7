#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "credence/data/splits.hpp"
#include "credence/selection/comparison.hpp"
#include "rvm_selection.hpp"
#include "support/expect_error.hpp"
#include "support/selection_fields.hpp"
#include "support/selection_oracle.hpp"

/// Cross-validation of regressions against one rvm::train for each fold.
namespace rvm_regression_vs_loop_tests {

using namespace credence;
using test::expect_error;
using test::noisy_surface;
using test::run_selection;
using test::Surroundings;

selection::Options regression_options(const char* gamma = "0.5,5,500") {
  selection::Options options = test::rvm_options("cv", gamma);
  options.task = data::Task::regression;
  return options;
}

std::vector<double> squared_errors(const data::Dataset& dataset, const std::vector<int>& folds,
                                   const selection::Options& options, double gamma) {
  Surroundings surroundings;
  std::vector<double> losses(dataset.rows());
  for (int fold = 0; fold < test::fold_count(folds); ++fold) {
    const std::vector<std::size_t> held_out = test::fold_rows(folds, fold, true);
    const auto model = rvm::train(dataset.select_rows(test::fold_rows(folds, fold, false)),
                                  test::rvm_train_options(options, gamma), surroundings.context)
                           .model;
    const model::Prediction said = model.predict(dataset.select_rows(held_out), surroundings.context);
    for (std::size_t h = 0; h < held_out.size(); ++h)
      losses[held_out[h]] = std::pow(dataset.targets[held_out[h]] - said.mean[h], 2);
  }
  return losses;
}

double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

TEST(RvmRegression, CrossValidationEqualsTheLoopOverFolds) {
  const data::Dataset dataset = noisy_surface(60, 0.1, 1);
  const selection::Options options = regression_options();
  const selection::Selection found = run_selection(dataset, options);
  EXPECT_EQ(found.options.task, data::Task::regression);
  EXPECT_EQ(found.score, "CV mean squared error");
  EXPECT_TRUE(found.classes.empty());
  const std::vector<int> folds = data::k_fold(60, 4, 3);
  for (const selection::Setting& setting : found.grid) {
    const std::vector<double> losses = squared_errors(dataset, folds, options, setting.gamma);
    EXPECT_NEAR(setting.error, mean_of(losses), 1e-9 * mean_of(losses)) << setting.gamma;
    EXPECT_TRUE(setting.complete);
  }
  EXPECT_EQ(found.best, test::expected_best(found.grid, found.grid.size()));
  EXPECT_LT(found.grid[*found.best].error, 0.03);  // noise 0.01, variance of the targets about 0.5
  Surroundings surroundings;
  const auto predictor = selection::fitted(dataset, found, surroundings.context);
  const data::Dataset fresh = noisy_surface(20, 0, 2);
  const model::Prediction said = predictor->predict(fresh, surroundings.context);
  for (std::size_t i = 0; i < 20; ++i) EXPECT_NEAR(said.mean[i], fresh.targets[i], 0.3);
}

TEST(RvmRegression, GroupsShareAFoldAndFixedFoldsStand) {
  data::Dataset dataset = noisy_surface(48, 0.1, 3);
  const selection::Options options = regression_options("5");
  for (std::size_t i = 0; i < 48; ++i) dataset.groups.push_back(static_cast<int>(i / 4));
  const std::vector<int> grouped = data::grouped_k_fold(dataset.groups, 4, 3);
  EXPECT_NEAR(run_selection(dataset, options).grid[0].error, mean_of(squared_errors(dataset, grouped, options, 5)),
              1e-10);
  for (std::size_t i = 0; i < 48; ++i) dataset.folds.push_back(i < 10 ? 0 : i < 30 ? 1 : 2);
  const selection::Selection fixed = run_selection(dataset, options);
  EXPECT_EQ(fixed.resamples, 3);
  EXPECT_NEAR(fixed.grid[0].error, mean_of(squared_errors(dataset, dataset.folds, options, 5)), 1e-10);
}

TEST(RvmRegression, HonestEstimateIsThatOfTheSquaredErrors) {
  const data::Dataset dataset = noisy_surface(50, 0.2, 5);
  selection::Options options = regression_options();
  options.estimate = selection::Estimate::bbc;
  options.estimate_samples = 200;
  const selection::Selection found = run_selection(dataset, options);
  const std::vector<int> folds = data::k_fold(50, 4, 3);
  selection::LossTable losses(50, 3);
  for (std::size_t k = 0; k < 3; ++k) {
    const std::vector<double> squared = squared_errors(dataset, folds, options, found.grid[k].gamma);
    for (std::size_t i = 0; i < 50; ++i) losses.row(i)[k] = static_cast<float>(squared[i]);
  }
  const selection::BbcOptions bbc{
      .resamples = options.estimate_samples, .delta = options.delta, .seed = options.seed, .bounded = false};
  Surroundings surroundings;
  const std::vector<std::size_t> order{0, 1, 2};
  const auto expected = selection::bbc_of_smallest_loss(losses, order, {}, bbc, surroundings.context);
  ASSERT_TRUE(found.honest);
  EXPECT_NEAR(found.honest->error, expected.error, 1e-6 * expected.error);
  EXPECT_NEAR(*found.honest->lower, *expected.lower, 1e-6 * expected.error);
  EXPECT_NEAR(*found.honest->upper, *expected.upper, 1e-6 * expected.error);
  EXPECT_GT(found.honest->error, found.grid[*found.best].error * 0.5);
}

TEST(RvmRegression, TrainingRowsWithOneTargetPredictIt) {
  data::Dataset dataset = noisy_surface(20, 0.1, 6);
  for (std::size_t i = 0; i < 20; ++i) {
    dataset.folds.push_back(i < 10 ? 0 : 1);
    if (i < 10) dataset.targets[i] = 2;
  }
  const selection::Selection found = run_selection(dataset, regression_options("5"));
  double sum = 0;
  const rvm::RvmModel model = [&] {
    Surroundings surroundings;
    return rvm::train(dataset.select_rows(test::fold_rows(dataset.folds, 0, false)),
                      test::rvm_train_options(regression_options("5"), 5), surroundings.context)
        .model;
  }();
  Surroundings surroundings;
  const model::Prediction said = model.predict(dataset, surroundings.context);
  for (std::size_t i = 0; i < 20; ++i) sum += std::pow(i < 10 ? 2 - said.mean[i] : dataset.targets[i] - 2, 2);
  EXPECT_NEAR(found.grid[0].error, sum / 20, 1e-9);
}

TEST(RvmRegression, RefusesWhatARegressionCannotHave) {
  const data::Dataset dataset = noisy_surface(30, 0.1, 7);
  const auto refused = [&](const char* part, const auto& change) {
    selection::Options options = regression_options("1");
    change(options);
    expect_error(ErrorCode::invalid_argument, part, [&] { selection::Selector{options}; });
  };
  refused("regressions are chosen by", [](selection::Options& o) { o.method = selection::HoldOut{}; });
  refused("regressions are relevance", [](selection::Options& o) { o.choose_from(selection::Learner::svm); });
  refused("nested", [](selection::Options& o) { o.estimate = selection::Estimate::nested; });
  refused("soft loss", [](selection::Options& o) { test::set_loss(o, selection::Loss::soft); });
  Surroundings surroundings;
  selection::Options options = regression_options("1");
  expect_error(ErrorCode::invalid_argument, "compared",
               [&] { selection::compare(dataset, {{"cv", options}}, {3, 0}, surroundings.context); });
  options.task = data::Task::classification;
  expect_error(ErrorCode::invalid_argument, "those of a regression", [&] { run_selection(dataset, options); });
  for (const char* method : {"holdout", "bootstrap", "kernel-validity"}) {
    options.method = selection::method_named(method);
    expect_error(ErrorCode::invalid_argument, "those of a regression", [&] { run_selection(dataset, options); });
  }
  expect_error(ErrorCode::invalid_argument, "those of a classifier",
               [&] { run_selection(test::uneven_rows(20, 2, 1), regression_options("1")); });
}

}  // namespace rvm_regression_vs_loop_tests
