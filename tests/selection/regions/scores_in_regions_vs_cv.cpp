#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "credence/model/sigmoid.hpp"
#include "credence/selection/partition.hpp"
#include "credence/selection/selector.hpp"
#include "selection/regions/merged_regions.hpp"
#include "selection/resample/resamples.hpp"
#include "support/context.hpp"
#include "support/expect_error.hpp"
#include "support/random_data.hpp"

namespace scores_in_regions_vs_cv_tests {

using namespace credence;
using selection::Options;
using selection::Score;
using selection::Selection;
using test::Surroundings;

constexpr const char* costs_text = "usual:rare=1.5,rare:usual=4";

/// Clouds that overlap: one row in four is rare, and of three classes one in ten is "third". Weights of 1 to 3 if
/// asked.
data::Dataset uneven_rows(int classes, bool weighted = false) {
  const test::Clouds clouds = test::random_clouds(320, 3, classes, 0.6, 21);
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < 320; ++i) {
    const bool rare = clouds.classes[i] == 1 && i % 4 < 2;
    labels.emplace_back(classes > 2 && clouds.classes[i] == 2 && i % 3 == 0 ? "third" : rare ? "rare" : "usual");
  }
  data::Dataset dataset = data::make_dataset(clouds.x, labels);
  for (std::size_t i = 0; weighted && i < 320; ++i) dataset.weights.push_back(1 + static_cast<double>(i % 3));
  return dataset;
}

Options judging(Score score, int partitions, selection::Estimate estimate = selection::Estimate::none) {
  Options options;
  options.method = selection::Regions{.region_size = 110, .partitions = partitions, .folds = 4};
  options.score = score;
  options.label_costs = score == Score::cost ? costs_text : "";
  options.costs.C = {0.5, 8};
  options.kernels.gamma = kernel::parse_gammas("0.1,1");
  options.estimate = estimate;
  options.seed = 3;
  options.choose_one_svm();
  return options;
}

Selection select(const data::Dataset& dataset, const Options& options, int threads = 2) {
  const Surroundings surroundings(threads);
  return selection::Selector(options).select(dataset, surroundings.context);
}

double weight_of(const data::Dataset& dataset, std::size_t row) {
  return dataset.weights.empty() ? 1 : dataset.weights[row];
}

/// 1 - the score (of a cost the mean), by loops over the rows. @param label  of each row
double loss_by_hand(Score score, const data::Dataset& dataset, const std::vector<int>& label) {
  const std::size_t classes = dataset.class_count();
  std::vector<double> hits(classes, 0);
  std::vector<double> rows(classes, 0);
  std::vector<double> named(classes, 0);
  double cost = 0;
  for (std::size_t i = 0; i < dataset.rows(); ++i) {
    const auto truth = static_cast<std::size_t>(dataset.labels[i]);
    const double weight = weight_of(dataset, i);
    rows[truth] += weight;
    named[static_cast<std::size_t>(label[i])] += weight;
    if (label[i] == dataset.labels[i]) hits[truth] += weight;
    if (label[i] == dataset.labels[i]) continue;
    const std::string pair = dataset.schema.classes[truth] + dataset.schema.classes[static_cast<std::size_t>(label[i])];
    cost += weight * (pair == "usualrare" ? 1.5 : pair == "rareusual" ? 4 : 1);
  }
  double recall = 0;
  double macro = 0;
  for (std::size_t c = 0; c < classes; ++c) {
    recall += hits[c] / rows[c] / static_cast<double>(classes);
    macro += 2 * hits[c] / (rows[c] + named[c]) / static_cast<double>(classes);
  }
  switch (score) {
    case Score::balanced_accuracy:
      return 1 - recall;
    case Score::f1:
      return 1 - 2 * hits[1] / (rows[1] + named[1]);
    case Score::f1_macro:
      return 1 - macro;
    default:
      double all = 0;
      for (std::size_t c = 0; c < classes; ++c) all += rows[c];
      return cost / all;
  }
}

/// Of the second class.
std::vector<double> margins_of(const model::Calibration& kept) {
  std::vector<double> margins;
  for (std::size_t i = 0; i < kept.labels.size(); ++i)
    margins.push_back(kept.labels[i] == 1 ? -kept.nonconformity_scores[i] : kept.nonconformity_scores[i]);
  return margins;
}

/// Out-of-fold labels: of one partition by the machines of its regions that left the row's fold out.
std::vector<int> labels_out_of_fold(const data::Dataset& dataset, const Selection& chosen) {
  const Surroundings surroundings;
  const auto& parts = chosen.predictor->fold_models.parts;
  EXPECT_EQ(parts.size(), 1U);
  const model::Scores said =
      parts.front().family->score_all(chosen.predictor->preprocessing.apply(dataset), surroundings.context);
  std::vector<int> labels;
  for (std::size_t i = 0; i < dataset.rows(); ++i)
    labels.push_back(said.label(i, static_cast<std::size_t>(chosen.calibration.fold_model_of[i])));
  return labels;
}

class ScoresOfLabels : public testing::TestWithParam<Score> {};

/// The grid of each region is that of `cv` on its rows with the same folds.
TEST_P(ScoresOfLabels, EverySettingOfARegionHasTheScoreOfCv) {
  const Score score = GetParam();
  const data::Dataset dataset = uneven_rows(2, true);
  const Surroundings surroundings(2);
  const selection::RegionCourse course(dataset, selection::Selector(judging(score, 2)).options(), surroundings.context);
  ASSERT_GT(course.regions(), 2U);
  for (std::size_t p = 0; p < course.regions(); ++p) {
    const selection::RegionTask task = course.task(p);
    const selection::RegionResult result = selection::run_region(task, course.options(), surroundings.context);
    ASSERT_EQ(result.machine.classes.size(), 2U);
    data::Dataset rows = task.rows;
    rows.folds = task.fold_of;
    Options whole = judging(score, 1);
    double scale = 1;
    if (score == Score::balanced_accuracy) {
      // What the errors of the region add to 1 - balanced accuracy of all rows: a cost for each class.
      double of_class[2] = {0, 0};
      double here[2] = {0, 0};
      for (std::size_t i = 0; i < dataset.rows(); ++i) of_class[dataset.labels[i]] += dataset.weights[i];
      for (std::size_t i = 0; i < rows.rows(); ++i) here[rows.labels[i]] += rows.weights[i];
      const auto names = dataset.schema.classes;
      whole.score = Score::cost;
      whole.label_costs = names[0] + ":" + names[1] + "=" + std::to_string(1e4 / of_class[0]) + "," + names[1] + ":" +
                          names[0] + "=" + std::to_string(1e4 / of_class[1]);
      scale = (here[0] + here[1]) / 1e4 / (here[0] / of_class[0] + here[1] / of_class[1]);
    }
    whole.method = selection::CrossValidation{};
    whole.preparation.scalings = {data::Scaling::none};
    whole.choose_one_svm();
    const Selection crossed = selection::Selector(whole).select(rows, surroundings.context);
    ASSERT_EQ(result.setting_losses.size(), crossed.grid.size());
    for (std::size_t k = 0; k < crossed.grid.size(); ++k)
      EXPECT_NEAR(result.setting_losses[k], scale * crossed.grid[k].error, 1e-7) << "region " << p << ", setting " << k;
    EXPECT_EQ(result.C, crossed.grid[*crossed.best].C);
    EXPECT_EQ(result.gamma, crossed.grid[*crossed.best].gamma);
  }
}

INSTANTIATE_TEST_SUITE_P(OfEveryScore, ScoresOfLabels,
                         testing::Values(Score::balanced_accuracy, Score::roc_auc, Score::f1, Score::f1_macro,
                                         Score::log_loss, Score::cost),
                         [](const auto& test) { return std::string(core::word(test.param)); });

TEST(ScoresInRegionsVsCv, TheAverageHasTheScoreOfItsOutOfFoldLabels) {
  for (const int classes : {2, 3}) {
    for (const int partitions : {1, 3}) {
      for (const Score score : {Score::balanced_accuracy, Score::f1, Score::f1_macro, Score::cost}) {
        if (classes == 3 && score == Score::f1) continue;
        const data::Dataset dataset = uneven_rows(classes, score != Score::f1_macro);
        const Selection chosen = select(dataset, judging(score, partitions));
        EXPECT_NEAR(chosen.grid.front().error, loss_by_hand(score, dataset, labels_out_of_fold(dataset, chosen)), 1e-12)
            << core::word(score) << ' ' << classes << ' ' << partitions;
        EXPECT_EQ(chosen.partition()->curve.back(), chosen.grid.front().error);
        EXPECT_GT(chosen.grid.front().error_se, 0);
        EXPECT_EQ(chosen.score_kind(),
                  score == Score::cost ? selection::ScoreKind::cost : selection::ScoreKind::complement);
      }
    }
  }
}

/// Six classes that hardly differ: the votes of pairs name another class than the one whose least pair is largest.
TEST(ScoresInRegionsVsCv, OnePartitionIsJudgedByTheVotesThatItPredictsBy) {
  std::size_t told_apart = 0;
  for (std::uint64_t seed = 1; seed < 6; ++seed) {
    const data::Dataset dataset = test::random_clouds(320, 3, 6, 0.2, seed).dataset();
    const Selection chosen = select(dataset, judging(Score::balanced_accuracy, 1));
    std::vector<int> largest;
    for (std::size_t i = 0; i < dataset.rows(); ++i) {
      const auto scores = chosen.calibration.scores.row(i);
      largest.push_back(static_cast<int>(std::ranges::max_element(scores) - scores.begin()));
    }
    const double by_votes = loss_by_hand(Score::balanced_accuracy, dataset, labels_out_of_fold(dataset, chosen));
    EXPECT_NEAR(chosen.grid.front().error, by_votes, 1e-12);
    told_apart += std::abs(by_votes - loss_by_hand(Score::balanced_accuracy, dataset, largest)) > 1e-6 ? 1U : 0U;
  }
  EXPECT_GT(told_apart, 0U);
}

/// Pairs of a rare and a usual row of one fold, which the same machines judge.
TEST(ScoresInRegionsVsCv, TheAverageHasTheAucOfPairsOfItsFolds) {
  const data::Dataset dataset = uneven_rows(2, true);
  for (const int partitions : {1, 3}) {
    const Selection chosen = select(dataset, judging(Score::roc_auc, partitions));
    const std::vector<double> margins = margins_of(chosen.calibration);
    const std::vector<int>& fold = chosen.calibration.fold_model_of;
    double ordered = 0;
    double pairs = 0;
    for (std::size_t i = 0; i < dataset.rows(); ++i) {
      for (std::size_t k = 0; k < dataset.rows(); ++k) {
        if (dataset.labels[i] != 1 || dataset.labels[k] != 0 || fold[i] != fold[k]) continue;
        const double weight = dataset.weights[i] * dataset.weights[k];
        pairs += weight;
        ordered += margins[i] > margins[k] ? weight : margins[i] == margins[k] ? weight / 2 : 0;
      }
    }
    EXPECT_NEAR(chosen.grid.front().error, 1 - ordered / pairs, 1e-12) << partitions;
  }
}

/// A sigmoid for each region and fold, fitted to the rows of the region in other folds.
TEST(ScoresInRegionsVsCv, TheAverageHasTheLogLossOfSigmoidsOfItsRegions) {
  const data::Dataset dataset = uneven_rows(2);
  for (const int partitions : {1, 3}) {
    const Selection chosen = select(dataset, judging(Score::log_loss, partitions));
    const model::Calibration& kept = chosen.calibration;
    const std::vector<double> margins = margins_of(kept);
    double sum = 0;
    for (std::size_t i = 0; i < dataset.rows(); ++i) {
      std::vector<double> others;
      std::vector<int> labels;
      for (std::size_t k = 0; k < dataset.rows(); ++k) {
        if (kept.region_of[k] != kept.region_of[i] || kept.fold_model_of[k] == kept.fold_model_of[i]) continue;
        others.push_back(margins[k]);
        labels.push_back(dataset.labels[k]);
      }
      sum += model::fit_sigmoid(others, labels).log_loss(margins[i], dataset.labels[i]);
    }
    EXPECT_NEAR(chosen.grid.front().error, sum / 320, 1e-9) << partitions;
  }
}

/// 1 - balanced accuracy of all rows is the sum of what the regions add to it.
TEST(ScoresInRegionsVsCv, TheBalancedAccuracyIsASumOverRegions) {
  const data::Dataset dataset = uneven_rows(3);
  const Selection chosen = select(dataset, judging(Score::balanced_accuracy, 1));
  double sum = 0;
  double weight = 0;
  for (const selection::RegionReport& region : chosen.partition()->of_region) {
    sum += region.weight * region.error;
    weight += region.weight;
  }
  EXPECT_NEAR(weight, 320, 1e-9);
  EXPECT_NEAR(sum / weight, chosen.grid.front().error, 1e-6);
}

/// The twin judges the rows set aside by a selection on the other rows.
TEST(ScoresInRegionsVsCv, RowsSetAsideAreJudgedByTheScore) {
  const Surroundings surroundings(2);
  for (const int classes : {2, 3}) {
    const data::Dataset dataset = uneven_rows(classes);
    const Options options = judging(Score::balanced_accuracy, 2, selection::Estimate::holdout);
    const Selection found = select(dataset, options);
    ASSERT_TRUE(found.honest);
    EXPECT_EQ(found.honest->score, "1 - balanced accuracy");
    const std::vector<bool> aside = selection::set_aside_rows(dataset, options);
    std::vector<std::size_t> kept;
    std::vector<std::size_t> others;
    for (std::size_t i = 0; i < aside.size(); ++i) (aside[i] ? others : kept).push_back(i);
    const data::Dataset judged = dataset.select_rows(others);
    const Selection without = select(dataset.select_rows(kept), judging(Score::balanced_accuracy, 2));
    const std::vector<int> labels = without.predictor->predict(judged, surroundings.context).label;
    EXPECT_NEAR(found.honest->error, loss_by_hand(Score::balanced_accuracy, judged, labels), 1e-12);
    EXPECT_LE(found.honest->lower, found.honest->error);
  }
}

/// The sigmoid of the region in which a row lies, fitted to all out-of-fold scores of that region.
TEST(ScoresInRegionsVsCv, RowsSetAsideHaveTheLogLossOfTheProbabilitiesOfTheirRegion) {
  const Surroundings surroundings(2);
  const data::Dataset dataset = uneven_rows(2);
  const Options options = judging(Score::log_loss, 2, selection::Estimate::holdout);
  const Selection found = select(dataset, options);
  const std::vector<bool> aside = selection::set_aside_rows(dataset, options);
  std::vector<std::size_t> kept;
  std::vector<std::size_t> others;
  for (std::size_t i = 0; i < aside.size(); ++i) (aside[i] ? others : kept).push_back(i);
  const data::Dataset judged = dataset.select_rows(others);
  const Selection without = select(dataset.select_rows(kept), judging(Score::log_loss, 2));
  const model::Prediction said = without.predictor->predict(judged, surroundings.context);
  const std::vector<double> margins = margins_of(without.calibration);
  double sum = 0;
  for (std::size_t i = 0; i < judged.rows(); ++i) {
    std::vector<double> own;
    std::vector<int> labels;
    for (std::size_t k = 0; k < margins.size(); ++k) {
      if (without.calibration.region_of[k] != said.region_of[i]) continue;
      own.push_back(margins[k]);
      labels.push_back(without.calibration.labels[k]);
    }
    sum += model::fit_sigmoid(own, labels).log_loss(said.score.row(i)[1], judged.labels[i]);
  }
  ASSERT_TRUE(found.honest);
  EXPECT_NEAR(found.honest->error, sum / static_cast<double>(judged.rows()), 1e-9);
}

/// No fold has rows of both classes, so that no setting has an AUC: the choice is that of the error.
TEST(ScoresInRegionsVsCv, TheErrorChoosesWhereTheScoreIsUndefined) {
  const data::Dataset dataset = uneven_rows(2);
  const Surroundings surroundings;
  const selection::RegionCourse course(dataset, selection::Selector(judging(Score::roc_auc, 2)).options(),
                                       surroundings.context);
  selection::RegionTask task = course.task(0);
  int next[2] = {0, 0};
  for (std::size_t i = 0; i < task.rows.rows(); ++i) {
    const int label = task.rows.labels[i];
    task.fold_of[i] = 2 * label + next[label]++ % 2;
  }
  const selection::RegionResult found = selection::run_region(task, course.options(), surroundings.context);
  Options by_error = course.options();
  by_error.score = {};
  by_error.label_costs = {};
  const selection::RegionResult twin = selection::run_region(task, by_error, surroundings.context);
  ASSERT_TRUE(found.complete);
  EXPECT_EQ(found.C, twin.C);
  EXPECT_EQ(found.gamma, twin.gamma);
  EXPECT_EQ(found.setting_losses, twin.setting_losses);
}

/// Costs name three classes, and a region far away has two of them.
TEST(ScoresInRegionsVsCv, ARegionTakesTheCostsOfItsClasses) {
  data::DenseMatrix x = test::random_matrix(200, 2, 8);
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < x.rows; ++i) {
    if (i >= 100) x.row(i)[0] += 100;
    labels.emplace_back(i < 100 ? (i % 2 == 0 ? "a" : "b") : i % 2 == 0 ? "b" : "c");
  }
  const data::Dataset dataset = data::make_dataset(data::Features(x), labels);
  Options options = judging(Score::cost, 2);
  options.label_costs = "a:b=7,b:c=0.25,c:a=3";
  const Selection chosen = select(dataset, options);
  const std::vector<int> said = labels_out_of_fold(dataset, chosen);
  double cost = 0;
  for (std::size_t i = 0; i < 200; ++i) {
    const std::string pair = labels[i] + dataset.schema.classes[static_cast<std::size_t>(said[i])];
    cost += pair == "ab" ? 7 : pair == "bc" ? 0.25 : pair == "ca" ? 3 : pair[0] == pair[1] ? 0 : 1;
  }
  EXPECT_NEAR(chosen.grid.front().error, cost / 200, 1e-12);
  for (const selection::RegionReport& region : chosen.partition()->of_region) EXPECT_LE(region.classes.size(), 3U);
}

TEST(ScoresInRegionsVsCv, ThreadsChangeNoBit) {
  const data::Dataset dataset = uneven_rows(2);
  for (const Score score : {Score::balanced_accuracy, Score::roc_auc, Score::log_loss}) {
    const Selection one = select(dataset, judging(score, 2), 1);
    const Selection four = select(dataset, judging(score, 2), 4);
    EXPECT_EQ(one.partition()->curve, four.partition()->curve);
    EXPECT_EQ(one.calibration.nonconformity_scores, four.calibration.nonconformity_scores);
  }
}

TEST(ScoresInRegionsVsCv, RowsAreSetAsideByDefaultAndTheBootstrapCorrectionIsRefused) {
  Options options = judging(Score::f1, 1);
  options.estimate = std::nullopt;
  const Selection chosen = select(uneven_rows(2), options);
  ASSERT_TRUE(chosen.honest);
  EXPECT_EQ(chosen.honest->method, "hold-out");
  EXPECT_EQ(chosen.honest->score, "1 - F1");
  options.estimate = selection::Estimate::bbc;
  test::expect_error(ErrorCode::invalid_argument, "add up for the error and the soft loss, not for the F1",
                     [&] { selection::Selector{options}; });
}

}  // namespace scores_in_regions_vs_cv_tests
