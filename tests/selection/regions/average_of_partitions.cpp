#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "credence/selection/partition.hpp"
#include "credence/selection/selector.hpp"
#include "credence/svm/train.hpp"
#include "selection/estimate/set_aside.hpp"
#include "selection/regions/merged_regions.hpp"
#include "support/context.hpp"
#include "support/expect_error.hpp"
#include "support/random_data.hpp"

namespace average_of_partitions_tests {

using namespace credence;
using selection::RegionReport;
using selection::RegionResult;
using selection::Selection;
using test::Surroundings;

constexpr double tight = 1e-7;

selection::Options averaging(std::optional<int> partitions, std::size_t size = 90) {
  selection::Options options;
  options.method = selection::Regions{.region_size = size, .partitions = partitions, .folds = 4};
  options.costs.C = {0.5, 4, 32};
  options.kernels.gamma = kernel::parse_gammas("0.02,0.1,0.5,2");
  options.costs.solver.tolerance = tight;
  options.estimate = selection::Estimate::none;
  options.seed = 5;
  options.choose_one_svm();
  return options;
}

data::Dataset clouds(int classes, std::size_t n = 400) {
  return test::random_clouds(n, 3, classes, 0.9, 16).dataset();
}

Selection select(const data::Dataset& dataset, const selection::Options& options, int threads = 2) {
  const Surroundings surroundings(threads);
  return selection::Selector(options).select(dataset, surroundings.context);
}

const std::vector<svm::RoutedRegions>& parted(const Selection& selection) {
  const auto& ensemble = dynamic_cast<const selection::Ensemble&>(*selection.predictor);
  return dynamic_cast<const svm::RegionFamily&>(ensemble.family()).partitions;
}

/// Decision values of a machine of one C and gamma, trained by itself on some preprocessed rows; of one class as the
/// region says it.
std::vector<double> said_of(const data::Features& features, const data::Dataset& dataset,
                            const std::vector<std::size_t>& rows, const RegionReport& choice,
                            const std::vector<std::size_t>& judged) {
  if (choice.classes.size() == 1) return std::vector<double>(judged.size(), choice.classes.front() == 1 ? 1 : -1);
  std::vector<std::string> labels;
  for (const std::size_t i : rows)
    labels.push_back(dataset.schema.classes[static_cast<std::size_t>(dataset.labels[i])]);
  svm::TrainOptions train;
  train.C = choice.C;
  train.solver.tolerance = tight;
  train.gamma = {kernel::GammaRule::Kind::value, choice.gamma};
  train.scaling = data::Scaling::none;
  const Surroundings surroundings;
  const auto said = svm::train(data::make_dataset(features.select_rows(rows), labels), train, surroundings.context)
                        .model.predict_preprocessed(features.select_rows(judged), surroundings.context);
  return {said.decision.values.begin(), said.decision.values.end()};
}

TEST(AverageOfPartitions, ScoresAreTheMeansOfMachinesTrainedRegionByRegion) {
  const data::Dataset dataset = clouds(2);
  const Selection chosen = select(dataset, averaging(3));
  const auto& model = *chosen.predictor;
  ASSERT_EQ(parted(chosen).size(), 3U);
  ASSERT_EQ(chosen.partition()->partitions, 3U);
  const Surroundings surroundings;
  const data::Features features = model.preprocessing.apply(dataset);
  std::vector<double> sum(dataset.rows(), 0);
  std::size_t number = 0;
  for (std::size_t r = 0; r < 3; ++r) {
    const model::Partition& partition = parted(chosen)[r].router;
    const auto region_of = partition.regions_of(features, surroundings.context);
    const auto own = model::rows_by_region(region_of, partition.regions());
    for (std::size_t p = 0; p < own.size(); ++p, ++number) {
      const RegionReport& choice = chosen.partition()->of_region[number];
      ASSERT_EQ(choice.partition, r);
      ASSERT_EQ(choice.region, p);
      const std::vector<double> said = said_of(features, dataset, own[p], choice, own[p]);
      for (std::size_t a = 0; a < own[p].size(); ++a) sum[own[p][a]] += said[a];
    }
  }
  EXPECT_EQ(number, chosen.partition()->regions);
  const model::Prediction said = model.predict(dataset, surroundings.context);
  for (std::size_t i = 0; i < dataset.rows(); ++i) {
    EXPECT_NEAR(said.decision.row(i)[0], sum[i] / 3, 1e-4) << i;
    EXPECT_EQ(said.label[i], said.decision.row(i)[0] > 0 ? 1 : 0) << i;
  }
}

TEST(AverageOfPartitions, OutOfFoldScoresAreThoseOfMachinesWithoutTheFold) {
  const data::Dataset dataset = clouds(2, 300);
  const Selection chosen = select(dataset, averaging(2));
  const auto& model = *chosen.predictor;
  const Surroundings surroundings;
  const data::Features features = model.preprocessing.apply(dataset);
  const std::vector<int>& fold_of = chosen.calibration.fold_model_of;
  std::vector<double> sum(dataset.rows(), 0);
  std::size_t number = 0;
  for (const auto& partition : parted(chosen)) {
    const auto own =
        model::rows_by_region(partition.router.regions_of(features, surroundings.context), partition.router.regions());
    for (const auto& rows : own) {
      const RegionReport& choice = chosen.partition()->of_region[number++];
      for (int fold = 0; fold < 4; ++fold) {
        std::vector<std::size_t> training;
        std::vector<std::size_t> left_out;
        for (const std::size_t i : rows) (fold_of[i] == fold ? left_out : training).push_back(i);
        if (left_out.empty()) continue;
        const std::vector<double> said = said_of(features, dataset, training, choice, left_out);
        for (std::size_t a = 0; a < left_out.size(); ++a) sum[left_out[a]] += said[a];
      }
    }
  }
  std::size_t errors = 0;
  for (std::size_t i = 0; i < dataset.rows(); ++i) {
    const double own = (dataset.labels[i] == 1 ? sum[i] : -sum[i]) / 2;
    EXPECT_NEAR(-chosen.calibration.nonconformity_scores[i], own, 1e-4) << i;
    errors += own > 0 ? 0 : 1;
  }
  EXPECT_DOUBLE_EQ(chosen.grid.front().error, static_cast<double>(errors) / 300);
  EXPECT_DOUBLE_EQ(chosen.partition()->curve.back(), chosen.grid.front().error);
}

TEST(AverageOfPartitions, ThreadsChangeNoBit) {
  for (const int classes : {2, 4}) {
    const data::Dataset dataset = clouds(classes);
    const Selection one = select(dataset, averaging(3), 1);
    const Selection four = select(dataset, averaging(3), 4);
    EXPECT_EQ(one.calibration.nonconformity_scores, four.calibration.nonconformity_scores);
    EXPECT_EQ(one.calibration.fold_model_of, four.calibration.fold_model_of);
    EXPECT_EQ(one.partition()->curve, four.partition()->curve);
    const Surroundings surroundings;
    EXPECT_EQ(one.predictor->predict(dataset, surroundings.context).score.values,
              four.predictor->predict(dataset, surroundings.context).score.values);
  }
}

TEST(AverageOfPartitions, TheFirstPartitionIsTheOneOfASinglePartition) {
  const data::Dataset dataset = clouds(2);
  const Selection single = select(dataset, averaging(1));
  const Selection mean = select(dataset, averaging(2));
  EXPECT_EQ(parted(single).front().router.centres.dense().values, parted(mean).front().router.centres.dense().values);
}

TEST(AverageOfPartitions, GroupsStayInOneFoldOfAllPartitions) {
  data::Dataset dataset = clouds(2, 300);
  for (std::size_t i = 0; i < dataset.rows(); ++i) dataset.groups.push_back(static_cast<int>(i / 3));
  const Selection chosen = select(dataset, averaging(2));
  for (std::size_t i = 0; i < dataset.rows(); ++i)
    EXPECT_EQ(chosen.calibration.fold_model_of[i], chosen.calibration.fold_model_of[i - i % 3]);
}

TEST(AverageOfPartitions, FewerGroupsThanFoldsAreFolds) {
  data::Dataset dataset = clouds(2, 120);
  for (std::size_t i = 0; i < dataset.rows(); ++i) dataset.groups.push_back(static_cast<int>(i % 3));
  const Surroundings surroundings;
  selection::RegionCourse course(dataset, selection::Selector(averaging(2, 200)).options(), surroundings.context);
  while (!course.done()) course.take(selection::run_regions(course, true, surroundings.context), surroundings.context);
  const std::vector<int> fold_of = course.average().calibration().fold_model_of;
  EXPECT_EQ(*std::ranges::max_element(fold_of), 2);
  EXPECT_EQ(std::move(course).merged(surroundings.context).predictor->fold_models.count(), 4U);
}

/// A class with two rows: a region may hold both in one fold, or one of them, and then cannot tell the class apart.
TEST(AverageOfPartitions, ARareClassIsCountedAsErrorsWhereNoRegionKnowsIt) {
  data::Dataset dataset = clouds(3, 300);
  std::size_t kept = 0;
  for (int& label : dataset.labels)
    if (label == 2 && ++kept > 2) label = 1;
  const Selection chosen = select(dataset, averaging(3));
  ASSERT_TRUE(chosen.predictor);
  const Surroundings surroundings;
  EXPECT_EQ(chosen.predictor->predict(dataset, surroundings.context).label.size(), 300U);
}

TEST(AverageOfPartitions, AddsPartitionsWhileTheyLowerTheLossAndEightAtMost) {
  const Selection chosen = select(clouds(2), averaging(std::nullopt));
  const std::vector<double>& curve = chosen.partition()->curve;
  EXPECT_EQ(curve.size(), chosen.partition()->partitions);
  EXPECT_GE(curve.size(), 3U);
  EXPECT_LE(curve.size(), 8U);
}

/// A limit that leaves time for the first partition, but not for twice as much.
TEST(AverageOfPartitions, ATimeLimitLeavesThePartitionsThatAreComplete) {
  const data::Dataset dataset = clouds(2);
  const core::Threads threads(1);
  core::Monitor unlimited;
  const selection::Options resolved = selection::Selector(averaging(8)).options();
  selection::RegionCourse measured(dataset, resolved, {.threads = threads, .monitor = unlimited});
  const double begun = unlimited.seconds();
  const auto first = selection::run_regions(measured, true, {.threads = threads, .monitor = unlimited});
  const double seconds = unlimited.seconds() - begun;
  core::Monitor limited({}, 1.5 * seconds + 0.5);
  const core::Context context{.threads = threads, .monitor = limited};
  selection::RegionCourse course(dataset, resolved, context);
  while (limited.seconds_left().value() > seconds) {
  }
  course.take(first, context);
  EXPECT_TRUE(course.done());
  const Selection chosen = std::move(course).merged(context);
  ASSERT_TRUE(chosen.predictor);
  EXPECT_EQ(chosen.partition()->partitions, 1U);
  ASSERT_FALSE(chosen.warnings.empty());
  EXPECT_NE(chosen.warnings.back().find("the time limit ended the averaging after 1 partition"), std::string::npos);
}

/// A limit that ends between two regions of the second partition, and before the training on all rows.
TEST(AverageOfPartitions, ATimeLimitMidwayLeavesThePartitionsBefore) {
  const data::Dataset dataset = clouds(2);
  const core::Threads threads(1);
  core::Monitor unlimited;
  const selection::Options resolved = selection::Selector(averaging(8)).options();
  selection::RegionCourse course(dataset, resolved, {.threads = threads, .monitor = unlimited});
  course.take(selection::run_regions(course, true, {.threads = threads, .monitor = unlimited}),
              {.threads = threads, .monitor = unlimited});
  ASSERT_FALSE(course.done());
  auto second = selection::run_regions(course, true, {.threads = threads, .monitor = unlimited});
  second.back().complete = false;
  core::Monitor over({}, 0.0);
  const core::Context late{.threads = threads, .monitor = over};
  course.take(std::move(second), late);
  EXPECT_TRUE(course.done());
  const Selection chosen = std::move(course).merged(late);
  ASSERT_TRUE(chosen.predictor);
  EXPECT_EQ(chosen.stopped, core::StopReason::none);
  EXPECT_EQ(chosen.partition()->partitions, 1U);
  ASSERT_FALSE(chosen.warnings.empty());
  EXPECT_NE(chosen.warnings.back().find("the time limit ended the averaging after 1 partition"), std::string::npos);
}

/// The stand-in for a method spends what is left of the time limit after its partitions are complete.
TEST(AverageOfPartitions, WithoutTimeToTrainOnAllRowsTheJudgedModelStays) {
  const data::Dataset dataset = clouds(2);
  selection::Options options = averaging(2);
  options.estimate = selection::Estimate::holdout;
  const selection::Options resolved = selection::Selector(options).options();
  const core::Threads threads(1);
  core::Monitor limited({}, 0.2);
  const core::Context context{.threads = threads, .monitor = limited};
  const Selection chosen = selection::select_with_rows_set_aside(
      dataset, resolved, context, [&](const data::Dataset& training, const selection::Options& choosing) {
        const Surroundings unhurried(1);
        Selection done = selection::select_in_regions(training, choosing, unhurried.context);
        while (!limited.should_stop()) {
        }
        return done;
      });
  EXPECT_EQ(chosen.stopped, core::StopReason::none);
  ASSERT_TRUE(chosen.predictor && chosen.honest);
  EXPECT_EQ(chosen.honest->rows, 40U);
  EXPECT_EQ(chosen.warnings.back(),
            "the time limit left no time to train the models on the 40 rows that judged them: the model is the one "
            "that was judged");
}

TEST(AverageOfPartitions, FallsByMoreThanAStandardErrorInClosedForm) {
  const std::vector<double> before{1, 1, 1, 0};
  EXPECT_FALSE(selection::falls(before, before));
  EXPECT_TRUE(selection::falls(before, std::vector<double>{0, 0, 1, 0}));   // 0.5 > 0.2887
  EXPECT_FALSE(selection::falls(before, std::vector<double>{0, 1, 1, 0}));  // 0.25 = 0.25
  EXPECT_FALSE(selection::falls(before, std::vector<double>{1, 1, 1, 1}));
}

/// Two regions on a grid of four gammas and three C.
TEST(AverageOfPartitions, NearSettingsAreOneStepFromTheBestOfSharedRows) {
  std::vector<RegionResult> first(2);
  for (std::size_t p = 0; p < 2; ++p) {
    first[p].region = p;
    first[p].rows = p == 0 ? 30 : 10;
    first[p].weight = static_cast<double>(first[p].rows);
    first[p].setting_losses.assign(12, 0.5);
  }
  first[0].setting_losses[0] = 0.1;   // gamma 0, C 0: best of all rows
  first[1].setting_losses[10] = 0.1;  // gamma 3, C 1
  first[1].setting_losses[4] = std::numeric_limits<double>::quiet_NaN();
  const auto wanted = [&](std::vector<std::size_t> shared) { return selection::near_settings(first, shared, 3); };
  EXPECT_EQ(wanted({0, 5}), (std::vector<std::uint8_t>{1, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1}));
  EXPECT_EQ(wanted({5, 0}), (std::vector<std::uint8_t>{1, 1, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0}));
  first[0].setting_losses.clear();
  first[1].setting_losses.clear();
  EXPECT_TRUE(wanted({1, 1}).empty());
}

TEST(AverageOfPartitions, TheBootstrapCorrectionIsRefused) {
  selection::Options options = averaging(2);
  options.estimate = selection::Estimate::bbc;
  test::expect_error(ErrorCode::invalid_argument, "repeats the choices of one partition",
                     [&] { selection::Selector{options}; });
}

TEST(AverageOfPartitions, RowsAreSetAsideByDefault) {
  selection::Options options = averaging(2);
  options.estimate = std::nullopt;
  const data::Dataset dataset = clouds(2);
  const Selection chosen = select(dataset, options);
  EXPECT_EQ(chosen.set_aside, 40U);
  ASSERT_TRUE(chosen.honest);
  EXPECT_EQ(chosen.predictor->record.rows, 400U);
  EXPECT_EQ(chosen.calibration.nonconformity_scores.size(), 360U);
}

}  // namespace average_of_partitions_tests
