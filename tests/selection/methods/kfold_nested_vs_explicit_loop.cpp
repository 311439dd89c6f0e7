#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "credence/core/random.hpp"
#include "credence/data/splits.hpp"
#include "credence/selection/selector.hpp"
#include "support/expect_error.hpp"
#include "support/random_data.hpp"
#include "support/refit_losses.hpp"
#include "support/selection_fields.hpp"

namespace kfold_nested_vs_explicit_loop_tests {

using namespace credence;
using selection::Judgement;
using selection::Loss;
using selection::Selection;
using test::expect_error;
using test::random_clouds;
using test::RefitLosses;
using test::Surroundings;

selection::Options few_settings(int folds = 4) {
  selection::Options options;
  options.method = selection::KFoldNested{};
  test::set_folds(options, folds);
  options.costs.C = {0.02, 0.5, 20};
  options.kernels.gamma = kernel::parse_gammas("0.05,0.5");
  options.costs.solver.tolerance = 1e-6;
  options.seed = 3;
  return options;
}

Selection select(const data::Dataset& dataset, const selection::Options& options, int threads = 1) {
  Surroundings surroundings(threads);
  return selection::Selector(options).select(dataset, surroundings.context);
}

/// Rows whose fold is none of two (a twice: one).
std::vector<std::size_t> rows_without(const std::vector<int>& folds, int a, int b) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < folds.size(); ++i)
    if (folds[i] != a && folds[i] != b) rows.push_back(i);
  return rows;
}

/// Section III-B as it stands, on the given folds: every model of it trained by itself.
void expect_explicit_loop(const Selection& selection, const selection::Options& options, const data::Dataset& dataset,
                          const std::vector<int>& folds, const std::string& what) {
  const int k = test::fold_count(folds);
  const auto settings = selection.grid.size();
  std::vector<RefitLosses> all_pairs(settings);
  ASSERT_TRUE(selection.estimation()) << what;
  ASSERT_EQ(selection.estimation()->judgements.size(), static_cast<std::size_t>(k)) << what;
  double errors = 0;
  for (int test = 0; test < k; ++test) {
    std::vector<RefitLosses> inner(settings);
    for (std::size_t setting = 0; setting < settings; ++setting) {
      const svm::TrainOptions train = test::train_options_of_setting(options, selection.grid[setting]);
      for (int validation = 0; validation < k; ++validation) {
        if (validation == test) continue;
        inner[setting] += test::refit_losses(dataset, rows_without(folds, test, validation),
                                             test::fold_rows(folds, validation, true), train);
      }
      all_pairs[setting] += inner[setting];
    }
    const Judgement& judgement = selection.estimation()->judgements[static_cast<std::size_t>(test)];
    const std::string where = what + ", test fold " + std::to_string(test);
    ASSERT_TRUE(judgement.setting) << where;
    // Smallest mean loss, ties to the smaller C and then gamma; rounding may turn a row in doubt.
    std::size_t best = 0;
    const auto key = [&](std::size_t c) {
      return std::make_tuple(inner[c].mean(options.loss), selection.grid[c].C, selection.grid[c].gamma);
    };
    for (std::size_t c = 1; c < settings; ++c) best = key(c) < key(best) ? c : best;
    const bool sure = std::all_of(inner.begin(), inner.end(), [](const RefitLosses& l) { return l.doubtful == 0; });
    if (options.loss == Loss::hard && sure) {
      EXPECT_EQ(*judgement.setting, best) << where;
    } else {
      const double slack = options.loss == Loss::soft ? 1e-5 : 2 * inner[best].doubtful / inner[best].rows + 1e-9;
      EXPECT_LE(inner[*judgement.setting].mean(options.loss), inner[best].mean(options.loss) + slack) << where;
    }
    const RefitLosses judged =
        test::refit_losses(dataset, rows_without(folds, test, test), test::fold_rows(folds, test, true),
                           test::train_options_of_setting(options, selection.grid[*judgement.setting]));
    EXPECT_EQ(static_cast<double>(judgement.rows), judged.rows) << where;
    EXPECT_NEAR(static_cast<double>(judgement.errors), judged.errors, judged.doubtful + 1e-9) << where;
    EXPECT_NEAR(judgement.soft, judged.soft / judged.rows, 1e-4) << where;
    errors += static_cast<double>(judgement.errors);
  }
  for (std::size_t setting = 0; setting < settings; ++setting) {
    const double slack =
        options.loss == Loss::soft ? 1e-4 : all_pairs[setting].doubtful / all_pairs[setting].rows + 1e-9;
    EXPECT_NEAR(selection.grid[setting].error, all_pairs[setting].mean(options.loss), slack) << what;
  }
  ASSERT_TRUE(selection.honest) << what;
  EXPECT_EQ(selection.honest->method, "nested");
  EXPECT_EQ(selection.honest->rows, dataset.rows());
  EXPECT_EQ(selection.honest->resamples, static_cast<std::size_t>(k));
  EXPECT_NEAR(selection.honest->error, errors / static_cast<double>(dataset.rows()), 1e-12) << what;
  EXPECT_EQ(selection.best, std::optional(test::expected_best(selection.grid, settings)));
  EXPECT_TRUE(selection.estimation()->independent);
  EXPECT_EQ(selection.resamples, k);
}

TEST(KFoldNested, EqualsTheExplicitLoop) {
  for (const int classes : {2, 3}) {
    for (const Loss loss : {Loss::hard, Loss::soft}) {
      selection::Options options = few_settings();
      test::set_loss(options, loss);
      const data::Dataset dataset = random_clouds(46, 3, classes, 0.7, 21).dataset();  // folds of 12 and 11 rows
      const Selection selection = select(dataset, options);
      expect_explicit_loop(selection, options, dataset,
                           data::stratified_k_fold(dataset.labels, test::folds_of(options), options.seed),
                           std::to_string(classes) + " classes");
      EXPECT_EQ(selection.score, loss == Loss::soft ? "inner CV soft loss" : "inner CV error");
    }
  }
}

TEST(KFoldNested, ChoosesDifferentSettings) {
  // Or the inner choice was not tried.
  selection::Options options = few_settings();
  test::set_loss(options, Loss::soft);
  std::set<std::size_t> chosen;
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U}) {
    const Selection selection = select(random_clouds(46, 3, 2, 0.5, seed).dataset(), options);
    for (const Judgement& judgement : selection.estimation()->judgements) chosen.insert(*judgement.setting);
  }
  EXPECT_GT(chosen.size(), 2U);
}

TEST(KFoldNested, FixedFoldsGroupsWeightsAndKernels) {
  selection::Options options = few_settings(3);
  test::set_loss(options, Loss::soft);
  data::Dataset dataset = random_clouds(40, 3, 2, 0.7, 22).dataset();
  for (std::size_t i = 0; i < dataset.rows(); ++i) {
    dataset.folds.push_back(i < 20 ? 0 : i < 30 ? 2 : i < 36 ? 1 : 3);
    dataset.features.dense().row(i)[0] *= dataset.folds.back() == 0 ? 30 : 1;  // scales differ from fold to fold
    dataset.weights.push_back(i % 3 == 0 ? 2.5 : 0.5);
  }
  options.costs.class_weights.named["b"] = 2;
  expect_explicit_loop(select(dataset, options), options, dataset, dataset.folds, "fixed folds, weights");
  options.kernels.types = {kernel::KernelType::linear};
  options.kernels.gamma.resize(1);
  expect_explicit_loop(select(dataset, options), options, dataset, dataset.folds, "linear");
  dataset.folds.clear();
  for (std::size_t i = 0; i < dataset.rows(); ++i) dataset.groups.push_back(static_cast<int>(i / 4));
  test::set_loss(options, Loss::hard);
  expect_explicit_loop(select(dataset, options), options, dataset,
                       data::grouped_k_fold(dataset.groups, test::folds_of(options), options.seed), "groups");
}

TEST(KFoldNested, ScalingOfAllRowsIsDoneOnce) {
  selection::Options options = few_settings(3);
  test::set_loss(options, Loss::soft);
  options.preparation.scope = selection::ScaleScope::all;
  data::Dataset dataset = random_clouds(36, 3, 2, 0.7, 23).dataset();
  for (std::size_t i = 0; i < dataset.rows(); ++i) dataset.features.dense().row(i)[1] *= i < 5 ? 40 : 1;
  const Selection selection = select(dataset, options);
  data::Dataset scaled = dataset;
  scaled.features = data::Preprocessing::fit(dataset, options.resolved().preparation.scaling()).apply(dataset);
  options.preparation.scalings = {data::Scaling::none};
  expect_explicit_loop(selection, options, scaled, data::stratified_k_fold(dataset.labels, 3, options.seed),
                       "scaled once");
}

TEST(KFoldNested, NuIsChosenToo) {
  selection::Options options = few_settings(3);
  options.costs.nu = {0.6, 0.3};
  test::set_loss(options, Loss::soft);
  const data::Dataset dataset = random_clouds(48, 3, 2, 0.5, 24).dataset();
  const Selection selection = select(dataset, options);
  ASSERT_TRUE(selection.estimation());
  for (const Judgement& judgement : selection.estimation()->judgements) {
    const svm::TrainOptions train = test::train_options_of_setting(options, selection.grid[*judgement.setting]);
    EXPECT_GT(*train.nu, 0);
    EXPECT_EQ(judgement.rows, 16U);
  }
}

TEST(KFoldNested, SolvesEachPairOfFoldsOnce) {
  // Tasks of the monitor are paths: k (k - 1) / 2 for each gamma, and k at the settings chosen.
  selection::Options options = few_settings(10);
  const data::Dataset dataset = random_clouds(60, 3, 2, 0.7, 25).dataset();
  const core::Threads threads(1);
  std::size_t done = 0;
  std::size_t total = 0;
  core::Monitor monitor([&](const core::Monitor::Progress& progress) {
    done = progress.done;
    total = progress.total;
    return true;
  });
  selection::Selector(options).select(dataset, {threads, monitor});
  EXPECT_EQ(done, 2 * 45 + 10U);
  EXPECT_EQ(total, done);
}

TEST(KFoldNested, ThreadsDoNotMatter) {
  for (const Loss loss : {Loss::hard, Loss::soft}) {
    selection::Options options = few_settings(5);
    test::set_loss(options, loss);
    const data::Dataset dataset = random_clouds(90, 4, 3, 0.5, 26).dataset();
    const Selection one = select(dataset, options, 1);
    const Selection two = select(dataset, options, 2);
    for (std::size_t k = 0; k < one.grid.size(); ++k) {
      EXPECT_EQ(one.grid[k].error, two.grid[k].error);
      EXPECT_EQ(one.grid[k].error_std, two.grid[k].error_std);
      EXPECT_EQ(one.grid[k].steps, two.grid[k].steps);
    }
    EXPECT_EQ(one.best, two.best);
    EXPECT_EQ(one.calibration.nonconformity_scores, two.calibration.nonconformity_scores);
    ASSERT_EQ(one.estimation()->bounds.size(), two.estimation()->bounds.size());
    for (std::size_t b = 0; b < one.estimation()->bounds.size(); ++b)
      EXPECT_EQ(one.estimation()->bounds[b].bound, two.estimation()->bounds[b].bound);
    for (std::size_t j = 0; j < one.estimation()->judgements.size(); ++j) {
      EXPECT_EQ(one.estimation()->judgements[j].soft, two.estimation()->judgements[j].soft);
      EXPECT_EQ(one.estimation()->judgements[j].setting, two.estimation()->judgements[j].setting);
    }
  }
}

TEST(KFoldNested, AFoldWithoutAClassIsJudgedByAConstant) {
  // All rows of class b in fold 0: without it, one class is left, which is then predicted everywhere.
  selection::Options options = few_settings(3);
  data::Dataset dataset = random_clouds(30, 3, 2, 0.7, 27).dataset();
  for (std::size_t i = 0; i < dataset.rows(); ++i)
    dataset.folds.push_back(dataset.labels[i] == 1 ? 0 : 1 + static_cast<int>(i / 2 % 2));
  const Selection selection = select(dataset, options);
  ASSERT_TRUE(selection.estimation());
  EXPECT_EQ(selection.estimation()->judgements[0].errors, 15U);
  EXPECT_EQ(selection.estimation()->judgements[0].soft, 1.0);
}

TEST(KFoldNested, CancelledLeavesNoEstimate) {
  const data::Dataset dataset = random_clouds(80, 3, 2, 0.7, 28).dataset();
  const selection::Options options = few_settings(4);
  const core::Threads threads(1);
  for (const std::size_t last : {3U, 7U, 13U}) {  // in the first gamma, the second, the retrainings
    core::Monitor monitor([&](const core::Monitor::Progress& progress) { return progress.done < last; });
    const Selection partial = selection::Selector(options).select(dataset, {threads, monitor});
    EXPECT_EQ(partial.stopped, core::StopReason::cancelled) << last;
    EXPECT_FALSE(partial.estimation()) << last;
    EXPECT_FALSE(partial.honest) << last;
    EXPECT_TRUE(partial.calibration.empty()) << last;
    const auto complete = std::count_if(partial.grid.begin(), partial.grid.end(), [](auto& c) { return c.complete; });
    EXPECT_EQ(complete, last == 3 ? 0 : last == 7 ? 3 : 6) << last;
  }
}

TEST(KFoldNested, RefusesWhatCannotBeNested) {
  const data::Dataset dataset = random_clouds(20, 3, 2, 0.7, 29).dataset();
  expect_error(ErrorCode::invalid_argument, "at least 3", [&] { select(dataset, few_settings(2)); });
  expect_error(ErrorCode::invalid_data, "21 folds need", [&] { select(dataset, few_settings(21)); });
  test::Clouds single = random_clouds(20, 3, 2, 0.5, 1);
  single.labels.assign(single.labels.size(), "a");
  expect_error(ErrorCode::invalid_data, "class", [&] { select(single.dataset(), few_settings()); });
  data::Dataset fixed = dataset;
  for (std::size_t i = 0; i < 20; ++i) fixed.folds.push_back(static_cast<int>(i % 2));
  expect_error(ErrorCode::invalid_data, "needs at least 3", [&] { select(fixed, few_settings()); });
  for (int& fold : fixed.folds) fold *= 3;
  expect_error(ErrorCode::invalid_data, "no row in fold 1", [&] { select(fixed, few_settings()); });
  data::Dataset grouped = dataset;
  for (int i = 0; i < 20; ++i) grouped.groups.push_back(i % 3);
  expect_error(ErrorCode::invalid_data, "at least 4 groups", [&] { select(grouped, few_settings()); });
  selection::Options delta = few_settings();
  delta.delta = 1;
  expect_error(ErrorCode::invalid_argument, "delta", [&] { select(dataset, delta); });
  selection::Options neighbours = few_settings();
  expect_error(ErrorCode::invalid_argument, "kfold-nested", [&] { neighbours.choose_from(selection::Learner::knn); });
  neighbours.model = selection::Learner::knn;
  expect_error(ErrorCode::invalid_argument, "kfold-nested", [&] { select(dataset, neighbours); });
}

}  // namespace kfold_nested_vs_explicit_loop_tests
