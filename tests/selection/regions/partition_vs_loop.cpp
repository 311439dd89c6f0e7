#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "credence/core/random.hpp"
#include "credence/selection/partition.hpp"
#include "credence/selection/selector.hpp"
#include "credence/svm/train.hpp"
#include "selection/regions/merged_regions.hpp"
#include "support/context.hpp"
#include "support/expect_error.hpp"
#include "support/random_data.hpp"

namespace partition_vs_loop_tests {

using namespace credence;
using selection::CrossValidation;
using selection::FittedPartition;
using selection::RegionResult;
using selection::Selection;
using test::expect_error;
using test::Surroundings;

selection::Options in_regions(std::size_t size) {
  selection::Options options;
  options.method = selection::Regions{.region_size = size, .partitions = 1};
  options.costs.C = {0.5, 8};
  options.kernels.gamma = kernel::parse_gammas("0.05,0.4");
  options.costs.solver.tolerance = 1e-6;
  options.estimate_samples = 20;
  options.seed = 3;
  options.choose_one_svm();
  return options;
}

data::Dataset clouds(std::size_t n = 300, int classes = 2) {
  return test::random_clouds(n, 3, classes, 0.9, 6).dataset();
}

Selection select(const data::Dataset& dataset, const selection::Options& options, int threads = 1) {
  const Surroundings surroundings(threads);
  return selection::Selector(options).select(dataset, surroundings.context);
}

std::vector<double> scores(const model::Predictor& model, const data::Dataset& rows) {
  const Surroundings surroundings;
  const model::Prediction prediction = model.predict(rows, surroundings.context);
  return {prediction.score.values.begin(), prediction.score.values.end()};
}

/// The twin: the rows of each region, found by hand, go through a cross-validation and a training without regions.
TEST(PartitionVsLoop, EachRegionIsACrossValidationOfItsOwnPreprocessedRows) {
  const data::Dataset dataset = clouds();
  const selection::Options options = in_regions(100);
  const Surroundings surroundings;
  const Selection whole = select(dataset, options);
  const selection::RegionCourse course(dataset, selection::Selector(options).options(), surroundings.context);
  const FittedPartition& fitted = course.fitted();
  ASSERT_GE(fitted.regions(), 3U);
  const auto preprocessing = data::Preprocessing::fit(dataset, data::Scaling::standard);
  const data::Features features = preprocessing.apply(dataset);
  double errors = 0;
  std::vector<double> nonconformity(dataset.rows());
  std::vector<double> decisions(dataset.rows());
  for (std::size_t p = 0; p < fitted.regions(); ++p) {
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < dataset.rows(); ++i)
      if (fitted.region_of[i] == p) rows.push_back(i);
    data::Dataset own = data::make_dataset(features.select_rows(rows), [&] {
      std::vector<std::string> labels;
      for (const std::size_t i : rows)
        labels.push_back(dataset.schema.classes[static_cast<std::size_t>(dataset.labels[i])]);
      return labels;
    }());
    selection::Options alone = options;
    alone.method = CrossValidation{.folds = 5};
    alone.preparation.scalings = {data::Scaling::none};
    alone.choose_one_svm();
    alone.seed = selection::seed_of_region(options.seed, p);
    const Selection chosen = select(own, alone);
    const selection::Setting& best = chosen.grid[*chosen.best];
    errors += best.error * static_cast<double>(rows.size());
    const selection::RegionReport& report = whole.partition()->of_region[p];
    EXPECT_EQ(report.C, best.C);
    EXPECT_EQ(report.gamma, best.gamma);
    EXPECT_EQ(report.rows, rows.size());
    EXPECT_DOUBLE_EQ(report.error, best.error);
    EXPECT_DOUBLE_EQ(report.honest.value(), chosen.honest->error);
    for (std::size_t a = 0; a < rows.size(); ++a) nonconformity[rows[a]] = chosen.calibration.nonconformity_scores[a];
    const auto model = selection::fitted(own, chosen, surroundings.context);
    const model::Prediction said = model->predict_preprocessed(own.features, surroundings.context);
    for (std::size_t a = 0; a < rows.size(); ++a) decisions[rows[a]] = said.decision.row(a)[0];
  }
  EXPECT_NEAR(whole.grid.front().error, errors / static_cast<double>(dataset.rows()), 1e-12);
  for (std::size_t i = 0; i < nonconformity.size(); ++i)
    EXPECT_NEAR(whole.calibration.nonconformity_scores[i], nonconformity[i], 1e-3) << "trained along another path";
  EXPECT_EQ(whole.calibration.labels, dataset.labels);
  EXPECT_EQ(whole.calibration.region_of, std::vector<int>(fitted.region_of.begin(), fitted.region_of.end()));
  EXPECT_EQ(whole.partition()->settings, 4U);
  const model::Prediction said = whole.predictor->predict(dataset, surroundings.context);
  for (std::size_t i = 0; i < dataset.rows(); ++i) EXPECT_EQ(said.decision.row(i)[0], decisions[i]) << i;
}

TEST(PartitionVsLoop, NeitherThreadsNorTheOrderOfRegionsChangeABit) {
  const data::Dataset dataset = clouds(400, 3);
  const selection::Options options = in_regions(90);
  const Selection one = select(dataset, options, 1);
  const Selection four = select(dataset, options, 4);
  const Surroundings surroundings;
  const selection::Options resolved = selection::Selector(options).options();
  selection::RegionCourse course(dataset, resolved, surroundings.context);
  std::vector<RegionResult> results;
  for (std::size_t p = course.regions(); p-- > 0;)
    results.push_back(selection::run_region(course.task(p), course.options(), surroundings.context));
  std::swap(results.front(), results[1]);
  std::vector<RegionResult> wrong = results;
  wrong.back() = wrong.front();
  expect_error(ErrorCode::invalid_argument, "this partition", [&] { course.take(wrong, surroundings.context); });
  course.take(results, surroundings.context);
  ASSERT_TRUE(course.done());
  const Selection merged = std::move(course).merged(surroundings.context);
  for (const Selection* other : {&four, &merged}) {
    EXPECT_EQ(one.grid.front().error, other->grid.front().error);
    EXPECT_EQ(one.grid.front().error_se, other->grid.front().error_se);
    EXPECT_EQ(one.honest->error, other->honest->error);
    EXPECT_EQ(one.honest->upper, other->honest->upper);
    EXPECT_EQ(one.calibration.nonconformity_scores, other->calibration.nonconformity_scores);
    EXPECT_EQ(one.calibration.scores.values, other->calibration.scores.values);
    EXPECT_EQ(scores(*one.predictor, dataset), scores(*other->predictor, dataset));
  }
}

/// Two groups of points far apart: in the second one class has a single row.
data::Dataset with_a_small_class(int classes) {
  data::DenseMatrix x = test::random_matrix(200, 2, 8);
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < x.rows; ++i) {
    const bool second = i >= 100;
    if (second) x.row(i)[0] += 100;
    if (!second)
      labels.emplace_back(i % 2 == 0 ? "a" : "b");
    else if (classes == 2)
      labels.emplace_back(i < 101 ? "a" : "b");
    else
      labels.emplace_back(i < 101 ? "a" : i % 2 == 0 ? "b" : "c");
  }
  return data::make_dataset(data::Features(x), labels);
}

TEST(PartitionVsLoop, APartAnswersWithTheClassThatIsLeft) {
  const data::Dataset dataset = with_a_small_class(2);
  const Selection selection = select(dataset, in_regions(125));
  const auto& regions = selection.partition()->of_region;
  ASSERT_EQ(regions.size(), 2U);
  const auto constant = std::ranges::find_if(regions, [](const auto& region) { return region.classes.size() == 1; });
  ASSERT_NE(constant, regions.end());
  EXPECT_EQ(constant->classes, (std::vector<int>{1}));
  EXPECT_DOUBLE_EQ(constant->error, 0.01);
  EXPECT_EQ(constant->C, 0);
  const Surroundings surroundings;
  const model::Prediction said = selection.predictor->predict(dataset, surroundings.context);
  for (std::size_t i = 100; i < 200; ++i) {
    EXPECT_EQ(said.label[i], 1);
    EXPECT_EQ(said.decision.row(i)[0], 1);
  }
  const auto warned = std::ranges::count_if(selection.warnings, [](const std::string& warning) {
    return warning.find("1 row counts as an error") != std::string::npos;
  });
  EXPECT_EQ(warned, 1);
}

TEST(PartitionVsLoop, AClassOfFewRowsIsLeftOutOfTheMachinesOfItsRegion) {
  const data::Dataset dataset = with_a_small_class(3);
  const Selection selection = select(dataset, in_regions(125));
  ASSERT_EQ(selection.partition()->of_region.size(), 2U);
  const Surroundings surroundings;
  const model::Prediction said = selection.predictor->predict(dataset, surroundings.context);
  for (std::size_t i = 100; i < 200; ++i) {
    EXPECT_NE(said.label[i], 0);
    const auto row = said.score.row(i);
    EXPECT_DOUBLE_EQ(row[0], std::min(row[1], row[2]) - 1);
  }
  EXPECT_EQ(selection.calibration.labels.size(), 200U);
  EXPECT_EQ(selection.calibration.scores.rows, 200U);
}

TEST(PartitionVsLoop, GroupsStayWholeInTheFoldsOfAPart) {
  data::Dataset dataset = clouds(240);
  for (std::size_t i = 0; i < dataset.rows(); ++i) dataset.groups.push_back(static_cast<int>(i / 8));
  const Selection selection = select(dataset, in_regions(80));
  EXPECT_EQ(selection.honest->interval, "Korn-Graubard");
  EXPECT_LT(selection.honest->trials, 240.0);
  dataset.groups.assign(240, 0);
  expect_error(ErrorCode::invalid_data, "one group", [&] { select(dataset, in_regions(80)); });
}

TEST(PartitionVsLoop, AGroupWithAllRowsOfAClassLeavesNoneOfItToTrainOn) {
  data::Dataset dataset = with_a_small_class(3);
  for (std::size_t i = 0; i < dataset.rows(); ++i)
    dataset.groups.push_back(dataset.labels[i] == 2 ? 0 : 1 + static_cast<int>(i / 5));
  std::vector<int> codes = dataset.groups;
  std::ranges::sort(codes);
  codes.erase(std::ranges::unique(codes).begin(), codes.end());
  for (int& group : dataset.groups) group = static_cast<int>(std::ranges::lower_bound(codes, group) - codes.begin());
  const Selection selection = select(dataset, in_regions(125));
  const auto& regions = selection.partition()->of_region;
  const auto second = std::ranges::find_if(regions, [](const auto& region) { return region.classes.size() == 2; });
  ASSERT_NE(second, regions.end());
  EXPECT_TRUE(std::isfinite(selection.grid.front().error));
}

TEST(PartitionVsLoop, BalancedClassWeightsAreThoseOfAllRows) {
  const data::Dataset dataset = with_a_small_class(2);
  selection::Options balanced = in_regions(100);
  balanced.costs.class_weights.balanced = true;
  selection::Options named = in_regions(100);
  const auto first = static_cast<double>(std::ranges::count(dataset.labels, 0));
  named.costs.class_weights.named = {{"a", 200 / (2 * first)}, {"b", 200 / (2 * (200 - first))}};
  EXPECT_EQ(scores(*select(dataset, balanced).predictor, dataset), scores(*select(dataset, named).predictor, dataset));
}

TEST(PartitionVsLoop, CategoriesAndSparseRowsArePreprocessedBeforeTheyAreParted) {
  data::Dataset dataset = clouds(200);
  dataset.schema.columns[2] = {"colour", data::ColumnKind::categorical, {"blue", "red"}};
  for (std::size_t i = 0; i < dataset.rows(); ++i) dataset.features.dense().row(i)[2] = static_cast<double>(i % 2);
  const Selection selection = select(dataset, in_regions(70));
  EXPECT_EQ(selection.predictor->preprocessing.columns(), 4U);
  EXPECT_EQ(selection.calibration.labels.size(), 200U);

  const test::Clouds thin = test::random_clouds(200, 3, 2, 0.9, 6);
  const data::Dataset sparse = data::make_dataset(data::Features(test::sparse_of(thin.x)), thin.labels);
  selection::Options unscaled = in_regions(70);
  unscaled.preparation.scalings = {data::Scaling::none};
  const Selection of_sparse = select(sparse, unscaled);
  const Selection of_dense = select(thin.dataset(), unscaled);
  EXPECT_EQ(of_sparse.partition()->regions, of_dense.partition()->regions);
  EXPECT_NEAR(of_sparse.grid.front().error, of_dense.grid.front().error, 0.011);
}

TEST(PartitionVsLoop, WhatSettingsCannotDoIsRefusedInOneSentence) {
  const auto problem = [](const selection::Options& options) {
    const std::vector<std::string> problems = options.validate();
    return problems.size() == 1 ? problems.front() : std::to_string(problems.size()) + " problems";
  };
  selection::Options options = in_regions(100);
  EXPECT_TRUE(options.validate().empty());
  options.estimate = selection::Estimate::nested;
  EXPECT_NE(problem(options).find("honest estimate of regions"), std::string::npos);
  options = in_regions(100);
  options.costs.nu = {0.2};
  EXPECT_NE(problem(options).find("take C"), std::string::npos);
  options = in_regions(100);
  options.model = selection::Learner::rvm;
  EXPECT_NE(problem(options).find("relevance vector machines"), std::string::npos);
  options = in_regions(100);
  options.preparation.scope = selection::ScaleScope::fold;
  EXPECT_NE(problem(options).find("before they are split"), std::string::npos);
  options = in_regions(5);
  EXPECT_NE(problem(options).find("at least 20"), std::string::npos);
  data::Dataset dataset = clouds(100);
  for (std::size_t i = 0; i < 100; ++i) dataset.folds.push_back(static_cast<int>(i % 4));
  expect_error(ErrorCode::invalid_data, "fold column", [&] { select(dataset, in_regions(50)); });
}

TEST(PartitionVsLoop, APartialRunKeepsTheCompleteRegionsAndNoModel) {
  const data::Dataset dataset = clouds(400);
  const core::Threads threads(1);
  core::Monitor monitor([](const core::Monitor::Progress& progress) { return 2 * progress.done < progress.total; });
  const core::Context context{threads, monitor};
  const Selection selection = selection::Selector(in_regions(60)).select(dataset, context);
  EXPECT_EQ(selection.stopped, core::StopReason::cancelled);
  EXPECT_EQ(selection.predictor, nullptr);
  EXPECT_TRUE(selection.calibration.empty());
  EXPECT_GT(selection.partition()->of_region.size(), 0U);
  EXPECT_LT(selection.partition()->of_region.size(), selection.partition()->regions);
}

/// The twin: the judged settings are those of a selection on the other rows, and the machine that is returned is
/// that of the chosen C and gamma on all rows of the region.
TEST(PartitionVsLoop, FromFiveTimesTheRowsOfASettingOnRowsAreHeldOutAndTheSettingsAreTrainedOnAllRows) {
  const data::Dataset dataset = clouds(400);
  selection::Options options = in_regions(80);
  const Surroundings surroundings;
  const Selection found = select(dataset, options, 2);
  ASSERT_TRUE(found.honest);
  EXPECT_EQ(found.honest->method, "hold-out");
  EXPECT_EQ(found.honest->interval, "Clopper-Pearson");
  EXPECT_EQ(found.set_aside, 40U);
  const std::vector<bool> aside = selection::set_aside_rows(dataset, options);
  std::vector<std::size_t> kept;
  std::vector<std::size_t> others;
  for (std::size_t i = 0; i < aside.size(); ++i) (aside[i] ? others : kept).push_back(i);
  options.estimate = selection::Estimate::none;
  const data::Dataset judged = dataset.select_rows(others);
  const Selection without = select(dataset.select_rows(kept), options);
  const model::Prediction said = without.predictor->predict(judged, surroundings.context);
  double errors = 0;
  for (std::size_t i = 0; i < others.size(); ++i) errors += said.label[i] != judged.labels[i] ? 1 : 0;
  EXPECT_DOUBLE_EQ(found.honest->error, errors / 40);
  EXPECT_EQ(found.calibration.nonconformity_scores, without.calibration.nonconformity_scores);

  const auto& all = dynamic_cast<const selection::Ensemble&>(*found.predictor);
  const auto& nine_tenths = dynamic_cast<const selection::Ensemble&>(*without.predictor);
  const auto& routed = dynamic_cast<const svm::RegionFamily&>(all.family()).partitions.front();
  EXPECT_EQ(all.record.rows, 400U);
  const data::Features features = all.preprocessing.apply(dataset);
  EXPECT_EQ(features.dense().values, nine_tenths.preprocessing.apply(dataset).dense().values);
  const auto own =
      model::rows_by_region(routed.router.regions_of(features, surroundings.context), routed.regions.size());
  for (const selection::RegionReport& region : found.partition()->of_region) {
    if (region.classes.size() < 2) continue;
    std::vector<std::string> labels;
    for (const std::size_t i : own[region.region])
      labels.push_back(dataset.schema.classes[static_cast<std::size_t>(dataset.labels[i])]);
    svm::TrainOptions train;
    train.C = region.C;
    train.solver = options.costs.solver;
    train.gamma = {kernel::GammaRule::Kind::value, region.gamma};
    train.scaling = data::Scaling::none;
    const data::Dataset rows = data::make_dataset(features.select_rows(own[region.region]), labels);
    const model::Prediction twin =
        svm::train(rows, train, surroundings.context).model.predict_preprocessed(features, surroundings.context);
    const model::Scores machine = routed.regions[region.region].family->score_all(features, surroundings.context);
    for (std::size_t i = 0; i < machine.rows; ++i) EXPECT_EQ(machine.at(i, 0)[1], twin.decision.values[i]) << i;
  }
}

TEST(PartitionVsLoop, FiveFoldsAreTheDefaultInSettings) {
  EXPECT_EQ(select(clouds(100), in_regions(60)).resamples, 5);
  selection::Options options = in_regions(60);
  options.as<selection::Regions>().folds = 3;
  EXPECT_EQ(select(clouds(100), options).resamples, 3);
  options.method = CrossValidation{};
  EXPECT_EQ(select(clouds(100), options).resamples, 10);
}

}  // namespace partition_vs_loop_tests
