#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "credence/core/random.hpp"
#include "credence/data/splits.hpp"
#include "selection/judge/predictions.hpp"
#include "support/random_data.hpp"
#include "support/score_oracle.hpp"

/// Bias correction of scores and of the rule of one standard error, with every drawn row written out as often as it was
/// drawn.
namespace resampled_scores_vs_naive_tests {

using namespace credence;
using selection::Rule;
using selection::Score;
using test::Foresight;
using test::Surroundings;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t row_count = 26;
constexpr int classes = 2;

/// A row that is held out once is written out twice as often as one that is held out twice.
Foresight written_out(const Foresight& all, std::span<const std::uint32_t> times_drawn,
                      const std::vector<std::uint32_t>& times_held_out, bool left_out) {
  Foresight result;
  for (const test::Foreseen& one : all) {
    const std::uint32_t drawn = left_out ? (times_drawn[one.row] == 0 ? 1 : 0) : times_drawn[one.row];
    for (std::uint32_t t = 0; t < drawn * 2 / times_held_out[one.row]; ++t) result.push_back(one);
  }
  return result;
}

double naive_standard_error(Score score, const Foresight& rows, std::size_t splits) {
  std::vector<double> losses;
  for (std::size_t s = 0; s < splits; ++s) {
    const Foresight part = test::of_split(rows, s);
    const double loss = part.empty() ? nan : test::naive_loss(score, part, classes);
    if (!std::isnan(loss)) losses.push_back(loss);
  }
  const auto count = static_cast<double>(losses.size());
  double mean = 0;
  double squares = 0;
  for (const double loss : losses) mean += loss / count;
  for (const double loss : losses) squares += (loss - mean) * (loss - mean);
  return losses.size() < 2 ? 0 : std::sqrt(squares / (count - 1) / count);
}

/// The settings in order of preference are 0, 1, ...
std::size_t naive_choice(Rule rule, const std::vector<double>& losses, const std::vector<double>& errors) {
  std::size_t best = losses.size();
  for (std::size_t k = 0; k < losses.size(); ++k)
    if (!std::isnan(losses[k]) && (best == losses.size() || losses[k] < losses[best])) best = k;
  for (std::size_t k = 0; rule == Rule::one_se && k < losses.size(); ++k)
    if (losses[k] <= losses[best] + errors[best]) return k;
  return best;
}

/// The mean of the clipped margins of the ten best settings within one standard error of the best.
Foresight naive_average(const std::vector<Foresight>& settings, const std::vector<double>& losses,
                        const std::vector<double>& errors) {
  const std::size_t best = naive_choice(Rule::best, losses, errors);
  if (best == settings.size()) return {};
  Foresight average = settings[best];
  for (test::Foreseen& one : average) one.margin = 0;
  std::vector<std::pair<double, std::size_t>> near;
  for (std::size_t k = 0; k < settings.size(); ++k)
    if (losses[k] <= losses[best] + errors[best]) near.emplace_back(losses[k], k);
  std::ranges::sort(near);
  near.resize(std::min<std::size_t>(near.size(), 10));
  const auto members = static_cast<double>(near.size());
  for (const auto& [loss, k] : near)
    for (std::size_t p = 0; p < average.size(); ++p) average[p].margin += std::clamp(settings[k][p].margin, -3.0, 3.0);
  for (test::Foreseen& one : average) {
    one.margin /= members;
    one.label = one.margin > 0 ? 1 : 0;
  }
  return average;
}

double naive_rule(Score score, Rule rule, const std::vector<Foresight>& settings, std::size_t splits,
                  std::span<const std::uint32_t> drawn, const std::vector<std::uint32_t>& held_out) {
  std::vector<double> losses;
  std::vector<double> errors;
  for (const Foresight& setting : settings) {
    const Foresight rows = written_out(setting, drawn, held_out, false);
    losses.push_back(test::naive_loss(score, rows, classes));
    errors.push_back(naive_standard_error(score, rows, splits));
  }
  if (rule == Rule::average) {
    const Foresight average = naive_average(settings, losses, errors);
    return average.empty() ? nan : test::naive_loss(score, written_out(average, drawn, held_out, true), classes);
  }
  const std::size_t chosen = naive_choice(rule, losses, errors);
  if (chosen == settings.size()) return nan;
  return test::naive_loss(score, written_out(settings[chosen], drawn, held_out, true), classes);
}

/// Random predictions of rows, some of which two splits hold out; margins tie often.
struct Problem {
  selection::Predictions predictions;
  std::vector<Foresight> settings;
  std::vector<std::uint32_t> times;

  Problem(Score score, selection::ScoreBasis basis, std::uint64_t seed) : times(row_count, 1) {
    core::RandomStream random(seed, 4);
    predictions.score = score;
    predictions.basis = basis;
    predictions.label_costs = model::DecisionCosts::parse(test::naive_costs({"a", "b"}), {"a", "b"});
    predictions.classes = classes;
    predictions.settings = 12;
    settings.resize(predictions.settings);
    std::vector<int> truth;
    for (std::size_t i = 0; i < row_count; ++i) truth.push_back(random.uniform() < 0.4 ? 1 : 0);
    for (std::size_t split = 0; split < 4; ++split) {
      predictions.starts.push_back(predictions.places());
      for (std::size_t i = 0; i < row_count; ++i) {
        const bool again = i % 5 == 0 && (i + 1) % 4 == split;
        if (i % 4 != split && !again) continue;
        times[i] = i % 5 == 0 ? 2 : 1;
        predictions.rows.push_back(static_cast<std::uint32_t>(i));
        predictions.truth.push_back(truth[i]);
        for (std::size_t k = 0; k < predictions.settings; ++k) {
          const double margin = std::round(2 * random.normal() + (truth[i] == 1 ? 1.0 : -1.0)) / 2;
          settings[k].push_back({i, split, truth[i], margin > 0 ? 1 : 0, margin, std::log1p(std::exp(-margin))});
        }
      }
    }
    predictions.starts.push_back(predictions.places());
    for (const Foresight& setting : settings) {
      for (const test::Foreseen& one : setting) {
        predictions.labels.push_back(static_cast<std::uint16_t>(one.label));
        predictions.scores.push_back(one.truth == 1 ? one.margin : -one.margin);
        if (score == Score::log_loss) predictions.log_losses.push_back(one.log_loss);
      }
    }
  }
};

TEST(ResampledScores, AreThoseOfRowsWrittenOut) {
  Surroundings surroundings(2);
  std::vector<std::size_t> order(12);
  std::iota(order.begin(), order.end(), std::size_t{0});
  const std::pair<Score, selection::ScoreBasis> kinds[] = {
      {Score::accuracy, selection::ScoreBasis::losses}, {Score::balanced_accuracy, selection::ScoreBasis::labels},
      {Score::roc_auc, selection::ScoreBasis::margins}, {Score::f1, selection::ScoreBasis::labels},
      {Score::f1_macro, selection::ScoreBasis::labels}, {Score::log_loss, selection::ScoreBasis::losses},
      {Score::cost, selection::ScoreBasis::losses}};
  for (const auto& [score, basis] : kinds) {
    for (const Rule rule : {Rule::best, Rule::one_se, Rule::average}) {
      // The average has a sigmoid of its own in each draw.
      if (rule == Rule::average && score == Score::log_loss) continue;
      for (std::uint64_t seed = 0; seed < 3; ++seed) {
        const Problem problem(score, basis, seed);
        const selection::BbcOptions options{.resamples = 40, .seed = seed, .bounded = false};
        std::vector<int> groups;
        for (std::size_t i = 0; seed == 2 && i < row_count; ++i) groups.push_back(static_cast<int>(i / 2));
        const auto fast = selection::bbc_of_scores(problem.predictions, row_count, order, rule, groups, options,
                                                   surroundings.context);
        const auto slow = selection::bootstrap_bias_corrected(
            row_count, groups,
            [&](std::span<const std::uint32_t> drawn) {
              return naive_rule(score, rule, problem.settings, 4, drawn, problem.times);
            },
            options, surroundings.context);
        EXPECT_NEAR(fast.error, slow.error, 1e-12) << core::word(score) << ", rule " << core::word(rule);
        EXPECT_EQ(fast.resamples, slow.resamples);
        EXPECT_NEAR(fast.upper.value(), slow.upper.value(), 1e-12);
      }
    }
  }
}

selection::Options small_grid(Score score, Rule rule, const data::Dataset& dataset) {
  selection::Options options;
  options.method = selection::CrossValidation{.folds = 5};
  test::set_score(options, score, dataset);
  options.rule = rule;
  options.costs.C = {0.01, 0.1, 1, 10, 100};
  options.kernels.gamma = kernel::parse_gammas("0.01,0.1,1");
  options.costs.solver.tolerance = 1e-7;
  options.preparation.scalings = {data::Scaling::none};
  options.estimate_samples = 50;
  options.seed = 2;
  options.choose_one_svm();
  return options;
}

/// Smallest C first, then smallest gamma.
std::vector<std::size_t> by_regularisation(const std::vector<selection::Setting>& grid) {
  std::vector<std::size_t> order(grid.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(grid[a].C, grid[a].gamma) < std::pair(grid[b].C, grid[b].gamma);
  });
  return order;
}

TEST(OneStandardError, ChoosesTheMostRegularisedSettingWithinOne) {
  Surroundings surroundings;
  bool differs = false;
  for (const Score score : {Score::accuracy, Score::balanced_accuracy, Score::roc_auc, Score::log_loss, Score::cost}) {
    const data::Dataset dataset = test::random_clouds(90, 3, 2, 0.6, 3).dataset();
    const auto chosen =
        selection::Selector(small_grid(score, Rule::one_se, dataset)).select(dataset, surroundings.context);
    const auto best = selection::Selector(small_grid(score, Rule::best, dataset)).select(dataset, surroundings.context);
    std::vector<double> losses;
    std::vector<double> errors;
    const std::vector<std::size_t> order = by_regularisation(chosen.grid);
    for (const std::size_t k : order) {
      losses.push_back(best.grid[k].error);
      errors.push_back(best.grid[k].error_std / std::sqrt(5.0));
    }
    EXPECT_EQ(chosen.best.value(), order[naive_choice(Rule::one_se, losses, errors)]);
    EXPECT_EQ(best.best.value(), order[naive_choice(Rule::best, losses, errors)]);
    if (chosen.best != best.best) EXPECT_EQ(chosen.runner_up, best.best);
    differs = differs || chosen.best != best.best;
  }
  EXPECT_TRUE(differs);
}

TEST(OneStandardError, ChoosesWidthsOfRegressions) {
  Surroundings surroundings;
  core::RandomStream random(3, 3);
  data::DenseMatrix x(50, 1);
  std::vector<double> targets;
  for (double& value : x.values) targets.push_back(std::sin(value = 6 * random.uniform()) + 0.3 * random.normal());
  const data::Dataset dataset = data::make_regression_dataset(x, targets);
  selection::Options options;
  options.task = data::Task::regression;
  options.method = selection::CrossValidation{.folds = 5};
  options.rule = Rule::one_se;
  options.choose_from(selection::Learner::rvm);
  options.kernels.gamma = kernel::parse_gammas("0.5,2,8,32");
  const auto chosen = selection::Selector(options).select(dataset, surroundings.context);
  std::vector<double> losses;
  std::vector<double> errors;
  for (const selection::Setting& setting : chosen.grid) {
    losses.push_back(setting.error);
    errors.push_back(setting.error_std / std::sqrt(5.0));
  }
  EXPECT_EQ(chosen.best.value(), naive_choice(Rule::one_se, losses, errors));
  EXPECT_EQ(chosen.honest.value().score, "mean squared error");
}

/// From the data set to the honest estimate.
TEST(ResampledScores, OfASelectionAreThoseOfRefits) {
  Surroundings surroundings;
  const data::Dataset dataset = test::random_clouds(70, 3, 2, 0.6, 4).dataset();
  const auto folds = data::stratified_k_fold(dataset.labels, 5, 2);
  const std::vector<std::uint32_t> once(dataset.rows(), 2);
  for (const Score score : {Score::accuracy, Score::f1, Score::roc_auc, Score::cost}) {
    const Rule rule = score == Score::f1 ? Rule::best : Rule::one_se;
    const selection::Options options = small_grid(score, rule, dataset);
    const auto selection = selection::Selector(options).select(dataset, surroundings.context);
    std::vector<Foresight> settings;
    for (const std::size_t k : by_regularisation(selection.grid))
      settings.push_back(test::foresee(dataset, test::splits_of_folds(folds), options, selection.grid[k]));
    const auto slow = selection::bootstrap_bias_corrected(
        dataset.rows(), {},
        [&](std::span<const std::uint32_t> drawn) { return naive_rule(score, rule, settings, 5, drawn, once); },
        {.resamples = 50, .seed = 2}, surroundings.context);
    EXPECT_NEAR(selection.honest.value().error, slow.error, 2e-3) << core::word(score);
  }
}

}  // namespace resampled_scores_vs_naive_tests
