#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
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

namespace soft_losses_vs_refits_tests {

using namespace credence;
using selection::Judgement;
using selection::Loss;
using selection::Selection;
using test::expect_error;
using test::random_clouds;
using test::RefitLosses;
using test::Surroundings;

selection::Options few_settings(const std::string& method, Loss loss = Loss::soft) {
  selection::Options options;
  options.method = selection::method_named(method);
  test::set_loss(options, loss);
  test::set_folds(options, 5);
  test::set_resamples(options, 12);
  options.costs.C = {0.02, 0.5, 20};
  options.kernels.gamma = kernel::parse_gammas("0.05,0.5");
  options.preparation.scalings = {data::Scaling::none};
  options.costs.solver.tolerance = 1e-6;
  options.estimate = selection::Estimate::none;
  options.seed = 3;
  options.choose_one_svm();
  return options;
}

Selection select(const data::Dataset& dataset, const selection::Options& options, int threads = 1) {
  Surroundings surroundings(threads);
  return selection::Selector(options).select(dataset, surroundings.context);
}

struct Split {
  std::vector<std::size_t> in;  ///< with repeats
  std::vector<std::size_t> out;
};

std::vector<Split> splits_of(const std::vector<int>& folds) {
  std::vector<Split> splits;
  for (int fold = 0; fold < test::fold_count(folds); ++fold)
    splits.push_back({test::fold_rows(folds, fold, false), test::fold_rows(folds, fold, true)});
  return splits;
}

std::vector<Split> each_left_out(std::size_t n) {
  std::vector<int> folds(n);
  std::iota(folds.begin(), folds.end(), 0);
  return splits_of(folds);
}

Split split_of(const std::vector<std::uint32_t>& drawn) {
  Split split;
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    split.in.insert(split.in.end(), drawn[i], i);
    if (drawn[i] == 0) split.out.push_back(i);
  }
  return split;
}

std::vector<std::uint32_t> draws(std::size_t n, std::uint64_t seed, std::uint64_t purpose, std::size_t b) {
  return data::bootstrap(n, core::random_choice(seed, purpose, b, ~std::uint64_t{0}));
}

/// The samples of the bootstrap, by its contract.
std::vector<Split> samples(std::size_t n, const selection::Options& options) {
  std::vector<Split> splits;
  for (std::size_t b = 0; b < static_cast<std::size_t>(options.as<selection::Bootstrap>().resamples); ++b)
    splits.push_back(split_of(draws(n, options.seed, 632, b)));
  return splits;
}

/// A sample of n draws from the n draws of each sample; out: what the first drew and the second did not.
std::vector<Split> samples_within(const std::vector<Split>& outer, const selection::Options& options) {
  std::vector<Split> splits;
  for (std::size_t b = 0; b < outer.size(); ++b) {
    const std::vector<std::uint32_t> again = draws(outer[b].in.size(), options.seed, 633, b);
    Split split;
    for (std::size_t d = 0; d < again.size(); ++d) split.in.insert(split.in.end(), again[d], outer[b].in[d]);
    const std::set<std::size_t> first(outer[b].in.begin(), outer[b].in.end());
    const std::set<std::size_t> second(split.in.begin(), split.in.end());
    std::set_difference(first.begin(), first.end(), second.begin(), second.end(), std::back_inserter(split.out));
    splits.push_back(split);
  }
  return splits;
}

/// Per setting, the losses in each split.
std::vector<std::vector<RefitLosses>> refits(const data::Dataset& dataset, const selection::Options& options,
                                             const Selection& selection, const std::vector<Split>& splits) {
  std::vector<std::vector<RefitLosses>> result;
  for (const selection::Setting& setting : selection.grid) {
    std::vector<RefitLosses>& of_setting = result.emplace_back();
    const svm::TrainOptions train = test::train_options_of_setting(options, setting);
    for (const Split& split : splits) of_setting.push_back(test::refit_losses(dataset, split.in, split.out, train));
  }
  return result;
}

/// Mean over rows of the mean soft loss in the splits that left the row out.
double mean_over_rows(std::size_t n, const std::vector<Split>& splits, const std::vector<RefitLosses>& losses) {
  std::vector<double> sum(n, 0);
  std::vector<double> times(n, 0);
  for (std::size_t s = 0; s < splits.size(); ++s) {
    for (std::size_t r = 0; r < splits[s].out.size(); ++r) {
      sum[splits[s].out[r]] += losses[s].soft_of_row[r];
      times[splits[s].out[r]] += 1;
    }
  }
  double mean = 0;
  double rows = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (times[i] == 0) continue;
    mean += sum[i] / times[i];
    rows += 1;
  }
  return mean / rows;
}

void expect_judgement(const Judgement& judgement, const RefitLosses& refit, std::size_t setting,
                      const std::string& what) {
  EXPECT_EQ(static_cast<double>(judgement.rows), refit.rows) << what;
  EXPECT_NEAR(static_cast<double>(judgement.errors), refit.errors, refit.doubtful + 1e-9) << what;
  EXPECT_NEAR(judgement.soft, refit.soft / refit.rows, 1e-4) << what;
  EXPECT_EQ(judgement.setting, std::optional(setting)) << what;
}

TEST(SoftLoss, OfCrossValidationAndLeaveOneOutEqualsRefits) {
  for (const int classes : {2, 3}) {
    const data::Dataset dataset = random_clouds(46, 3, classes, 0.6, 11).dataset();
    for (const std::string method : {"cv", "loo", "loo, refits"}) {
      selection::Options options = few_settings(method == "cv" ? "cv" : "loo");
      if (method == "loo, refits") options.costs.class_weights.balanced = true;  // no fast path
      const Selection selection = select(dataset, options);
      const std::vector<Split> splits =
          method == "cv" ? splits_of(data::stratified_k_fold(dataset.labels, 5, options.seed)) : each_left_out(46);
      const auto expected = refits(dataset, options, selection, splits);
      for (std::size_t k = 0; k < selection.grid.size(); ++k) {
        RefitLosses all;
        std::vector<double> rates;
        for (const RefitLosses& one : expected[k]) {
          all += one;
          rates.push_back(one.soft / one.rows);
        }
        double squares = 0;
        const double mean = std::accumulate(rates.begin(), rates.end(), 0.0) / static_cast<double>(rates.size());
        for (const double rate : rates) squares += (rate - mean) * (rate - mean);
        if (selection.weighted) continue;  // error_weights_vs_refits.cpp
        EXPECT_NEAR(selection.grid[k].error, all.soft / 46, 1e-4) << method << k;
        EXPECT_NEAR(selection.grid[k].error_std, std::sqrt(squares / static_cast<double>(rates.size() - 1)), 1e-4);
      }
      EXPECT_EQ(selection.best, std::optional(test::expected_best(selection.grid, selection.grid.size())));
      EXPECT_NE(selection.score.find("soft loss"), std::string::npos);
      EXPECT_EQ(selection.calibration.nonconformity_scores.size(), 46U);
      EXPECT_EQ(selection.estimation() != nullptr, method != "cv");
    }
  }
}

TEST(SoftLoss, SmallCostsWhereAllRowsAreAtTheirBounds) {
  // 30 costs as in the paper; the smallest leave every row at its bound, the largest none.
  selection::Options options = few_settings("loo");
  options.kernels.types = {kernel::KernelType::linear};
  options.costs.C.clear();
  for (int j = 0; j < 10; ++j) options.costs.C.push_back(std::pow(10.0, -6 + j));
  const data::Dataset dataset = random_clouds(30, 40, 2, 0.3, 12).dataset();
  const Selection selection = select(dataset, options);
  const auto expected = refits(dataset, options, selection, each_left_out(30));
  for (std::size_t k = 0; k < selection.grid.size(); ++k) {
    RefitLosses all;
    for (const RefitLosses& one : expected[k]) all += one;
    EXPECT_NEAR(selection.grid[k].error, all.soft / 30, 1e-4) << options.costs.C[k];
  }
}

TEST(LeaveOneOutEstimation, JudgesEachRowOnce) {
  for (const Loss loss : {Loss::hard, Loss::soft}) {
    const selection::Options options = few_settings("loo", loss);
    const data::Dataset dataset = random_clouds(40, 3, 2, 0.5, 13).dataset();
    const Selection selection = select(dataset, options);
    ASSERT_TRUE(selection.estimation());
    const selection::ErrorEstimation& estimation = *selection.estimation();
    ASSERT_EQ(estimation.judgements.size(), 40U);
    EXPECT_FALSE(estimation.independent);
    const svm::TrainOptions train = test::train_options_of_setting(options, selection.grid[*selection.best]);
    const std::vector<Split> splits = each_left_out(40);
    for (std::size_t i = 0; i < 40; ++i) {
      expect_judgement(estimation.judgements[i], test::refit_losses(dataset, splits[i].in, splits[i].out, train),
                       *selection.best, "row " + std::to_string(i));
    }
    for (const selection::ErrorBound& bound : estimation.bounds) EXPECT_GE(bound.bound, 0.95) << bound.name;
  }
}

TEST(BootstrapEstimation, OneLevelEqualsRefits) {
  for (const Loss loss : {Loss::hard, Loss::soft}) {
    const selection::Options options = few_settings("bootstrap", loss);
    const data::Dataset dataset = random_clouds(40, 3, 2, 0.5, 14).dataset();
    const Selection selection = select(dataset, options);
    const std::vector<Split> splits = samples(40, options);
    const auto expected = refits(dataset, options, selection, splits);
    for (std::size_t k = 0; loss == Loss::soft && k < selection.grid.size(); ++k)
      EXPECT_NEAR(selection.grid[k].error, mean_over_rows(40, splits, expected[k]), 1e-4) << k;
    ASSERT_TRUE(selection.estimation());
    EXPECT_FALSE(selection.estimation()->independent);
    ASSERT_EQ(selection.estimation()->judgements.size(), splits.size());
    for (std::size_t b = 0; b < splits.size(); ++b) {
      expect_judgement(selection.estimation()->judgements[b], expected[*selection.best][b], *selection.best,
                       "sample " + std::to_string(b));
    }
  }
}

TEST(BootstrapEstimation, NestedEqualsRefits) {
  for (const Loss loss : {Loss::hard, Loss::soft}) {
    selection::Options options = few_settings("bootstrap", loss);
    options.as<selection::Bootstrap>().two_samples = true;
    const data::Dataset dataset = random_clouds(50, 3, 2, 0.5, 15).dataset();
    const Selection selection = select(dataset, options);
    const std::vector<Split> outer = samples(50, options);
    const std::vector<Split> inner = samples_within(outer, options);
    const auto expected = refits(dataset, options, selection, inner);
    ASSERT_TRUE(selection.estimation());
    EXPECT_TRUE(selection.estimation()->independent);
    ASSERT_EQ(selection.estimation()->judgements.size(), outer.size());
    std::set<std::size_t> chosen;
    for (std::size_t k = 0; loss == Loss::soft && k < selection.grid.size(); ++k)
      EXPECT_NEAR(selection.grid[k].error, mean_over_rows(50, inner, expected[k]), 1e-4) << k;
    for (std::size_t b = 0; b < outer.size(); ++b) {
      const Judgement& judgement = selection.estimation()->judgements[b];
      ASSERT_TRUE(judgement.setting);
      chosen.insert(*judgement.setting);
      double least = 1;
      for (const auto& of_setting : expected) least = std::min(least, of_setting[b].mean(loss));
      const double slack = loss == Loss::soft ? 1e-5 : 2 * expected[*judgement.setting][b].doubtful / 10 + 1e-9;
      EXPECT_LE(expected[*judgement.setting][b].mean(loss), least + slack) << b;
      expect_judgement(judgement,
                       test::refit_losses(dataset, outer[b].in, outer[b].out,
                                          test::train_options_of_setting(options, selection.grid[*judgement.setting])),
                       *judgement.setting, "sample " + std::to_string(b));
    }
    EXPECT_GT(chosen.size(), 1U);
  }
}

TEST(BootstrapEstimation, GroupsStayTogetherWithin) {
  // Copies of noise: if a copy of a row left out had trained, it would be predicted.
  core::RandomStream random(4, 4);
  const data::DenseMatrix points = test::random_matrix(40, 3, 9);
  test::Clouds clouds{data::DenseMatrix(120, 3), {}, {}};
  std::vector<int> groups;
  for (std::size_t i = 0; i < 120; ++i) {
    for (std::size_t j = 0; j < 3; ++j) clouds.x.row(i)[j] = points.row(i / 3)[j];
    clouds.labels.push_back(i % 3 == 0 ? test::class_name(static_cast<int>(random.below(2))) : clouds.labels.back());
    groups.push_back(static_cast<int>(i / 3));
  }
  selection::Options options = few_settings("bootstrap", Loss::hard);
  options.costs.C = {1000};
  options.kernels.gamma = kernel::parse_gammas("10");
  options.as<selection::Bootstrap>().two_samples = true;
  options.copies = data::Copies::keep;
  data::Dataset dataset = clouds.dataset();
  EXPECT_LT(select(dataset, options).grid.front().error, 0.2);
  dataset.groups = groups;
  const Selection grouped = select(dataset, options);
  EXPECT_GT(grouped.grid.front().error, 0.3);
  EXPECT_GT(grouped.estimation()->hard, 0.3);
}

TEST(BootstrapEstimation, SamplesThatJudgeNothingAreLeftOut) {
  // Three rows: many samples draw all of them, or one class only, whose classifier is constant.
  selection::Options options = few_settings("bootstrap");
  test::set_resamples(options, 60);
  const data::Dataset dataset = random_clouds(3, 2, 2, 3, 16).dataset();
  for (const bool nested : {false, true}) {
    options.as<selection::Bootstrap>().two_samples = nested;
    const Selection selection = select(dataset, options);
    ASSERT_TRUE(selection.estimation());
    EXPECT_LT(selection.estimation()->judgements.size(), 60U);
    EXPECT_GT(selection.estimation()->judgements.size(), 10U);
    EXPECT_FALSE(selection.warnings.empty());
    for (const Judgement& judgement : selection.estimation()->judgements) {
      EXPECT_GT(judgement.rows, 0U);
      EXPECT_LE(judgement.soft, 1);
    }
  }
}

TEST(SoftLoss, ThreadsDoNotMatter) {
  for (const std::string method : {"cv", "loo", "bootstrap", "nested bootstrap"}) {
    selection::Options options = few_settings(method == "nested bootstrap" ? "bootstrap" : method);
    if (method == "nested bootstrap") options.as<selection::Bootstrap>().two_samples = true;
    options.estimate = selection::Estimate::bbc;
    const data::Dataset dataset = random_clouds(60, 3, 3, 0.5, 17).dataset();
    const Selection one = select(dataset, options, 1);
    const Selection two = select(dataset, options, 2);
    for (std::size_t k = 0; k < one.grid.size(); ++k) {
      EXPECT_EQ(one.grid[k].error, two.grid[k].error) << method;
      EXPECT_EQ(one.grid[k].error_std, two.grid[k].error_std) << method;
    }
    EXPECT_EQ(one.calibration.nonconformity_scores, two.calibration.nonconformity_scores) << method;
    EXPECT_EQ(one.honest->error, two.honest->error) << method;
    EXPECT_GT(one.honest->error, 0) << method;
    if (method == "cv") continue;
    for (std::size_t b = 0; b < one.estimation()->bounds.size(); ++b)
      EXPECT_EQ(one.estimation()->bounds[b].bound, two.estimation()->bounds[b].bound) << method;
  }
}

TEST(SoftLoss, HonestEstimateIsOfTheSoftLoss) {
  // One setting, so that nothing is optimistic: the estimate is the score, but for the samples drawn.
  selection::Options options = few_settings("cv");
  options.estimate = selection::Estimate::bbc;
  options.costs.C = {0.5};
  options.kernels.gamma.resize(1);
  const data::Dataset dataset = random_clouds(100, 3, 2, 0.3, 18).dataset();
  const Selection soft = select(dataset, options);
  test::set_loss(options, Loss::hard);
  const Selection hard = select(dataset, options);
  EXPECT_NEAR(soft.honest->error, soft.grid[0].error, 0.005);
  EXPECT_GT(std::abs(soft.grid[0].error - hard.grid[0].error), 0.02);
}

TEST(SoftLoss, CancelledLeavesNoEstimate) {
  const data::Dataset dataset = random_clouds(60, 3, 2, 0.5, 19).dataset();
  const core::Threads threads(1);
  for (const std::string method : {"loo", "bootstrap"}) {
    selection::Options options = few_settings(method, Loss::hard);
    test::set_final(options, selection::FinalClassifier::random);
    core::Monitor whole;
    selection::Selector(options).select(dataset, {threads, whole});
    const std::size_t in_the_grid = method == "loo" ? 3 : 5;
    const std::size_t in_the_members = method == "loo" ? 20 : 27;
    for (const std::size_t last : {in_the_grid, in_the_members}) {
      core::Monitor monitor([&](const core::Monitor::Progress& progress) { return progress.done < last; });
      const Selection partial = selection::Selector(options).select(dataset, {threads, monitor});
      EXPECT_EQ(partial.stopped, core::StopReason::cancelled) << method << last;
      EXPECT_FALSE(partial.estimation()) << method << last;
      EXPECT_FALSE(partial.predictor) << method << last;
    }
  }
}

TEST(SoftLoss, DoesNotGoWithTheRulesOf632) {
  const data::Dataset dataset = random_clouds(40, 3, 2, 0.5, 20).dataset();
  for (const auto rule : {selection::BootstrapError::e632, selection::BootstrapError::e632_plus}) {
    selection::Options options = few_settings("bootstrap");
    options.as<selection::Bootstrap>().error = rule;
    expect_error(ErrorCode::invalid_argument, "0.632", [&] { select(dataset, options); });
    test::set_loss(options, Loss::hard);
    EXPECT_TRUE(select(dataset, options).estimation());
    options.as<selection::Bootstrap>().two_samples = true;
    expect_error(ErrorCode::invalid_argument, "0.632", [&] { select(dataset, options); });
    options.method = selection::LeaveOneOut{};
    EXPECT_TRUE(select(dataset, options).estimation());
  }
}

}  // namespace soft_losses_vs_refits_tests
