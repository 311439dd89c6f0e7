#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "credence/data/row_key.hpp"
#include "distributed/outer_shards.hpp"
#include "distributed/region_shards.hpp"
#include "support/context.hpp"
#include "support/expect_error.hpp"
#include "support/random_data.hpp"
#include "support/same_selection.hpp"
#include "support/selection_fields.hpp"

namespace credence {
namespace shards_vs_one_machine_tests {

using distributed::OuterShards;
using distributed::RegionShards;
using selection::Options;
using selection::Selection;
using selection::Setting;
using test::expect_same;
using test::same;
using test::Surroundings;

Options small_options(const std::string& method = "cv") {
  Options options;
  options.method = selection::method_named(method);
  options.costs.C = core::parse_list("0.1:100:x10");
  options.kernels.gamma = kernel::parse_gammas("0.01:10:x10");
  options.estimate_samples = 50;
  options.seed = 3;
  test::set_folds(options, 4);
  options.choose_one_svm();
  return options;
}

/// With a nested estimate, whose outer folds are shards.
Options nested_options(const std::string& method = "cv") {
  Options options = small_options(method);
  options.estimate = selection::Estimate::nested;
  return options;
}

/// Runs all outer folds, the last one first, on one thread and on two by turns.
std::vector<std::string> backwards(const OuterShards& shards) {
  std::vector<std::string> results(shards.size());
  for (std::size_t shard = shards.size(); shard-- > 0;) {
    Surroundings surroundings(static_cast<int>(1 + shard % 2));
    results[shard] = shards.run(shard, surroundings.context);
  }
  return results;
}

Selection by_outer_folds(const data::Dataset& dataset, const Options& options) {
  const OuterShards shards(dataset, options);
  Surroundings surroundings(2);
  return shards.merged(backwards(shards), surroundings.context);
}

/// Runs all regions, the last one of each partition first.
Selection by_regions(const data::Dataset& dataset, const Options& options) {
  Surroundings surroundings(2);
  RegionShards shards(dataset, options, surroundings.context);
  while (!shards.done()) {
    for (std::size_t shard = shards.size(); shard-- > 0;)
      shards.add(shard, RegionShards::run(shards.rows_of(shard), options, surroundings.context));
    shards.take(surroundings.context);
  }
  return shards.merged(surroundings.context);
}

Selection by_one_machine(const data::Dataset& dataset, const Options& options) {
  Surroundings surroundings(2);
  return selection::Selector(options).select(dataset, surroundings.context);
}

TEST(ShardsVsOneMachine, OuterFoldsOfNestedEstimates) {
  for (const int classes : {2, 3}) {
    const data::Dataset dataset = test::random_clouds(70, 2, classes, 0.8, 10).dataset();
    for (const std::string method : {"cv", "loo", "holdout", "bootstrap"}) {
      const Options options = nested_options(method);
      EXPECT_EQ(OuterShards(dataset, options).size(), method == "cv" ? 4U : 10U);
      expect_same(by_outer_folds(dataset, options), by_one_machine(dataset, options));
    }
  }
}

TEST(ShardsVsOneMachine, OtherScoresRulesLossesAndCostsToo) {
  const data::Dataset dataset = test::random_clouds(60, 2, 2, 0.9, 6).dataset();
  std::vector<Options> all;
  for (const auto score : {selection::Score::balanced_accuracy, selection::Score::roc_auc, selection::Score::log_loss,
                           selection::Score::cost}) {
    all.push_back(nested_options());
    all.back().score = score;
    all.back().label_costs = score == selection::Score::cost ? "a:b=50" : "";
  }
  for (const auto rule : {selection::Rule::one_se, selection::Rule::average}) {
    all.push_back(nested_options());
    all.back().rule = rule;
  }
  test::set_loss(all.emplace_back(nested_options()), selection::Loss::soft);
  all.emplace_back(nested_options()).costs.nu = {0.99, 0.5, 0.3, 0.1};
  all.emplace_back(nested_options()).kernels.types = {kernel::KernelType::linear};
  all.push_back(nested_options());
  all.back().kernels.types = {kernel::KernelType::rbf, kernel::KernelType::laplacian};
  all.back().kernels.gamma = kernel::parse_gammas("0.05,median");
  all.back().preparation.scalings = {data::Scaling::standard, data::Scaling::quantile};
  for (const Options& options : all) expect_same(by_outer_folds(dataset, options), by_one_machine(dataset, options));
}

TEST(ShardsVsOneMachine, SelectionsThatRace) {
  const data::Dataset dataset = test::random_clouds(5400, 2, 2, 0.3, 6).dataset();
  Options options = nested_options();
  options.costs.C = {1};
  options.kernels.gamma = kernel::parse_gammas("0.1,1");
  options.race = selection::Race::yes;
  expect_same(by_outer_folds(dataset, options), by_one_machine(dataset, options));
}

TEST(ShardsVsOneMachine, WordsOfGammaAndGroups) {
  data::Dataset dataset = test::random_clouds(80, 3, 2, 0.8, 8).dataset();
  for (std::size_t i = 0; i < 80; ++i) dataset.groups.push_back(static_cast<int>(i / 4));
  Options options = nested_options();
  options.kernels.gamma = {kernel::parse_gamma("scale"), kernel::parse_gamma("0.5"), kernel::parse_gamma("median")};
  expect_same(by_outer_folds(dataset, options), by_one_machine(dataset, options));
}

TEST(ShardsVsOneMachine, ANestedEstimateThatCannotBeMadeIsAWarningInBoth) {
  data::Dataset dataset = test::random_clouds(40, 2, 2, 0.8, 11).dataset();
  dataset.schema.task = data::Task::classification;
  for (std::size_t start = 0; start < 2; ++start) {
    data::Split& split = dataset.splits.emplace_back();
    for (std::size_t i = 0; i < 40; ++i) (i % 2 == start ? split.held_out : split.training).push_back(i);
  }
  const Options options = nested_options();
  const Selection one = by_one_machine(dataset, options);
  ASSERT_FALSE(one.warnings.empty());
  expect_same(by_outer_folds(dataset, options), one);
}

/// Rows of which some come again, few and many.
data::Dataset with_copies(std::size_t copies) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < 300 + copies; ++i) rows.push_back(i < 300 ? i : 7 * i % 300);
  return test::random_clouds(300, 2, 2, 0.5, 21).dataset().select_rows(rows);
}

TEST(ShardsVsOneMachine, CopiesThatShareAFold) {
  for (const std::size_t copies : {5U, 60U}) {
    const data::Dataset dataset = with_copies(copies);
    for (const auto word : {data::Copies::fold, data::Copies::drop}) {
      Options options = nested_options();
      options.copies = word;
      const Selection one = by_one_machine(dataset, options);
      EXPECT_EQ(one.options.copies, word);
      expect_same(by_outer_folds(dataset, options), one);
      for (const int partitions : {1, 2}) {
        options.estimate.reset();
        options.method = selection::Regions{.region_size = 100, .partitions = partitions};
        expect_same(by_regions(dataset, options), by_one_machine(dataset, options));
      }
    }
  }
}

TEST(ShardsVsOneMachine, RegionsOfTheFeatureSpace) {
  for (const auto& [classes, partitions] : std::vector<std::pair<int, int>>{{2, 1}, {3, 1}, {2, 3}, {3, 2}}) {
    data::Dataset dataset = test::random_clouds(300, 2, classes, 1.2, 18).dataset();
    Options options = small_options();
    options.method = selection::Regions{.region_size = 60, .partitions = partitions};
    options.costs.class_weights.balanced = classes == 2;
    if (classes == 3)
      for (std::size_t i = 0; i < 300; ++i) dataset.groups.push_back(static_cast<int>(i / 2));
    Surroundings surroundings(2);
    const Selection merged = by_regions(dataset, options);
    const Selection one = by_one_machine(dataset, options);
    expect_same(merged, one);
    ASSERT_TRUE(merged.predictor && one.predictor);
    const auto a = merged.predictor->predict(dataset, surroundings.context);
    const auto b = one.predictor->predict(dataset, surroundings.context);
    EXPECT_EQ(a.label, b.label);
    EXPECT_TRUE(std::equal(a.score.values.begin(), a.score.values.end(), b.score.values.begin(), b.score.values.end()));
    const RegionShards shards(dataset, options, surroundings.context);
    ASSERT_GT(shards.size(), 3U);
    Options other = options;
    other.seed = 4;
    test::expect_error(ErrorCode::format, "for other options than these",
                       [&] { RegionShards::run(shards.rows_of(0), other, surroundings.context); });
    test::expect_error(ErrorCode::invalid_argument, "regions has no shards of its own",
                       [&] { OuterShards(dataset, options); });
  }
}

/// Partitions that take turns in 2 kernels and 2 scalings, as one machine has them.
TEST(ShardsVsOneMachine, RegionsOfSeveralKernelsAndScalings) {
  for (const int classes : {2, 3}) {
    data::Dataset dataset = test::random_clouds(300, 2, classes, 1.2, 18).dataset();
    for (double& value : dataset.features.dense().values) value = std::exp(value);
    Options options = small_options();
    options.method = selection::Regions{.region_size = 60, .partitions = 3};
    options.kernels = {.types = {kernel::KernelType::rbf, kernel::KernelType::laplacian},
                       .gamma = kernel::parse_gammas("0.1,median")};
    options.preparation.scalings = {data::Scaling::standard, data::Scaling::quantile};
    Surroundings surroundings(2);
    const Selection merged = by_regions(dataset, options);
    const Selection one = by_one_machine(dataset, options);
    expect_same(merged, one);
    EXPECT_EQ(merged.partition()->curve, one.partition()->curve);
    const auto a = merged.predictor->predict(dataset, surroundings.context);
    const auto b = one.predictor->predict(dataset, surroundings.context);
    EXPECT_EQ(a.score.values, b.score.values);
  }
}

/// Scores of all rows come from the out-of-fold labels and scores that shards return.
TEST(ShardsVsOneMachine, RegionsThatChooseByAnotherScore) {
  for (const auto& [score, classes, partitions] :
       std::vector<std::tuple<selection::Score, int, int>>{{selection::Score::balanced_accuracy, 3, 1},
                                                           {selection::Score::balanced_accuracy, 2, 2},
                                                           {selection::Score::roc_auc, 2, 2},
                                                           {selection::Score::log_loss, 2, 1},
                                                           {selection::Score::cost, 3, 2}}) {
    const data::Dataset dataset = test::random_clouds(300, 2, classes, 1.2, 18).dataset();
    Options options = small_options();
    options.method = selection::Regions{.region_size = 60, .partitions = partitions};
    options.score = score;
    options.label_costs = score == selection::Score::cost ? "a:b=3" : "";
    const Selection merged = by_regions(dataset, options);
    const Selection one = by_one_machine(dataset, options);
    expect_same(merged, one);
    ASSERT_TRUE(merged.honest && one.honest);
    EXPECT_EQ(merged.honest->error, one.honest->error);
    EXPECT_EQ(merged.partition()->curve, one.partition()->curve);
  }
}

/// Whoever has the rows, in blocks: the rows of a region come from all of them, in the order of their numbers.
Selection by_blocks(const data::Dataset& dataset, const Options& options, std::size_t block, std::size_t& needed) {
  Surroundings surroundings(2);
  const Options resolved = options.resolved();
  data::Dataset labels = dataset;
  labels.features = data::DenseMatrix(dataset.rows(), 0);
  const std::vector<std::size_t> numbers = selection::rows_needed(labels, resolved);
  needed = numbers.size();
  const std::vector<std::size_t> apart = selection::rows_apart(labels, resolved);
  std::vector<std::uint64_t> keys = data::row_keys(dataset.features);
  std::vector<std::uint64_t> training_keys;
  for (std::size_t i = 0; i < keys.size(); ++i)
    if (!std::ranges::binary_search(apart, i)) training_keys.push_back(keys[i]);
  data::Dataset some = dataset.select_rows(numbers);
  some.labels.clear();
  some.weights.clear();
  distributed::RowsElsewhere elsewhere{numbers, some, data::smallest_keys(training_keys), data::smallest_keys(keys)};
  RegionShards shards(labels, elsewhere, options, surroundings.context);
  while (!shards.done()) {
    const auto routes = distributed::RegionRoutes::from_bytes(shards.routes());
    std::vector<std::uint32_t> region_of;
    for (std::size_t first = 0; first < dataset.rows(); first += block) {
      std::vector<std::size_t> own(std::min(block, dataset.rows() - first));
      std::iota(own.begin(), own.end(), first);
      for (const std::uint32_t region : routes.regions_of(dataset.select_rows(own), surroundings.context))
        region_of.push_back(region);
    }
    shards.route(region_of);
    const auto rows = model::rows_by_region(region_of, shards.size());
    for (std::size_t shard = 0; shard < shards.size(); ++shard) {
      const data::Dataset raw = dataset.select_rows(rows[shard]);
      shards.add(shard, RegionShards::run(shards.task_of(shard), options, surroundings.context, &routes, &raw));
    }
    shards.take(surroundings.context);
  }
  return shards.merged(surroundings.context);
}

TEST(ShardsVsOneMachine, RegionsOfRowsThatAreElsewhere) {
  for (const auto& [rows, classes, block] :
       std::vector<std::tuple<std::size_t, int, std::size_t>>{{300, 2, 300}, {300, 3, 7}, {111'000, 2, 40'000}}) {
    const data::Dataset dataset = test::random_clouds(rows, 2, classes, 1.2, 18).dataset();
    Options options = small_options();
    options.method = selection::Regions{.region_size = rows / 5, .partitions = 2};
    if (rows > selection::most_learnt_rows) {
      options.method = selection::Regions{.region_size = 500, .partitions = 2};
      options.costs.C = {1};
      options.kernels.gamma = kernel::parse_gammas("1");
      test::set_folds(options, 2);
    }
    options.costs.class_weights.balanced = classes == 2;
    std::size_t needed = 0;
    const Selection found = by_blocks(dataset, options, block, needed);
    const Selection one = by_one_machine(dataset, options);
    expect_same(found, one);
    ASSERT_TRUE(found.honest && one.honest);
    EXPECT_EQ(found.honest->error, one.honest->error);
    EXPECT_EQ(needed<rows, rows> selection::most_learnt_rows);
    Surroundings surroundings(2);
    const data::Dataset some = test::random_clouds(200, 2, classes, 1.2, 19).dataset();
    const auto a = found.predictor->predict(some, surroundings.context);
    const auto b = one.predictor->predict(some, surroundings.context);
    EXPECT_TRUE(std::equal(a.score.values.begin(), a.score.values.end(), b.score.values.begin(), b.score.values.end()));
    EXPECT_EQ(found.predictor->record.row_keys, one.predictor->record.row_keys);
    EXPECT_EQ(found.predictor->record.rows, rows);
    const auto known = [](const Selection& selection) { return selection.predictor->known_rows.stored(); };
    EXPECT_TRUE(std::ranges::equal(known(found), known(one)));
  }
}

TEST(ShardsVsOneMachine, RowsThatAreReadAgainMustBeTheSame) {
  const data::Dataset dataset = test::random_clouds(300, 2, 2, 1.2, 18).dataset();
  Options options = small_options();
  options.method = selection::Regions{.region_size = 60, .partitions = 1};
  Surroundings surroundings(2);
  const RegionShards shards(dataset, options, surroundings.context);
  const auto routes = distributed::RegionRoutes::from_bytes(shards.routes());
  const data::Dataset fewer = dataset.select_rows(std::vector<std::size_t>{0, 1, 2});
  test::expect_error(ErrorCode::format, "but 3 came",
                     [&] { RegionShards::run(shards.task_of(0), options, surroundings.context, &routes, &fewer); });
}

TEST(LearntRows, AreAllOfFewAndASampleOfMany) {
  EXPECT_EQ(selection::learnt_rows(5, 1), (std::vector<std::size_t>{0, 1, 2, 3, 4}));
  const std::size_t rows = 3 * selection::most_learnt_rows;
  const std::vector<std::size_t> drawn = selection::learnt_rows(rows, 1);
  ASSERT_EQ(drawn.size(), selection::most_learnt_rows);
  EXPECT_TRUE(std::ranges::is_sorted(drawn));
  EXPECT_EQ(std::ranges::adjacent_find(drawn), drawn.end());
  // Uniform: of each tenth of the rows about a tenth, within five standard deviations of a hypergeometric count.
  for (std::size_t tenth = 0; tenth < 10; ++tenth) {
    const auto below = [&](std::size_t end) { return std::ranges::lower_bound(drawn, end) - drawn.begin(); };
    const auto count = static_cast<double>(below((tenth + 1) * rows / 10) - below(tenth * rows / 10));
    EXPECT_NEAR(count, 1e4, 5 * std::sqrt(1e5 * 0.1 * 0.9 * 2 / 3));
  }
  EXPECT_NE(drawn, selection::learnt_rows(rows, 2));
}

TEST(Shards, WithoutShardsThereIsASentence) {
  const data::Dataset dataset = test::random_clouds(40, 2, 2, 0.8, 14).dataset();
  for (const std::string method : {"cv", "loo"})
    test::expect_error(ErrorCode::invalid_argument, method + " has no shards of its own",
                       [&] { OuterShards(dataset, small_options(method)); });
}

TEST(Shards, ARegionThatIsMissingIsASentence) {
  const data::Dataset dataset = test::random_clouds(300, 2, 2, 1.2, 18).dataset();
  Options options = small_options();
  options.method = selection::Regions{.region_size = 60, .partitions = 1};
  Surroundings surroundings(2);
  RegionShards shards(dataset, options, surroundings.context);
  const std::string first = RegionShards::run(shards.rows_of(0), options, surroundings.context);
  test::expect_error(ErrorCode::format, "stands in the place", [&] { shards.add(1, first); });
  shards.add(0, first);
  test::expect_error(ErrorCode::invalid_argument, "there are 1 results of", [&] { shards.take(surroundings.context); });
  test::expect_error(ErrorCode::invalid_argument, "no shard 99", [&] { shards.add(99, first); });
}

TEST(Shards, ResultsOfOtherWorkAreRefused) {
  const data::Dataset dataset = test::random_clouds(40, 2, 2, 0.8, 15).dataset();
  const OuterShards shards(dataset, nested_options());
  Surroundings surroundings;
  const std::vector<std::string> whole = backwards(shards);
  const auto refused = [&](std::vector<std::string> results, const char* part) {
    test::expect_error(ErrorCode::format, part, [&] { shards.merged(results, surroundings.context); });
  };
  std::vector<std::string> swapped = whole;
  std::swap(swapped[0], swapped[1]);
  refused(swapped, "stands in the place");
  std::vector<std::string> altered = whole;
  altered[2][altered[2].size() / 2] ^= 1;
  refused(altered, "altered");
  for (const std::size_t length : {0UL, 5UL, whole[0].size() / 2, whole[0].size() - 1}) {
    std::vector<std::string> cut = whole;
    cut[0].resize(length);
    refused(cut, "the result of a shard");
  }
  Options other = nested_options();
  other.seed = 4;
  std::vector<std::string> foreign = whole;
  foreign[0] = OuterShards(dataset, other).run(0, surroundings.context);
  refused(foreign, "other data or with other options");
  test::expect_error(ErrorCode::invalid_argument, "2 results of 4 shards",
                     [&] { shards.merged(std::span(whole).first(2), surroundings.context); });
  test::expect_error(ErrorCode::invalid_argument, "no shard 4", [&] { shards.run(4, surroundings.context); });
}

TEST(Shards, StoppedShardsHandNothingOver) {
  const data::Dataset dataset = test::random_clouds(60, 2, 2, 0.8, 16).dataset();
  Surroundings surroundings;
  surroundings.monitor.cancel();
  test::expect_error(ErrorCode::interrupted, "stopped",
                     [&] { OuterShards(dataset, nested_options()).run(0, surroundings.context); });
}

}  // namespace shards_vs_one_machine_tests
}  // namespace credence
