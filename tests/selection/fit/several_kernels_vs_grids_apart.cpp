#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <tuple>
#include <vector>

#include "credence/conformal/confidence.hpp"
#include "credence/data/splits.hpp"
#include "credence/selection/ensemble.hpp"
#include "credence/selection/selector.hpp"
#include "support/context.hpp"
#include "support/random_data.hpp"
#include "support/run_selection.hpp"
#include "support/same_selection.hpp"
#include "support/score_oracle.hpp"
#include "support/selection_fields.hpp"

/// A grid over several kernels and scalings, beside the grids of each kernel and scaling by itself.
namespace several_kernels_vs_grids_apart_tests {

using namespace credence;
using kernel::KernelType;
using selection::Options;
using selection::Selection;

/// Columns with long tails, which quantiles and standard deviations see differently.
data::Dataset long_tails(int classes, std::uint64_t seed = 4, std::size_t rows = 90) {
  test::Clouds clouds = test::random_clouds(rows, 3, classes, 0.8, seed);
  for (double& value : clouds.x.values) value = std::exp(value);
  return clouds.dataset();
}

Options several(const selection::Method& method = selection::CrossValidation{}) {
  Options options;
  options.method = method;
  test::set_folds(options, 4);
  test::set_resamples(options, 12);
  options.kernels.types = {KernelType::rbf, KernelType::laplacian};
  options.kernels.gamma = kernel::parse_gammas("0.2,median,median*0.25,scale");
  options.preparation.scalings = {data::Scaling::standard, data::Scaling::quantile};
  options.costs.C = {0.5, 8, 100};
  if (options.looks_at("rule")) options.rule = selection::Rule::best;
  options.estimate = selection::Estimate::none;
  options.seed = 3;
  return options;
}

/// Smallest error, then most regularised, then first in the grid, where the gammas of a kernel ascend.
std::size_t naive_best(const std::vector<selection::Setting>& grid, std::size_t costs) {
  const auto key = [&](std::size_t k) {
    return std::tuple(!grid[k].complete, grid[k].error, k % costs, k / costs / 4, grid[k].gamma);
  };
  std::size_t best = 0;
  for (std::size_t k = 1; k < grid.size(); ++k)
    if (key(k) < key(best)) best = k;
  return best;
}

/// The selection of each kernel and scaling by itself.
std::vector<Selection> select_apart(const data::Dataset& dataset, const Options& options) {
  std::vector<Selection> apart;
  for (const data::Scaling scaling : options.preparation.scalings) {
    for (const KernelType type : options.kernels.types) {
      Options own = options;
      own.preparation.scalings = {scaling};
      own.kernels.types = {type};
      apart.push_back(test::run_selection(dataset, own));
    }
  }
  return apart;
}

/// Every setting of the whole grid to the last bit, on one and two threads, with much memory and with little.
void expect_grids_apart(const data::Dataset& dataset, const Options& options, const std::string& what) {
  SCOPED_TRACE(what);
  std::vector<selection::Setting> settings;
  const std::vector<Selection> apart = select_apart(dataset, options);
  for (const Selection& own : apart) settings.insert(settings.end(), own.grid.begin(), own.grid.end());
  for (const int threads : {1, 2}) {
    for (const std::size_t memory : {std::size_t{0}, std::size_t{200'000}}) {
      test::Surroundings surroundings(threads);
      if (memory > 0) surroundings.context.memory_budget = memory;
      const Selection whole = selection::Selector(options).select(dataset, surroundings.context);
      ASSERT_EQ(whole.grid.size(), settings.size());
      for (std::size_t k = 0; k < settings.size(); ++k) test::expect_same(whole.grid[k], settings[k]);
      ASSERT_TRUE(whole.best);
      EXPECT_EQ(*whole.best, naive_best(settings, options.costs.axis().size()));
      const Selection& of_best = apart[*whole.best * apart.size() / settings.size()];
      EXPECT_EQ(whole.calibration.nonconformity_scores, of_best.calibration.nonconformity_scores);
      EXPECT_EQ(whole.calibration.scores.values, of_best.calibration.scores.values);
      if (testing::Test::HasFailure()) return;
    }
  }
}

/// The methods that take lists, but for regions, whose partitions have a kernel and a scaling each.
class SeveralKernelsOf : public testing::TestWithParam<selection::Method> {};

std::string name_of(const selection::Method& method) {
  std::string name(std::visit([](const auto& own) { return std::string_view(own.name); }, method));
  std::ranges::replace(name, '-', '_');
  const auto* const bootstrap = std::get_if<selection::Bootstrap>(&method);
  if (bootstrap != nullptr && bootstrap->two_samples) name += "_nested";
  if (bootstrap != nullptr && bootstrap->error == selection::BootstrapError::e632_plus) name += "_632";
  return name;
}

INSTANTIATE_TEST_SUITE_P(Methods, SeveralKernelsOf,
                         testing::Values(selection::CrossValidation{}, selection::KFoldNested{},
                                         selection::LeaveOneOut{}, selection::Bootstrap{},
                                         selection::Bootstrap{.error = selection::BootstrapError::e632_plus},
                                         selection::Bootstrap{.two_samples = true}, selection::HoldOut{},
                                         selection::HoldOutVote{}),
                         [](const auto& one) { return name_of(one.param); });

TEST_P(SeveralKernelsOf, AreTheGridsOfEachKernelAndScaling) {
  const Options options = several(GetParam());
  expect_grids_apart(long_tails(2), options, "two classes");
  expect_grids_apart(long_tails(3), options, "three classes");
  data::Dataset weighted = long_tails(3);
  for (std::size_t i = 0; i < weighted.rows(); ++i) weighted.weights.push_back(0.25 + static_cast<double>(i % 5));
  expect_grids_apart(weighted, options, "weights");
  data::Dataset grouped = long_tails(2);
  for (std::size_t i = 0; i < grouped.rows(); ++i) grouped.groups.push_back(static_cast<int>(i / 5));
  expect_grids_apart(grouped, options, "groups");
}

TEST_P(SeveralKernelsOf, AreTheGridsOfEachWithOptionsOfAllKinds) {
  using Change = std::function<void(Options&)>;
  const bool refits = std::holds_alternative<selection::LeaveOneOut>(GetParam());
  const data::Dataset dataset = long_tails(2, 6, refits ? 40 : 90);
  const std::vector<std::pair<std::string, Change>> changes{
      {"scaled once", [](Options& o) { o.preparation.scope = selection::ScaleScope::all; }},
      {"scaled apart", [](Options& o) { o.preparation.scope = selection::ScaleScope::fold; }},
      {"soft loss", [](Options& o) { o.loss = selection::Loss::soft; }},
      {"AUC", [](Options& o) { o.score = selection::Score::roc_auc; }},
      {"F1", [](Options& o) { o.score = selection::Score::f1; }},
      {"log loss", [](Options& o) { o.score = selection::Score::log_loss; }},
      {"balanced", [](Options& o) { o.costs.class_weights.balanced = true; }},
      {"large C given up", [](Options& o) { o.costs.give_up = 1; }},
      {"nu",
       [](Options& o) {
         o.costs.C = {};
         o.costs.nu = {0.5, 0.2};
       }},
      {"minmax", [](Options& o) { o.preparation.scalings = {data::Scaling::minmax, data::Scaling::quantile}; }},
  };
  for (const auto& [name, change] : changes) {
    Options options = several(GetParam());
    change(options);
    if (options.validate().empty()) expect_grids_apart(dataset, options, name);
  }
}

model::Prediction said_by(const model::Predictor& model, const data::Dataset& rows) {
  const test::Surroundings surroundings;
  return conformal::predict_with_confidence(model, rows, {}, surroundings.context);
}

void expect_same_words(const model::Prediction& one, const model::Prediction& other) {
  EXPECT_EQ(one.label, other.label);
  EXPECT_EQ(one.decision.values, other.decision.values);
  EXPECT_EQ(one.score.values, other.score.values);
  EXPECT_EQ(one.p_value.values, other.p_value.values);
}

/// The model of the chosen setting is the one of the grid of its kernel and scaling, with its p-values, and says what
/// one training with the four values says.
TEST_P(SeveralKernelsOf, LeaveTheModelOfTheChosenSetting) {
  if (std::holds_alternative<selection::HoldOutVote>(GetParam())) return;  // has no chosen setting
  const test::Surroundings surroundings(2);
  for (const int classes : {2, 3}) {
    for (const selection::Refit refit : {selection::Refit::all_rows, selection::Refit::training_rows}) {
      Options options = several(GetParam());
      if (refit == selection::Refit::training_rows && !options.looks_at("refit")) continue;
      options.refit = refit;
      for (const std::uint64_t seed : {4U, 5U, 6U}) {
        const data::Dataset known = long_tails(classes, seed);
        const data::Dataset fresh = long_tails(classes, seed + 10);
        const Selection whole = test::run_selection(known, options, 2);
        const std::vector<Selection> apart = select_apart(known, options);
        const Selection& of_best = apart[*whole.best * apart.size() / whole.grid.size()];
        const model::Prediction said = said_by(*selection::fitted(known, whole, surroundings.context), fresh);
        expect_same_words(said, said_by(*selection::fitted(known, of_best, surroundings.context), fresh));
        EXPECT_FALSE(said.p_value.values.empty());
        if (refit == selection::Refit::training_rows) continue;
        const auto trained =
            svm::train(known, test::train_options_of_setting(options, whole.grid[*whole.best]), surroundings.context);
        const model::Prediction alone = trained.model.predict(fresh, surroundings.context);
        EXPECT_EQ(said.label, alone.label);
        EXPECT_EQ(said.decision.values, alone.decision.values);
      }
    }
  }
}

/// The average over kernels and scalings is that of SVMs trained one by one.
TEST_P(SeveralKernelsOf, AverageSvmsOfEach) {
  const test::Surroundings surroundings(2);
  Options options = several(GetParam());
  options.rule = selection::Rule::average;
  options.costs.solver.tolerance = 1e-9;
  if (!options.looks_at("rule") || !options.validate().empty()) return;
  const data::Dataset known = long_tails(3);
  const data::Dataset fresh = long_tails(3, 14);
  const Selection whole = test::run_selection(known, options, 2);
  const std::vector<std::size_t>& members = whole.average.value().members;
  const selection::Setting& first = whole.grid[members.front()];
  const selection::Setting& last = whole.grid[members.back()];
  EXPECT_NE(std::tuple(first.kernel, first.scale), std::tuple(last.kernel, last.scale));
  data::DenseMatrix mean(fresh.rows(), 3);
  for (const std::size_t setting : members) {
    const auto one =
        svm::train(known, test::train_options_of_setting(options, whole.grid[setting]), surroundings.context);
    const model::Prediction said = one.model.predict(fresh, surroundings.context);
    for (std::size_t at = 0; at < mean.values.size(); ++at)
      mean.values[at] += std::clamp(said.score.values[at], -3.0, 3.0) / static_cast<double>(members.size());
  }
  const model::Prediction said = said_by(*selection::fitted(known, whole, surroundings.context), fresh);
  for (std::size_t at = 0; at < mean.values.size(); ++at) EXPECT_NEAR(said.score.values[at], mean.values[at], 1e-5);
  EXPECT_FALSE(said.p_value.values.empty());
}

/// The scores that a hold-out keeps are those of the model that it returns.
TEST(SeveralKernels, HandOverTheModelThatWasJudged) {
  const test::Surroundings surroundings;
  for (const selection::Rule rule : {selection::Rule::best, selection::Rule::average}) {
    Options options = several(selection::HoldOut{});
    options.rule = rule;
    options.refit = selection::Refit::training_rows;
    const data::Dataset known = long_tails(3);
    const Selection whole = test::run_selection(known, options);
    const data::Dataset judged = known.select_rows(data::rows_where(selection::validation_split(known, options), true));
    const model::Prediction said = whole.predictor->predict(judged, surroundings.context);
    ASSERT_EQ(whole.calibration.labels, judged.labels);
    for (std::size_t i = 0; i < judged.rows(); ++i)
      EXPECT_EQ(whole.calibration.nonconformity_scores[i],
                -said.score.row(i)[static_cast<std::size_t>(judged.labels[i])]);
  }
}

/// The labels of all models of a hold-out, which are those of each kernel and scaling one after the other.
TEST(SeveralKernels, VoteAsTheModelsOfEach) {
  const test::Surroundings surroundings;
  std::size_t kernels_that_vote = 0;
  for (const std::uint64_t seed : {4U, 5U, 6U}) {
    const data::Dataset known = long_tails(3, seed);
    const data::Dataset fresh = long_tails(3, seed + 10);
    Options options = several(selection::HoldOutVote{});
    options.validation_rows = 6;  // on which many err alike
    const Selection whole = test::run_selection(known, options);
    std::vector<std::vector<int>> labels;
    for (const Selection& own : select_apart(known, options)) {
      selection::Ensemble models = dynamic_cast<const selection::Ensemble&>(*own.predictor);
      for (std::uint32_t k = 0; k < own.grid.size(); ++k) {
        models.rule = selection::VoteRule{{k}};
        labels.push_back(models.predict(fresh, surroundings.context).label);
      }
    }
    std::vector<std::size_t> members;
    for (std::size_t k = 0; k < labels.size(); ++k)
      if (whole.grid[k].error == whole.grid[*whole.best].error) members.push_back(k);
    kernels_that_vote += whole.grid[members.front()].kernel != whole.grid[members.back()].kernel ? 1U : 0U;
    const std::vector<int> said = whole.predictor->predict(fresh, surroundings.context).label;
    for (std::size_t i = 0; i < fresh.rows(); ++i) {
      std::vector<int> votes(3, 0);
      for (const std::size_t k : members) ++votes[static_cast<std::size_t>(labels[k][i])];
      const int most = *std::ranges::max_element(votes);
      const int of_best = labels[*whole.best][i];
      EXPECT_EQ(said[i], votes[static_cast<std::size_t>(of_best)] == most
                             ? of_best
                             : static_cast<int>(std::ranges::find(votes, most) - votes.begin()));
    }
  }
  EXPECT_GT(kernels_that_vote, 0U);
}

/// A kernel without gamma has one column of settings between those with several.
TEST(SeveralKernels, OfWhichOneHasNoGammaHaveItsSettingsOnce) {
  Options options = several();
  options.kernels.types = {KernelType::rbf, KernelType::linear, KernelType::laplacian};
  const data::Dataset dataset = long_tails(2, 8);
  const Selection whole = test::run_selection(dataset, options, 2);
  std::size_t at = 0;
  for (const data::Scaling scaling : options.preparation.scalings) {
    for (const KernelType type : options.kernels.types) {
      Options own = options;
      own.preparation.scalings = {scaling};
      own.kernels.types = {type};
      const Selection apart = test::run_selection(dataset, own);
      EXPECT_EQ(apart.grid.size(), type == KernelType::linear ? 3U : 12U);
      for (const selection::Setting& setting : apart.grid) test::expect_same(whole.grid.at(at++), setting);
    }
  }
  EXPECT_EQ(at, whole.grid.size());
}

/// Folds resolve words on their own rows; a setting is named, and trained in the end, by those of all rows.
TEST(SeveralKernels, AreNamedByWidthsOfAllRows) {
  const Options options = several();
  const data::Dataset dataset = long_tails(2);
  std::size_t at = 0;
  const Selection whole = test::run_selection(dataset, options);
  for (const data::Scaling scaling : options.preparation.scalings) {
    const data::Features rows = data::Preprocessing::fit(dataset, scaling).apply(dataset);
    for (const KernelType type : options.kernels.types) {
      for (const kernel::GammaRule& rule : options.kernels.gamma) {
        for (const double C : options.costs.C) {
          const selection::Setting& setting = whole.grid.at(at++);
          EXPECT_EQ(setting.gamma, kernel::resolve_gamma(rule, type, rows));
          EXPECT_EQ(std::tuple(setting.scale, setting.kernel, setting.C), std::tuple(scaling, type, C));
        }
      }
    }
  }
}

}  // namespace several_kernels_vs_grids_apart_tests
