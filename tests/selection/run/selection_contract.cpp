#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "credence/core/version.hpp"
#include "credence/data/splits.hpp"
#include "credence/selection/selector.hpp"
#include "support/expect_error.hpp"
#include "support/random_data.hpp"
#include "support/selection_fields.hpp"
#include "support/selection_oracle.hpp"

namespace selection_contract_tests {

using namespace credence;
using selection::Selection;
using test::expect_error;
using test::random_clouds;
using test::Surroundings;

selection::Options grid(const char* C, const char* gamma) {
  selection::Options options;
  options.costs.C = core::parse_list(C);
  options.kernels.gamma = kernel::parse_gammas(gamma);
  test::set_folds(options, 5);
  options.choose_one_svm();
  return options;
}

Selection select(const data::Dataset& dataset, const selection::Options& options, int threads = 1) {
  Surroundings surroundings(threads);
  return selection::Selector(options).select(dataset, surroundings.context);
}

void expect_identical(const Selection& a, const Selection& b) {
  ASSERT_EQ(a.grid.size(), b.grid.size());
  for (std::size_t i = 0; i < a.grid.size(); ++i) {
    EXPECT_EQ(a.grid[i].C, b.grid[i].C);
    EXPECT_EQ(a.grid[i].gamma, b.grid[i].gamma);
    EXPECT_EQ(a.grid[i].complete, b.grid[i].complete);
    EXPECT_EQ(a.grid[i].error, b.grid[i].error);
    EXPECT_EQ(a.grid[i].error_std, b.grid[i].error_std);
    EXPECT_EQ(a.grid[i].n_sv, b.grid[i].n_sv);
    EXPECT_EQ(a.grid[i].steps, b.grid[i].steps);
    EXPECT_EQ(a.grid[i].factorisations, b.grid[i].factorisations);
    EXPECT_EQ(a.grid[i].unconverged, b.grid[i].unconverged);
  }
  EXPECT_EQ(a.best, b.best);
  EXPECT_EQ(a.runner_up, b.runner_up);
  EXPECT_EQ(a.best_on_border, b.best_on_border);
  EXPECT_EQ(a.options.name(), b.options.name());
  EXPECT_EQ(a.n, b.n);
  EXPECT_EQ(a.features, b.features);
  EXPECT_EQ(a.classes, b.classes);
  EXPECT_EQ(a.class_counts, b.class_counts);
  EXPECT_EQ(a.resamples, b.resamples);
  EXPECT_EQ(a.options.seed, b.options.seed);
  EXPECT_EQ(a.version, b.version);
  EXPECT_EQ(a.warnings, b.warnings);
}

TEST(Selection, OneThreadEqualsTwoToTheLastBit) {
  for (const selection::ScaleScope scope : {selection::ScaleScope::fold, selection::ScaleScope::all}) {
    for (const int classes : {2, 3}) {
      selection::Options options = grid("2^-5:2^11:x16", "2^-9:2^3:x16");
      options.preparation.scope = scope;
      const data::Dataset dataset = random_clouds(150, 5, classes, 0.5, 1).dataset();
      const Selection one = select(dataset, options, 1);
      const Selection two = select(dataset, options, 2);
      const Selection four = select(dataset, options, 4);
      EXPECT_EQ(one.threads, 1);
      EXPECT_EQ(two.threads, 2);
      expect_identical(one, two);
      expect_identical(one, four);
      expect_identical(one, select(dataset, options, 1));
    }
  }
}

TEST(Selection, SaysWhatItRestsOn) {
  selection::Options options = grid("1,10", "0.1");
  options.seed = 99;
  test::Clouds clouds = random_clouds(50, 4, 2, 0.5, 1);
  for (std::size_t i = 0; i < 50; ++i) clouds.labels[i] = i % 5 < 2 ? "no" : "yes";
  const Selection result = select(clouds.dataset(), options);
  EXPECT_EQ(result.options.name(), "cv");
  EXPECT_EQ(result.n, 50U);
  EXPECT_EQ(result.features, 4U);
  EXPECT_EQ(result.classes, (std::vector<std::string>{"no", "yes"}));
  EXPECT_EQ(result.class_counts, (std::vector<std::size_t>{20, 30}));
  EXPECT_EQ(result.resamples, 5);
  EXPECT_EQ(result.options.seed, 99U);
  EXPECT_EQ(result.version, version());
  EXPECT_EQ(result.stopped, core::StopReason::none);
  EXPECT_GT(result.seconds, 0);
  for (const selection::Setting& setting : result.grid) EXPECT_GT(setting.steps, 0U);
}

TEST(Selection, SeedChangesTheFolds) {
  const data::Dataset dataset = random_clouds(120, 4, 2, 0.4, 1).dataset();
  std::set<std::vector<double>> seen;
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    selection::Options options = grid("1,10,100", "0.1,1");
    options.seed = seed;
    std::vector<double> errors;
    for (const selection::Setting& setting : select(dataset, options).grid) errors.push_back(setting.error);
    seen.insert(errors);
  }
  EXPECT_GT(seen.size(), 1U);
}

TEST(Selection, BestAndRunnerUpFollowTheRule) {
  int ties = 0;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const double distance = seed % 2 == 0 ? 4.0 : 0.5;  // separable sets have many ties
    const data::Dataset dataset = random_clouds(60, 3, 2, distance, seed).dataset();
    const selection::Options options = grid("2^-5:2^11:x16", "2^-9:2^3:x16");
    const Selection result = select(dataset, options);
    ASSERT_TRUE(result.best.has_value());
    ASSERT_TRUE(result.runner_up.has_value());
    const std::size_t best = *result.best;
    EXPECT_EQ(best, test::expected_best(result.grid, result.grid.size())) << seed;
    EXPECT_NE(*result.runner_up, best);
    EXPECT_EQ(result.grid[*result.runner_up].error, result.grid[test::expected_best(result.grid, best)].error) << seed;
    ties += result.grid[*result.runner_up].error == result.grid[best].error ? 1 : 0;
    const std::size_t c = best % options.costs.C.size();
    const std::size_t g = best / options.costs.C.size();
    const bool border = c == 0 || c + 1 == options.costs.C.size() || g == 0 || g + 1 == options.kernels.gamma.size();
    EXPECT_EQ(result.best_on_border, border) << seed;
  }
  EXPECT_GT(ties, 0);  // or the rule for ties was not tried
}

TEST(Selection, OneValueHasNoBorder) {
  const data::Dataset dataset = random_clouds(40, 3, 2, 0.5, 1).dataset();
  const Selection single = select(dataset, grid("1", "0.1"));
  EXPECT_FALSE(single.best_on_border);
  EXPECT_EQ(single.best, std::optional<std::size_t>(0));
  EXPECT_FALSE(single.runner_up.has_value());
  selection::Options linear = grid("0.001,1,1000", "0.1,1");
  linear.kernels.types = {kernel::KernelType::linear};
  const Selection result = select(dataset, linear);
  EXPECT_EQ(result.grid.size(), 3U);
  EXPECT_EQ(result.best_on_border, *result.best != 1);
}

TEST(Selection, GammaWordsAreResolved) {
  test::Clouds clouds = random_clouds(60, 4, 2, 0.5, 1);
  for (std::size_t i = 0; i < 60; ++i) clouds.x.row(i)[0] *= 100;
  const data::Dataset dataset = clouds.dataset();
  const selection::Options options = grid("1,10", "scale,auto,median");
  const data::Features scaled =
      data::Preprocessing::fit(dataset, options.resolved().preparation.scaling()).apply(dataset);
  const Selection result = select(dataset, options);
  ASSERT_EQ(result.grid.size(), 6U);
  for (std::size_t i = 0; i < 6; ++i) {
    const double gamma = kernel::resolve_gamma(options.kernels.gamma[i / 2], kernel::KernelType::rbf, scaled);
    EXPECT_NEAR(result.grid[i].gamma / gamma, 1, 1e-9) << i;
  }
}

TEST(Selection, CancelledGivesAPartialResult) {
  const data::Dataset dataset = random_clouds(200, 5, 2, 0.5, 1).dataset();
  const selection::Options options = grid("2^-5:2^15:x4", "2^-15:2^3:x4");
  const core::Threads threads(1);
  core::Monitor monitor([](const core::Monitor::Progress& progress) { return progress.done * 3 < progress.total; });
  const Selection partial = selection::Selector(options).select(dataset, {threads, monitor});
  EXPECT_EQ(partial.stopped, core::StopReason::cancelled);
  const Selection whole = select(dataset, options);
  ASSERT_EQ(partial.grid.size(), whole.grid.size());
  std::size_t incomplete = 0;
  for (std::size_t i = 0; i < whole.grid.size(); ++i) {
    EXPECT_EQ(partial.grid[i].C, whole.grid[i].C);
    EXPECT_EQ(partial.grid[i].gamma, whole.grid[i].gamma);
    incomplete += partial.grid[i].complete ? 0U : 1U;
    if (partial.grid[i].complete) EXPECT_EQ(partial.grid[i].error, whole.grid[i].error) << i;
  }
  EXPECT_GT(incomplete, 0U);
  if (partial.best) EXPECT_EQ(*partial.best, test::expected_best(partial.grid, partial.grid.size()));
  EXPECT_EQ(partial.best.has_value(), incomplete < whole.grid.size());
}

TEST(Selection, NoTimeLeavesNothingChosen) {
  const data::Dataset dataset = random_clouds(100, 5, 2, 0.5, 1).dataset();
  const core::Threads threads(1);
  core::Monitor monitor({}, 0.0);
  const selection::Options options = grid("1,10", "0.1");
  const Selection result = selection::Selector(options).select(dataset, {threads, monitor});
  EXPECT_EQ(result.stopped, core::StopReason::time_budget);
  EXPECT_FALSE(result.best.has_value());
  Surroundings surroundings;
  expect_error(ErrorCode::invalid_argument, "", [&] { selection::retrain(dataset, result, surroundings.context); });
}

TEST(Selection, StepLimitIsCounted) {
  selection::Options options = grid("32768", "0.001");
  options.costs.solver.max_steps = 3;
  const Selection result = select(random_clouds(200, 8, 2, 0.2, 1).dataset(), options);
  EXPECT_EQ(result.grid.front().unconverged, 5U);
  EXPECT_FALSE(result.warnings.empty());
}

TEST(Selection, RetrainTrainsTheChosenSettingOnAllRows) {
  test::Clouds clouds = random_clouds(90, 4, 3, 0.5, 1);
  for (std::size_t i = 0; i < 90; ++i) clouds.x.row(i)[0] *= 100;
  const data::Dataset dataset = clouds.dataset();
  for (const char* gamma : {"0.01,0.1", "median"}) {
    selection::Options options = grid("1,10", gamma);
    options.seed = 5;
    const Selection chosen = select(dataset, options);
    Surroundings surroundings;
    const svm::TrainResult retrained = selection::retrain(dataset, chosen, surroundings.context);
    const selection::Setting& best = chosen.grid[*chosen.best];
    kernel::GammaRule rule;
    rule.value = best.gamma;
    const svm::TrainResult direct =
        svm::train(dataset, test::train_options_of(options, best.C, rule), surroundings.context);
    const auto a = retrained.model.predict(dataset, surroundings.context);
    const auto b = direct.model.predict(dataset, surroundings.context);
    EXPECT_EQ(a.label, b.label);
    for (std::size_t i = 0; i < a.decision.values.size(); ++i)
      ASSERT_NEAR(a.decision.values[i], b.decision.values[i], 1e-9);
    EXPECT_EQ(retrained.model.record.method, "cv");
    EXPECT_EQ(retrained.model.record.rows, 90U);
    EXPECT_EQ(retrained.model.record.C, best.C);
    EXPECT_EQ(retrained.model.record.seed, 5U);
    EXPECT_EQ(retrained.model.record.selected_error, std::optional<double>(best.error));
    EXPECT_EQ(retrained.model.record.resamples, std::optional<int>(5));
    EXPECT_NEAR(retrained.model.kernel.gamma / best.gamma, 1, 1e-9);
  }
}

TEST(Selection, RefusesDataThatCannotBeSplit) {
  const data::Dataset few = random_clouds(4, 3, 2, 0.5, 1).dataset();
  EXPECT_THROW(select(few, grid("1", "0.1")), Error);  // five folds of four rows
  test::Clouds single = random_clouds(20, 3, 2, 0.5, 1);
  single.labels.assign(single.labels.size(), "a");
  expect_error(ErrorCode::invalid_data, "class", [&] { select(single.dataset(), grid("1", "0.1")); });
  data::Dataset grouped = random_clouds(20, 3, 2, 0.5, 1).dataset();
  for (int i = 0; i < 20; ++i) grouped.groups.push_back(i % 3);
  EXPECT_THROW(select(grouped, grid("1", "0.1")), Error);  // five folds of three groups
  data::Dataset one_fold = random_clouds(20, 3, 2, 0.5, 1).dataset();
  one_fold.folds.assign(20, 0);
  EXPECT_THROW(select(one_fold, grid("1", "0.1")), Error);
}

TEST(Selection, FoldsThatLackAClassAreCounted) {
  // All of class b in one fold: its training rows know one class only, so that every b is an error.
  data::Dataset dataset = random_clouds(40, 3, 2, 5.0, 1).dataset();
  dataset.folds.clear();
  for (std::size_t i = 0; i < 40; ++i)
    dataset.folds.push_back(dataset.labels[i] == 1 ? 0 : static_cast<int>(1 + i / 2 % 3));
  try {
    const Selection result = select(dataset, grid("1", "0.1"));
    EXPECT_GE(result.grid.front().error, 0.5);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_data) << error.what();
  }
}

TEST(Options, ValidateNamesAllProblems) {
  EXPECT_TRUE(selection::Options{}.validate().empty());
  selection::Options bad = grid("1", "0.1");
  test::set_folds(bad, 1);
  bad.costs.C = {-1};
  bad.costs.solver.tolerance = 0;
  bad.delta = 2;
  bad.costs.class_weights.named["a"] = -1;
  EXPECT_GE(bad.validate().size(), 5U);
  expect_error(ErrorCode::invalid_argument, "folds: 1 is not at least 2", [&] { selection::Selector{bad}; });
}

TEST(Methods, AreNamedAndMade) {
  const std::vector<std::string> methods = selection::methods();
  EXPECT_NE(std::find(methods.begin(), methods.end(), "cv"), methods.end());
  for (const std::string& method : methods) {
    selection::Options options;
    options.method = selection::method_named(method);
    EXPECT_EQ(options.name(), method);
    EXPECT_NO_THROW(selection::Selector{options});
  }
  expect_error(ErrorCode::invalid_argument, "unknown method 'tea leaves'; allowed are cv,",
               [] { selection::method_named("tea leaves"); });
}

/// Methods that do not learn around a given hint must not add it when they predict.
TEST(HintOfTheData, IsNotAddedByMethodsThatDoNotUseIt) {
  const data::Dataset plain = random_clouds(60, 3, 2, 1.0, 4).dataset();
  data::Dataset hinted = plain;
  hinted.schema.hint_name = "f0";
  for (std::size_t i = 0; i < hinted.rows(); ++i) hinted.hint.push_back(i % 2 == 0 ? 100 : -100);
  Surroundings surroundings(1);
  for (const char* method : {"cv", "nonconformity", "kfold-nested"}) {
    selection::Options options = grid("1,10", "0.1").with(selection::method_named(method));
    test::set_folds(options, 5);
    test::set_final(options, selection::FinalClassifier::random);
    const Selection found = select(hinted, options);
    const bool said = std::any_of(found.warnings.begin(), found.warnings.end(), [](const std::string& warning) {
      return warning.find("hint of the data is not used") != std::string::npos;
    });
    EXPECT_TRUE(said) << method;
    const auto model = selection::fitted(hinted, found, surroundings.context);
    const auto expected = selection::fitted(plain, select(plain, options), surroundings.context);
    EXPECT_TRUE(model->schema.hint_name.empty()) << method;
    EXPECT_EQ(model->predict(hinted, surroundings.context).label, expected->predict(plain, surroundings.context).label)
        << method;
  }
}

}  // namespace selection_contract_tests
