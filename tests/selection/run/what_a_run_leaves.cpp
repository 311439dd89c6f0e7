#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "credence/selection/run.hpp"
#include "support/context.hpp"
#include "support/random_data.hpp"

namespace what_a_run_leaves_tests {

using namespace credence;
using core::StopReason;
using selection::RunRequest;
using selection::Selection;
using selection::Training;
using test::Surroundings;

const data::Dataset& clouds() {
  static const data::Dataset dataset = test::random_clouds(120, 2, 2, 1.5, 4).dataset();
  return dataset;
}

selection::Options few_settings() {
  selection::Options options;
  options.method = selection::CrossValidation{.folds = 5};
  options.costs.C = {1, 8};
  options.kernels.gamma = kernel::parse_gammas("0.25");
  options.estimate = selection::Estimate::none;
  options.choose_one_svm();
  return options;
}

/// What a time limit leaves that ends after the first of two settings.
Selection stopped_after_one() {
  const Surroundings here;
  Selection selection = selection::Selector(few_settings()).select(clouds(), here.context);
  selection.stopped = StopReason::time_budget;
  selection.best = 0;
  selection.grid[1].complete = false;
  selection.calibration = {};
  selection.warnings.clear();
  return selection;
}

selection::Run finished_within(std::optional<double> seconds, const Selection& selection,
                               Training training = Training::wanted) {
  const core::Threads threads(1);
  core::Monitor monitor({}, seconds);
  return selection::finished(selection, clouds(), {.training = training}, {threads, monitor});
}

TEST(WhatARunLeaves, IsTheSelectionAndItsModel) {
  const Surroundings here;
  int begun = 0;
  const RunRequest request{.forecast = true, .begins = [&](const selection::Forecast* made) {
                             EXPECT_EQ(made, nullptr);  // of few rows there is none
                             ++begun;
                           }};
  const selection::Run run = selection::run(clouds(), few_settings(), request, here.context);
  EXPECT_EQ(begun, 1);
  EXPECT_EQ(run.unfinished, "");
  EXPECT_FALSE(run.failure);
  const Selection alone = selection::Selector(few_settings()).select(clouds(), here.context);
  EXPECT_EQ(run.selection.grid[*run.selection.best].error, alone.grid[*alone.best].error);
  ASSERT_TRUE(run.model);
  EXPECT_EQ(run.model->predict(clouds(), here.context).score.values,
            selection::fitted(clouds(), alone, here.context)->predict(clouds(), here.context).score.values);
}

TEST(WhatARunLeaves, HasNoModelThatNobodyWants) {
  const Surroundings here;
  EXPECT_FALSE(selection::run(clouds(), few_settings(), {.training = Training::none}, here.context).model);
  EXPECT_TRUE(selection::run(clouds(), few_settings(), {.training = Training::quick}, here.context).model);
  const selection::Run stopped = finished_within({}, stopped_after_one(), Training::quick);
  EXPECT_FALSE(stopped.model);
  EXPECT_EQ(stopped.unfinished, "TIME LIMIT: partial result, 1 of 2 settings");
}

TEST(WhatARunLeaves, OfAStoppedSelectionIsTheBestSettingInTheTimeThatWasKept) {
  const selection::Run run = finished_within({}, stopped_after_one());
  EXPECT_EQ(run.unfinished,
            "TIME LIMIT: partial result, 1 of 2 settings; the model is its best setting, trained on all rows, without "
            "p-values");
  EXPECT_EQ(run.selection.later_warnings.back(), run.unfinished);
  ASSERT_TRUE(run.model);
  EXPECT_EQ(run.model->record.C, 1);
  EXPECT_TRUE(run.model->calibration.empty() && run.model->fold_models.empty());
}

TEST(WhatARunLeaves, WithoutTimeForTheTrainingIsAReasonAndTheNextStep) {
  const selection::Run run = finished_within(0.0, stopped_after_one());
  EXPECT_FALSE(run.model);
  const std::string start =
      "TIME LIMIT: partial result, 1 of 2 settings; there is no model, because training the best setting, rbf, "
      "standard, "
      "C = 1, gamma = 0.25, on all rows, about 0.1 s, did not fit into the limit: give a larger limit";
  EXPECT_TRUE(run.unfinished.starts_with(start)) << run.unfinished;
  Selection nothing = stopped_after_one();
  nothing.best.reset();
  EXPECT_EQ(finished_within(0.0, nothing).unfinished,
            "TIME LIMIT: partial result, 1 of 2 settings; there is no model: give a larger limit, or none");
  Selection interrupted = stopped_after_one();
  interrupted.stopped = StopReason::cancelled;
  const core::Threads threads(1);
  core::Monitor monitor;
  monitor.cancel();
  const selection::Run left = selection::finished(interrupted, clouds(), {}, {threads, monitor});
  EXPECT_FALSE(left.model);
  EXPECT_EQ(left.unfinished, "INTERRUPTED: partial result, 1 of 2 settings; there is no model");
}

TEST(WhatARunLeaves, OfACompleteSelectionSaysThatTheTrainingWasStopped) {
  const Surroundings here;
  const Selection complete = selection::Selector(few_settings()).select(clouds(), here.context);
  const selection::Run run = finished_within(0.0, complete);
  EXPECT_FALSE(run.model);
  EXPECT_TRUE(
      run.unfinished.starts_with("TIME LIMIT: the training on all rows was stopped; there is no model, because"))
      << run.unfinished;
}

/// A training that fails is reported beside the selection.
TEST(WhatARunLeaves, KeepsTheSelectionOfATrainingThatFails) {
  const Surroundings here;
  Selection selection = selection::Selector(few_settings()).select(clouds(), here.context);
  selection.best.reset();
  EXPECT_TRUE(finished_within({}, selection).failure);
  EXPECT_FALSE(finished_within({}, selection, Training::quick).failure);
}

/// Pairs of rows count, and no seconds.
TEST(WhatARunLeaves, GrowsWithTheSquareInTheForecastOfNearestNeighbours) {
  const Surroundings here;
  selection::Options options;
  options.method = selection::HoldOut{};
  options.choose_from(selection::Learner::knn);
  const data::Dataset many = test::random_clouds(selection::Forecast::from_rows, 2, 2, 1.5, 4).dataset();
  const auto made = selection::forecast(many, options.resolved(), here.context);
  ASSERT_TRUE(made);
  EXPECT_EQ(made->growth, 2);
}

}  // namespace what_a_run_leaves_tests
