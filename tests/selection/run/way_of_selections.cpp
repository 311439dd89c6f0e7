#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "credence/selection/forecast.hpp"
#include "credence/selection/selector.hpp"
#include "support/context.hpp"
#include "support/random_data.hpp"

namespace way_of_selections_tests {

using namespace credence;
using selection::Forecast;
using selection::Options;
using selection::Regions;
using selection::Way;
using test::Surroundings;

/// Two classes that overlap, and costs at which every row that contradicts others takes many steps.
const data::Dataset& long_to_judge() {
  static const data::Dataset dataset = test::random_clouds(20000, 2, 2, 0.5, 3).dataset();
  return dataset;
}

Options few_settings() {
  Options options;
  options.method = selection::CrossValidation{.folds = 8};
  options.costs.C = {1, 1000, 2000};
  options.kernels.gamma = kernel::parse_gammas("0.5,8");
  options.kernels.types = {kernel::KernelType::rbf};
  options.preparation.scalings = {data::Scaling::standard};
  return options;
}

Way way_of(const data::Dataset& dataset, const Options& options) {
  const Surroundings surroundings(2);
  return selection::way_of(dataset, options, surroundings.context, false);
}

TEST(WayOfSelections, ManyRowsThatTakeLongAreJudgedInRegions) {
  const Way way = way_of(long_to_judge(), few_settings());
  ASSERT_TRUE(way.forecast);
  EXPECT_GT(way.forecast->updates, Forecast::stated_cost);
  EXPECT_TRUE(way.forecast->in_regions && way.forecast->by_default && !way.forecast->races);
  ASSERT_TRUE(way.options.is<Regions>());
  EXPECT_TRUE(way.options.as<Regions>().by_default);
  EXPECT_EQ(way.options.as<Regions>().folds, 8);
  EXPECT_EQ(way.options.costs.C, few_settings().costs.C);
}

/// All scores but the AUC, for which margins of two regions have no common scale.
TEST(WayOfSelections, RegionsChooseByTheScoreThatWasAskedFor) {
  Options options = few_settings();
  options.score = selection::Score::cost;
  options.label_costs = "a:b=3";
  const Way way = way_of(long_to_judge(), options);
  ASSERT_TRUE(way.options.is<Regions>());
  EXPECT_EQ(way.options.score, selection::Score::cost);
  EXPECT_EQ(way.options.label_costs, "a:b=3");
}

TEST(WayOfSelections, FewUpdatesJudgeEverySettingOnAllRows) {
  Options options = few_settings();
  options.costs.C = {0.001};
  options.kernels.gamma = kernel::parse_gammas("0.5");
  const Way way = way_of(long_to_judge(), options);
  ASSERT_TRUE(way.forecast);
  EXPECT_LT(way.forecast->updates, Forecast::stated_cost);
  EXPECT_TRUE(way.options.is<selection::CrossValidation>());
  EXPECT_FALSE(way.forecast->in_regions || way.forecast->by_default);
}

TEST(WayOfSelections, OptionsThatRegionsCannotFollowKeepTheMethod) {
  using Change = std::function<void(Options&)>;
  const std::vector<std::pair<std::string, Change>> changes{
      {"race", [](Options& o) { o.race = selection::Race::yes; }},
      {"no race", [](Options& o) { o.race = selection::Race::no; }},
      {"AUC", [](Options& o) { o.score = selection::Score::roc_auc; }},
      {"average", [](Options& o) { o.rule = selection::Rule::average; }},
      {"best", [](Options& o) { o.rule = selection::Rule::best; }},
      {"linear", [](Options& o) { o.kernels.types = {kernel::KernelType::linear}; }},
      {"nu",
       [](Options& o) {
         o.costs.C = {};
         o.costs.nu = {0.2, 0.4};
       }},
      {"bbc", [](Options& o) { o.estimate = selection::Estimate::bbc; }},
      {"nested", [](Options& o) { o.estimate = selection::Estimate::nested; }},
      {"scope", [](Options& o) { o.preparation.scope = selection::ScaleScope::fold; }},
      {"another method", [](Options& o) { o.method = selection::HoldOut{}; }},
  };
  for (const auto& [name, change] : changes) {
    Options options = few_settings();
    change(options);
    const Way way = way_of(long_to_judge(), options);
    EXPECT_FALSE(way.options.is<Regions>()) << name;
    EXPECT_FALSE(way.forecast) << name << ": nobody asked for a forecast, and nothing depends on one";
  }
}

TEST(WayOfSelections, RowsThatRegionsCannotFollowKeepTheMethod) {
  data::Dataset folded = long_to_judge();
  for (std::size_t i = 0; i < folded.rows(); ++i) folded.folds.push_back(static_cast<int>(i % 4));
  EXPECT_FALSE(way_of(folded, few_settings()).options.is<Regions>());
  data::Dataset grouped = long_to_judge();
  for (std::size_t i = 0; i < grouped.rows(); ++i) grouped.groups.push_back(static_cast<int>(i % 500));
  EXPECT_FALSE(way_of(grouped, few_settings()).options.is<Regions>());
  data::Dataset fewer = test::random_clouds(Regions::default_from - 1, 2, 2, 0.5, 3).dataset();
  EXPECT_FALSE(way_of(fewer, few_settings()).options.is<Regions>());
}

TEST(WayOfSelections, ATimeLimitShorterThanRegionsLeavesTheRace) {
  const Surroundings surroundings(2);
  core::Monitor unlimited;
  const Way way = selection::way_of(long_to_judge(), few_settings(), {surroundings.context.threads, unlimited}, false);
  const double pilot = unlimited.seconds();
  ASSERT_TRUE(way.forecast && way.forecast->regions_seconds);
  core::Monitor limited({}, pilot + 0.1 * *way.forecast->regions_seconds);
  const Way shorter =
      selection::way_of(long_to_judge(), few_settings(), {surroundings.context.threads, limited}, false);
  ASSERT_TRUE(shorter.options.is<selection::CrossValidation>());
  // On a busy machine the limit ends the pilot itself, and nothing is decided.
  if (shorter.forecast && shorter.forecast->finished) EXPECT_EQ(shorter.options.race, selection::Race::yes);
}

TEST(WayOfSelections, RegionsByDefaultAreThoseThatAreAskedFor) {
  const Way way = way_of(long_to_judge(), few_settings());
  Options asked = few_settings();
  asked.method = Regions{.folds = 8};
  const Surroundings surroundings(2);
  const data::Dataset fewer = test::random_clouds(5000, 2, 2, 4, 3).dataset();  // what was decided serves any rows
  const selection::Selection unasked = selection::Selector(way.options).select(fewer, surroundings.context);
  const selection::Selection wanted = selection::Selector(asked).select(fewer, surroundings.context);
  ASSERT_TRUE(unasked.partition() && wanted.partition());
  EXPECT_TRUE(unasked.partition()->by_default);
  EXPECT_FALSE(wanted.partition()->by_default);
  EXPECT_EQ(unasked.partition()->curve, wanted.partition()->curve);
  EXPECT_EQ(unasked.honest->error, wanted.honest->error);
  EXPECT_EQ(unasked.calibration.nonconformity_scores, wanted.calibration.nonconformity_scores);
}

}  // namespace way_of_selections_tests
