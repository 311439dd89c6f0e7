#include <gtest/gtest.h>

#include <cmath>
#include <iostream>
#include <string>
#include <vector>

#include "credence/core/random.hpp"
#include "credence/selection/comparison.hpp"
#include "selection/judge/predictions.hpp"
#include "support/random_data.hpp"
#include "support/score_oracle.hpp"

/// Scores of several folds are those of all their predictions together, taken from the definitions.
namespace pooled_scores_vs_brute_force_tests {

using namespace credence;
using selection::Score;
using test::Foreseen;
using test::Foresight;

constexpr Score scores_of_two[] = {Score::balanced_accuracy, Score::roc_auc,  Score::f1,
                                   Score::f1_macro,          Score::log_loss, Score::cost};

Foresight without(const Foresight& all, std::size_t split) {
  Foresight rest;
  for (const Foreseen& one : all)
    if (one.split != split) rest.push_back(one);
  return rest;
}

selection::ScoreSums sums_of(Score score, const Foresight& rows) {
  std::vector<double> values;
  std::vector<int> truth;
  selection::LabelCounts counts(2);
  for (const Foreseen& one : rows) {
    values.push_back(score == Score::log_loss ? one.log_loss
                     : score == Score::cost   ? test::naive_cost(one.truth, one.label)
                                              : one.margin);
    truth.push_back(one.truth);
    counts.add(static_cast<std::size_t>(one.truth), static_cast<std::size_t>(one.label));
  }
  if (selection::is_mean_loss(score)) return selection::sums_of_losses(values);
  if (score == Score::roc_auc) return selection::sums_of_margins(values, truth);
  return counts.sums();
}

/// Five splits of unequal sizes; the second class is in two of them alone.
Foresight rare_class(std::uint64_t seed) {
  core::RandomStream random(seed, 7);
  Foresight all;
  for (std::size_t i = 0; i < 43; ++i) {
    Foreseen& one = all.emplace_back();
    one.row = i;
    one.split = i < 11 ? 0 : i < 20 ? 1 : i < 27 ? 2 : i < 37 ? 3 : 4;
    one.truth = (one.split == 1 || one.split == 3) && i % 3 == 0 ? 1 : 0;
    one.margin = random.normal() + one.truth;
    one.label = one.margin > 0.5 ? 1 : 0;
    one.log_loss = 0.1 + random.uniform();
  }
  return all;
}

TEST(PooledScores, AreThoseOfAllPredictionsAndTheirJackknife) {
  for (const Score score : scores_of_two) {
    const Foresight all = rare_class(3);
    std::vector<selection::ScoreSums> parts;
    for (std::size_t s = 0; s < 5; ++s) parts.push_back(sums_of(score, test::of_split(all, s)));
    const selection::PooledLoss pooled = selection::pooled_loss(score, parts);
    EXPECT_NEAR(pooled.loss, test::naive_pooled_loss(score, all, 2), 1e-12) << core::word(score);
    std::vector<double> left_out;
    for (std::size_t s = 0; s < 5; ++s) {
      const bool counts = score != Score::roc_auc || s == 1 || s == 3;
      EXPECT_EQ(std::isnan(pooled.values[s]), !counts);
      if (counts) left_out.push_back(test::naive_pooled_loss(score, without(all, s), 2));
    }
    double mean = 0;
    for (const double loss : left_out) mean += loss / static_cast<double>(left_out.size());
    double squares = 0;
    for (const double loss : left_out) squares += (loss - mean) * (loss - mean);
    const auto m = static_cast<double>(left_out.size());
    double sum = 0;
    double spread = 0;
    for (const double value : pooled.values) {
      if (std::isnan(value)) continue;
      sum += value / m;
      spread += (value - pooled.loss) * (value - pooled.loss);
    }
    EXPECT_NEAR(sum, pooled.loss, 1e-12);
    EXPECT_NEAR(spread / (m * (m - 1)), (m - 1) / m * squares, 1e-12) << core::word(score);
  }
}

data::Dataset rare_clouds(std::size_t n, std::uint64_t seed) {
  core::RandomStream random(seed, 11);
  data::DenseMatrix x(n, 3);
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < n; ++i) {
    const bool rare = i % 11 == 0;
    for (double& value : x.row(i)) value = random.normal() + (rare ? 1.3 : 0);
    labels.emplace_back(rare ? "b" : "a");
  }
  return data::make_dataset(x, labels);
}

selection::Options small_options(Score score, const data::Dataset& dataset) {
  selection::Options options;
  options.method = selection::CrossValidation{.folds = 5};
  test::set_score(options, score, dataset);
  options.costs.C = {1, 100};
  options.kernels.gamma = kernel::parse_gammas("0.1,1");
  options.seed = 3;
  options.choose_one_svm();
  return options;
}

/// Outer folds are fixed here, and one of them has no row of the rare class.
TEST(NestedRareClass, IsJudgedByPooledOuterPredictions) {
  data::Dataset dataset = rare_clouds(77, 5);
  for (std::size_t i = 0; i < dataset.rows(); ++i) dataset.folds.push_back(static_cast<int>(i % 6 == 4 ? 0 : i % 4));
  for (std::size_t i = 0; i < dataset.rows(); ++i)
    if (dataset.folds[i] == 2 && dataset.labels[i] == 1) dataset.folds[i] = 3;
  for (const Score score : {Score::balanced_accuracy, Score::f1, Score::f1_macro, Score::roc_auc, Score::cost}) {
    selection::Options options = small_options(score, dataset);
    options.estimate = selection::Estimate::none;
    Foresight all;
    for (std::size_t fold = 0; fold < 4; ++fold) {
      std::vector<std::size_t> in;
      std::vector<std::size_t> out;
      for (std::size_t i = 0; i < dataset.rows(); ++i)
        (static_cast<std::size_t>(dataset.folds[i]) == fold ? out : in).push_back(i);
      test::Surroundings surroundings;
      const data::Dataset training = dataset.select_rows(in);
      const auto selection = selection::Selector(options).select(training, surroundings.context);
      const auto said = selection::fitted(training, selection, surroundings.context)
                            ->predict(dataset.select_rows(out), surroundings.context);
      for (std::size_t a = 0; a < out.size(); ++a)
        all.push_back({out[a], fold, dataset.labels[out[a]], said.label[a], said.score.row(a)[1], 0});
    }
    test::Surroundings surroundings;
    const auto estimate = selection::nested_estimate(dataset, options, surroundings.context);
    EXPECT_NEAR(estimate.error, test::naive_pooled_loss(score, all, 2), 1e-12) << core::word(score);
    ASSERT_TRUE(estimate.lower && estimate.upper) << core::word(score);
    EXPECT_LE(*estimate.lower, estimate.error);
    EXPECT_GE(*estimate.upper, estimate.error);
    const auto comparison =
        selection::compare(dataset, {{"cv", options, {}}}, {4, options.seed, false}, surroundings.context);
    EXPECT_NEAR(comparison.methods.front().mean_error, estimate.error, 1e-12) << core::word(score);
  }
}

struct RareTrials {
  double truth = 0;
  double selected = 0;
  double nested = 0;
  double covered = 0;
};

RareTrials rare_trials(Score score, std::size_t trials) {
  const core::Threads threads(2);
  std::vector<RareTrials> each(trials);
  threads.for_each(trials, [&](std::size_t t) {
    const data::Dataset dataset = rare_clouds(80, 100 + t);
    const data::Dataset fresh = rare_clouds(3300, 1000 + t);
    selection::Options options = small_options(score, dataset);
    options.as<selection::CrossValidation>().folds = 10;
    options.seed = t;
    options.estimate = selection::Estimate::nested;
    test::Surroundings surroundings;
    const auto selection = selection::Selector(options).select(dataset, surroundings.context);
    const auto said = selection::fitted(dataset, selection, surroundings.context)->predict(fresh, surroundings.context);
    selection::LabelCounts counts(2);
    for (std::size_t i = 0; i < fresh.rows(); ++i)
      counts.add(static_cast<std::size_t>(fresh.labels[i]), static_cast<std::size_t>(said.label[i]));
    RareTrials& one = each[t];
    one.truth = 1 - counts.score(score);
    one.selected = selection.grid[*selection.best].error;
    one.nested = selection.honest.value().error;
    const auto& honest = *selection.honest;
    one.covered = !honest.lower || (*honest.lower <= one.truth && one.truth <= *honest.upper) ? 1 : 0;
  });
  RareTrials mean;
  for (const RareTrials& one : each) {
    const auto count = static_cast<double>(trials);
    mean.truth += one.truth / count;
    mean.selected += one.selected / count;
    mean.nested += one.nested / count;
    mean.covered += one.covered / count;
  }
  return mean;
}

/// 80 rows, one in eleven of the rare class, ten outer folds that do not look at classes. The mean of the folds' scores
/// was 12 points below the truth for the balanced accuracy, and 26 above it for F1.
TEST(NestedRareClass, BringsNoBiasWhereOuterFoldsLackIt) {
  for (const Score score : {Score::balanced_accuracy, Score::f1}) {
    const RareTrials mean = rare_trials(score, 60);
    std::cout << core::word(score) << " truth " << mean.truth << " selected " << mean.selected << " nested "
              << mean.nested << " covered " << mean.covered << '\n';
    EXPECT_NEAR(mean.nested, mean.truth, score == Score::f1 ? 0.1 : 0.06) << core::word(score);
    EXPECT_GT(mean.selected, mean.truth - 0.1) << core::word(score);
    EXPECT_GE(mean.covered, 0.8) << core::word(score);
  }
}

}  // namespace pooled_scores_vs_brute_force_tests
