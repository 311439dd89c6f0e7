#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "credence/data/splits.hpp"
#include "credence/io/model_file.hpp"
#include "credence/selection/ensemble.hpp"
#include "credence/selection/selector.hpp"
#include "support/expect_error.hpp"
#include "support/random_data.hpp"
#include "support/score_oracle.hpp"
#include "support/temporary_folder.hpp"

/// The rule average, beside machines trained one by one and averaged by the definition.
namespace average_vs_refits_tests {

using namespace credence;
using selection::Rule;
using selection::Score;
using test::Foresight;
using test::Surroundings;

selection::Options grid_of(selection::Options options) {
  options.costs.C = {0.1, 1, 10, 100};
  options.kernels.gamma = kernel::parse_gammas("0.02,0.1,0.5");
  options.costs.solver.tolerance = 1e-8;
  options.preparation.scalings = {data::Scaling::none};
  options.seed = 5;
  options.estimate_samples = 60;
  options.choose_one_svm();
  return options;
}

selection::Selection select(const data::Dataset& dataset, const selection::Options& options, int threads = 1) {
  Surroundings surroundings(threads);
  return selection::Selector(options).select(dataset, surroundings.context);
}

/// The same over two kernels and two scalings.
selection::Options of_several_kernels(selection::Options options) {
  options.kernels.types = {kernel::KernelType::rbf, kernel::KernelType::laplacian};
  options.preparation.scalings = {data::Scaling::standard, data::Scaling::quantile};
  return options;
}

/// The ten best of the settings whose error is at most the smallest plus its standard error. Gammas ascend.
std::vector<std::size_t> naive_members(const std::vector<selection::Setting>& grid) {
  const auto best = std::ranges::min_element(grid, {}, &selection::Setting::error);
  std::vector<std::tuple<double, double, std::size_t>> near;
  for (std::size_t k = 0; k < grid.size(); ++k)
    if (grid[k].error <= best->error + best->error_se) near.emplace_back(grid[k].error, grid[k].C, k);
  std::ranges::sort(near);
  std::vector<std::size_t> members;
  for (std::size_t m = 0; m < std::min<std::size_t>(near.size(), 10); ++m) members.push_back(std::get<2>(near[m]));
  std::ranges::sort(members);
  return members;
}

/// The jackknife by hand: the loss without each tenth row, ten times.
double naive_error_over_rows(Score score, const Foresight& rows) {
  std::vector<double> losses;
  for (std::size_t part = 0; part < 10; ++part) {
    Foresight others;
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (i % 10 != part) others.push_back(rows[i]);
    losses.push_back(test::naive_loss(score, others, 2));
  }
  const double mean = std::accumulate(losses.begin(), losses.end(), 0.0) / 10;
  double squares = 0;
  for (const double loss : losses) squares += (loss - mean) * (loss - mean);
  return std::sqrt(0.9 * squares);
}

void expect_error_over_rows(const data::Dataset& dataset, const std::vector<data::Split>& splits,
                            const selection::Options& options, const selection::Selection& chosen, Score score) {
  for (const selection::Setting& setting : chosen.grid) {
    Foresight rows = test::foresee(dataset, splits, options, setting);
    for (test::Foreseen& one : rows) one.split = 0;
    EXPECT_NEAR(setting.error, test::naive_loss(score, rows, 2), 1e-9) << core::word(score);
    EXPECT_NEAR(setting.error_se, naive_error_over_rows(score, rows), 1e-9) << core::word(score);
  }
  EXPECT_GT(chosen.grid[*chosen.best].error_se, 0) << core::word(score);
}

/// The mean of the clipped margins of machines that are trained anew for each member and split.
Foresight naive_average(const data::Dataset& dataset, const std::vector<data::Split>& splits,
                        const selection::Options& options, const selection::Selection& selection) {
  Foresight average;
  const std::vector<std::size_t>& members = selection.average->members;
  for (const std::size_t member : members) {
    const Foresight own = test::foresee(dataset, splits, options, selection.grid[member]);
    if (average.empty()) {
      average = own;
      for (test::Foreseen& one : average) one.margin = 0;
    }
    for (std::size_t i = 0; i < own.size(); ++i)
      average[i].margin += std::clamp(own[i].margin, -3.0, 3.0) / static_cast<double>(members.size());
  }
  for (test::Foreseen& one : average) one.label = one.margin > 0 ? 1 : 0;
  return average;
}

void expect_average_of_refits(const data::Dataset& dataset, const selection::Options& given) {
  for (const Score score : {Score::accuracy, Score::balanced_accuracy, Score::roc_auc, Score::f1, Score::f1_macro,
                            Score::log_loss, Score::cost}) {
    selection::Options options = given;
    test::set_score(options, score, dataset);
    const selection::Selection chosen = select(dataset, options, 2);
    ASSERT_TRUE(chosen.average.has_value());
    EXPECT_EQ(chosen.average->members, naive_members(chosen.grid));
    if (score == Score::accuracy) EXPECT_GT(chosen.average->members.size(), 2U);
    const auto splits = test::splits_of_folds(data::stratified_k_fold(dataset.labels, 4, options.seed));
    Foresight average = naive_average(dataset, splits, options, chosen);
    if (score == Score::log_loss) test::judge_by_other_splits(average);
    EXPECT_NEAR(chosen.average->error, test::naive_pooled_loss(score, average, 2), 1e-5) << core::word(score);
    EXPECT_GT(chosen.honest->error, 0);
    ASSERT_EQ(chosen.calibration.nonconformity_scores.size(), dataset.rows());
    for (const test::Foreseen& one : average)
      EXPECT_NEAR(chosen.calibration.nonconformity_scores[one.row], one.truth == 1 ? -one.margin : one.margin, 1e-5);
  }
}

TEST(Average, OfFoldsIsThatOfRefits) {
  const data::Dataset dataset = test::random_clouds(80, 3, 2, 0.9, 1).dataset();
  const auto options = grid_of({.method = selection::CrossValidation{.folds = 4}, .rule = Rule::average});
  expect_average_of_refits(dataset, options);
  expect_average_of_refits(dataset, of_several_kernels(options));
}

TEST(Average, OfManySettingsWithinReachTakesTheTenBest) {
  const data::Dataset dataset = test::random_clouds(200, 3, 2, 0.9, 1).dataset();
  auto options = grid_of({.method = selection::CrossValidation{.folds = 4}, .rule = Rule::average});
  options.costs.C = {0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50};
  const selection::Selection chosen = select(dataset, options);
  const auto within = std::ranges::count_if(chosen.grid, [&](const selection::Setting& setting) {
    const selection::Setting& best = chosen.grid[*chosen.best];
    return setting.error <= best.error + best.error_se;
  });
  EXPECT_GT(within, 10);
  ASSERT_EQ(chosen.average->members.size(), 10U);
  EXPECT_EQ(chosen.average->members, naive_members(chosen.grid));
}

TEST(Average, OfRowsLeftOutOneByOneIsThatOfRefits) {
  const data::Dataset dataset = test::random_clouds(40, 3, 2, 0.9, 2).dataset();
  for (const Score score : {Score::accuracy, Score::balanced_accuracy, Score::roc_auc, Score::f1, Score::f1_macro,
                            Score::log_loss, Score::cost}) {
    const auto options = grid_of({.method = selection::LeaveOneOut{},
                                  .score = score,
                                  .label_costs = test::costs_of(score, dataset),
                                  .rule = Rule::average});
    const selection::Selection chosen = select(dataset, options);
    EXPECT_EQ(chosen.average->members, naive_members(chosen.grid));
    std::vector<int> each(dataset.rows());
    std::iota(each.begin(), each.end(), 0);
    const auto splits = test::splits_of_folds(each);
    const Foresight average = naive_average(dataset, splits, options, chosen);
    if (score != Score::log_loss) EXPECT_NEAR(chosen.average->error, test::naive_loss(score, average, 2), 1e-12);
    if (score != Score::accuracy && score != Score::log_loss && score != Score::cost) {
      expect_error_over_rows(dataset, splits, options, chosen, score);
      EXPECT_NEAR(chosen.average->error_se, naive_error_over_rows(score, average), 1e-9) << core::word(score);
    }
    for (const test::Foreseen& one : average)
      EXPECT_NEAR(chosen.calibration.nonconformity_scores[one.row], one.truth == 1 ? -one.margin : one.margin, 1e-5);
  }
}

TEST(Average, OfRowsHeldOutIsThatOfRefits) {
  const data::Dataset dataset = test::random_clouds(120, 3, 2, 0.9, 3).dataset();
  for (const selection::Refit refit : {selection::Refit::all_rows, selection::Refit::training_rows}) {
    const auto options =
        grid_of({.method = selection::HoldOut{}, .validation_rows = 40, .refit = refit, .rule = Rule::average});
    const selection::Selection chosen = select(dataset, options);
    EXPECT_EQ(chosen.average->members, naive_members(chosen.grid));
    data::Split split;
    const std::vector<bool> held_out = selection::validation_split(dataset, options);
    for (std::size_t i = 0; i < held_out.size(); ++i) (held_out[i] ? split.held_out : split.training).push_back(i);
    const Foresight average = naive_average(dataset, {split}, options, chosen);
    EXPECT_NEAR(chosen.average->error, test::naive_loss(Score::accuracy, average, 2), 1e-12);
    for (std::size_t i = 0; i < average.size(); ++i)
      EXPECT_NEAR(chosen.calibration.nonconformity_scores[i],
                  average[i].truth == 1 ? -average[i].margin : average[i].margin, 1e-5);
    Surroundings surroundings;
    const auto predictor = selection::fitted(dataset, chosen, surroundings.context);
    EXPECT_EQ(predictor->record.rows, refit == selection::Refit::all_rows ? 120U : 80U);
  }
}

TEST(Average, OfRowsHeldOutHasEachScore) {
  const data::Dataset dataset = test::random_clouds(120, 3, 2, 0.9, 3).dataset();
  for (const Score score : {Score::balanced_accuracy, Score::roc_auc, Score::f1, Score::f1_macro}) {
    const auto options =
        grid_of({.method = selection::HoldOut{}, .validation_rows = 40, .score = score, .rule = Rule::average});
    const selection::Selection chosen = select(dataset, options);
    EXPECT_EQ(chosen.average->members, naive_members(chosen.grid));
    data::Split split;
    const std::vector<bool> held_out = selection::validation_split(dataset, options);
    for (std::size_t i = 0; i < held_out.size(); ++i) (held_out[i] ? split.held_out : split.training).push_back(i);
    expect_error_over_rows(dataset, {split}, options, chosen, score);
    const Foresight average = naive_average(dataset, {split}, options, chosen);
    EXPECT_NEAR(chosen.average->error, test::naive_loss(score, average, 2), 1e-9) << core::word(score);
  }
}

/// What is returned says the mean of the clipped scores of the settings, each trained on all rows.
TEST(Average, PredictsAsItsSettingsTrainedOneByOne) {
  for (const int classes : {2, 3}) {
    const data::Dataset dataset = test::random_clouds(90, 3, classes, 0.5, 4).dataset();
    const data::Dataset fresh = test::random_clouds(50, 3, classes, 0.5, 5).dataset();
    const selection::Options folds = grid_of({.method = selection::CrossValidation{.folds = 4}, .rule = Rule::average});
    selection::Options without_standard = of_several_kernels(folds);
    without_standard.preparation.scalings = {data::Scaling::quantile, data::Scaling::minmax};
    for (const selection::Options& options :
         {folds, of_several_kernels(folds), without_standard,
          grid_of({.method = selection::LeaveOneOut{}, .rule = Rule::average}),
          grid_of({.method = selection::Bootstrap{.resamples = 10}, .rule = Rule::average})}) {
      const selection::Selection chosen = select(dataset, options, 2);
      ASSERT_GT(chosen.average->members.size(), 1U);
      std::set<std::pair<kernel::KernelType, data::Scaling>> spaces;
      for (const std::size_t k : chosen.average->members) spaces.emplace(*chosen.grid[k].kernel, *chosen.grid[k].scale);
      ASSERT_EQ(spaces.size() > 1, options.kernels.types.size() > 1);
      Surroundings surroundings;
      data::DenseMatrix mean(fresh.rows(), static_cast<std::size_t>(classes));
      for (const std::size_t member : chosen.average->members) {
        const svm::SvmModel one =
            svm::train(dataset, test::train_options_of_setting(options, chosen.grid[member]), surroundings.context)
                .model;
        const model::Prediction said = one.predict(fresh, surroundings.context);
        for (std::size_t i = 0; i < mean.values.size(); ++i)
          mean.values[i] +=
              std::clamp(said.score.values[i], -3.0, 3.0) / static_cast<double>(chosen.average->members.size());
      }
      test::TemporaryFolder folder;
      const auto predictor = selection::fitted(dataset, chosen, surroundings.context);
      io::save_model(*predictor, folder.file("average.credence"));
      const auto loaded = io::load_model(folder.file("average.credence"));
      for (const model::Predictor* model : {predictor.get(), static_cast<const model::Predictor*>(loaded.get())}) {
        const model::Prediction said = model->predict(fresh, surroundings.context);
        for (std::size_t i = 0; i < fresh.rows(); ++i) {
          for (std::size_t c = 0; c < mean.columns; ++c) EXPECT_NEAR(said.score.row(i)[c], mean.row(i)[c], 1e-5);
          EXPECT_EQ(said.label[i], std::ranges::max_element(mean.row(i)) - mean.row(i).begin());
        }
      }
      EXPECT_EQ(predictor->capabilities().models, chosen.average->members.size());
      EXPECT_EQ(predictor->calibration.scores.columns, classes == 2 ? 0U : 3U);
    }
  }
}

/// A grid of one setting leaves the rules nothing to differ in, apart from the clipping, which keeps signs.
TEST(Average, OfOneSettingErrsAsTheSetting) {
  const data::Dataset dataset = test::random_clouds(60, 3, 2, 0.8, 6).dataset();
  for (const selection::Method& method :
       {selection::Method(selection::CrossValidation{.folds = 5}), selection::Method(selection::LeaveOneOut{}),
        selection::Method(selection::HoldOut{}), selection::Method(selection::Bootstrap{.resamples = 12})}) {
    selection::Options options = grid_of({.method = method, .rule = Rule::average});
    options.costs.C = {1};
    options.kernels.gamma = kernel::parse_gammas("0.1");
    const selection::Selection average = select(dataset, options);
    options.rule = Rule::best;
    const selection::Selection best = select(dataset, options);
    EXPECT_NEAR(average.average->error, best.grid[0].error, 1e-7) << average.options.name();
    EXPECT_NEAR(average.honest->error, best.honest->error, 1e-7) << average.options.name();
    EXPECT_FALSE(best.average.has_value());
  }
}

/// The spread of one row is no number, so the settings that are as good as the best one take part.
TEST(Average, OfOneRowHeldOutHasTheSettingsThatAreAlike) {
  const data::Dataset dataset = test::random_clouds(60, 3, 2, 0.9, 10).dataset();
  const selection::Selection chosen =
      select(dataset, grid_of({.method = selection::HoldOut{}, .validation_rows = 1, .rule = Rule::average}));
  ASSERT_TRUE(chosen.average.has_value());
  EXPECT_EQ(chosen.average->members, naive_members(chosen.grid));
  EXPECT_EQ(chosen.average->error_se, 0);
}

/// Threads come in any order; floats are summed in the order of the members.
TEST(Average, IsTheSameOnAnyNumberOfThreads) {
  const data::Dataset dataset = test::random_clouds(120, 3, 3, 0.8, 7).dataset();
  const auto options = grid_of({.method = selection::CrossValidation{.folds = 5}, .rule = Rule::average});
  const selection::Selection one = select(dataset, options, 1);
  const selection::Selection three = select(dataset, options, 3);
  EXPECT_EQ(one.average->members, three.average->members);
  EXPECT_EQ(one.average->error, three.average->error);
  EXPECT_EQ(one.honest->error, three.honest->error);
  EXPECT_EQ(one.calibration.scores.values, three.calibration.scores.values);
}

/// Errors count by weights: a weight of 2 is a row that is there twice, in the choice as in the average.
TEST(Average, CountsWeightedErrors) {
  const data::Dataset dataset = test::random_clouds(80, 3, 2, 0.9, 8).dataset();
  auto options = grid_of({.method = selection::CrossValidation{.folds = 4}, .rule = Rule::average});
  options.costs.class_weights.named = {{dataset.schema.classes[0], 3.0}};
  const selection::Selection chosen = select(dataset, options);
  const auto splits = test::splits_of_folds(data::stratified_k_fold(dataset.labels, 4, options.seed));
  double errors = 0;
  double all = 0;
  for (const test::Foreseen& one : naive_average(dataset, splits, options, chosen)) {
    const double weight = one.truth == 0 ? 3 : 1;
    errors += one.label != one.truth ? weight : 0;
    all += weight;
  }
  EXPECT_NEAR(chosen.average->error, errors / all, 1e-9);
}

TEST(Average, IsRefusedWhereItHasNoMeaning) {
  const data::Dataset dataset = test::random_clouds(60, 3, 2, 0.9, 9).dataset();
  selection::Options relevance;
  relevance.method = selection::CrossValidation{};
  relevance.rule = Rule::average;
  relevance.choose_from(selection::Learner::rvm);
  const auto refused = [&](const selection::Options& options, const char* part) {
    test::expect_error(ErrorCode::invalid_argument, part, [&] { select(dataset, options); });
  };
  refused(relevance, "the average is one of SVMs");
  refused(grid_of({.method = selection::Regions{}, .rule = Rule::average}), "rule: regions average partitions");
  refused(grid_of({.method = selection::Bootstrap{.two_samples = true}, .rule = Rule::average}),
          "without the 0.632 rules");
  Surroundings little;
  little.context.memory_budget = 1000;
  test::expect_error(ErrorCode::memory, "keeps the scores", [&] {
    selection::Selector(grid_of({.method = selection::CrossValidation{}, .rule = Rule::average}))
        .select(dataset, little.context);
  });
}

}  // namespace average_vs_refits_tests
