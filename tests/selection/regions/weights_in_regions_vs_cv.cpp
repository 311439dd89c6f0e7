#include <gtest/gtest.h>

#include <vector>

#include "credence/selection/partition.hpp"
#include "credence/selection/selector.hpp"
#include "support/context.hpp"
#include "support/random_data.hpp"

namespace weights_in_regions_vs_cv_tests {

using namespace credence;
using selection::Options;
using selection::Selection;
using test::Surroundings;

/// Clouds that overlap, one class in five rows, and sample weights of 1 to 3.
data::Dataset weighted_rows() {
  test::Clouds clouds = test::random_clouds(300, 3, 2, 0.4, 16);
  for (std::size_t i = 0; i < 300; ++i) clouds.labels[i] = i % 5 == 0 ? "rare" : "usual";
  data::Dataset dataset = data::make_dataset(clouds.x, clouds.labels);
  for (std::size_t i = 0; i < 300; ++i) dataset.weights.push_back(1 + static_cast<double>(i % 3));
  return dataset;
}

Options weighing(int partitions, selection::Estimate estimate = selection::Estimate::none) {
  Options options;
  options.method = selection::Regions{.region_size = 120, .partitions = partitions, .folds = 4};
  options.costs.C = {0.5, 8};
  options.costs.class_weights = svm::parse_class_weights("balanced");
  options.kernels.gamma = kernel::parse_gammas("0.1,1");
  options.estimate = estimate;
  options.choose_one_svm();
  return options;
}

/// The losses of all settings in a region are the weighted errors of `cv` on the region's rows with the same folds. The
/// factors of balanced weights are those of all rows.
TEST(WeightsInRegionsVsCv, EverySettingHasTheWeightedErrorOfCv) {
  const data::Dataset dataset = weighted_rows();
  const Surroundings surroundings(2);
  const selection::RegionCourse course(dataset, selection::Selector(weighing(2)).options(), surroundings.context);
  ASSERT_GT(course.regions(), 2U);
  std::size_t compared = 0;
  for (std::size_t p = 0; p < course.regions(); ++p) {
    const selection::RegionTask task = course.task(p);
    const selection::RegionResult result = selection::run_region(task, course.options(), surroundings.context);
    if (result.machine.classes.size() < 2) continue;
    data::Dataset rows = task.rows;
    rows.folds = task.fold_of;
    Options whole = weighing(1);
    whole.method = selection::CrossValidation{};
    whole.costs.class_weights = course.options().costs.class_weights;
    ASSERT_EQ(whole.costs.class_weights.named.size(), 2U);
    whole.preparation.scalings = {data::Scaling::none};
    whole.choose_one_svm();
    const Selection crossed = selection::Selector(whole).select(rows, surroundings.context);
    ASSERT_EQ(result.setting_losses.size(), crossed.grid.size());
    for (std::size_t k = 0; k < crossed.grid.size(); ++k)
      EXPECT_NEAR(result.setting_losses[k], crossed.grid[k].error, 1e-12) << "region " << p << ", setting " << k;
    EXPECT_NEAR(result.error, crossed.grid[*crossed.best].error, 1e-6);
    ++compared;
  }
  EXPECT_GT(compared, 2U);
}

/// By hand from the out-of-fold scores of the average.
TEST(WeightsInRegionsVsCv, TheAverageIsJudgedByWeightedErrors) {
  const data::Dataset dataset = weighted_rows();
  const Surroundings surroundings(2);
  for (const int partitions : {1, 3}) {
    const Selection chosen = selection::Selector(weighing(partitions)).select(dataset, surroundings.context);
    EXPECT_TRUE(chosen.weighted);
    EXPECT_EQ(chosen.score_kind(), selection::ScoreKind::weighted_error);
    double lost = 0;
    double all = 0;
    for (std::size_t i = 0; i < dataset.rows(); ++i) {
      double of_class = 0;
      for (std::size_t k = 0; k < dataset.rows(); ++k)
        of_class += dataset.labels[k] == dataset.labels[i] ? dataset.weights[k] : 0;
      const double balanced = dataset.weights[i] / of_class;
      const bool error = chosen.calibration.nonconformity_scores[i] > 0;
      lost += error ? balanced : 0;
      all += balanced;
    }
    EXPECT_NEAR(chosen.grid[*chosen.best].error, lost / all, 1e-6) << partitions;
  }
}

TEST(WeightsInRegionsVsCv, RowsSetAsideAreJudgedByWeightedErrorsToo) {
  const Surroundings surroundings(2);
  const Selection chosen =
      selection::Selector(weighing(2, selection::Estimate::holdout)).select(weighted_rows(), surroundings.context);
  ASSERT_TRUE(chosen.honest);
  EXPECT_EQ(chosen.honest->score, "weighted error");
}

/// One region and the folds of both are draws of chance: the corrections agree, as the errors that they correct do.
TEST(WeightsInRegionsVsCv, TheBootstrapCorrectionIsOfWeightedErrors) {
  const Surroundings surroundings(2);
  Options options = weighing(1, selection::Estimate::bbc);
  options.as<selection::Regions>().region_size = 1000;
  const Selection parted = selection::Selector(options).select(weighted_rows(), surroundings.context);
  options.method = selection::CrossValidation{.folds = 4};
  options.choose_one_svm();
  const Selection whole = selection::Selector(options).select(weighted_rows(), surroundings.context);
  ASSERT_TRUE(parted.honest && whole.honest);
  EXPECT_EQ(parted.honest->score, whole.honest->score);
  EXPECT_NEAR(parted.honest->error - parted.grid[*parted.best].error,
              whole.honest->error - whole.grid[*whole.best].error, 0.03);
}

/// Weights of one value for every row change nothing.
TEST(WeightsInRegionsVsCv, EqualWeightsAreNoWeights) {
  data::Dataset plain = weighted_rows();
  plain.weights.clear();
  data::Dataset equal = plain;
  equal.weights.assign(equal.rows(), 1.0);
  Options options = weighing(2);
  options.costs.class_weights = {};
  const Surroundings surroundings(2);
  const Selection a = selection::Selector(options).select(plain, surroundings.context);
  const Selection b = selection::Selector(options).select(equal, surroundings.context);
  EXPECT_FALSE(a.weighted);
  EXPECT_TRUE(b.weighted);
  EXPECT_EQ(a.partition()->curve, b.partition()->curve);
  EXPECT_EQ(a.calibration.nonconformity_scores, b.calibration.nonconformity_scores);
}

}  // namespace weights_in_regions_vs_cv_tests
