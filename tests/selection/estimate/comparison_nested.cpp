#include <gtest/gtest.h>

#include <cmath>

#include "credence/core/random.hpp"
#include "credence/selection/comparison.hpp"
#include "support/context.hpp"
#include "support/random_data.hpp"
#include "support/selection_fields.hpp"

namespace credence {
namespace comparison_nested_tests {

using selection::HonestEstimate;
using test::Surroundings;

selection::Options small_options(const std::string& method) {
  selection::Options options;
  options.method = selection::method_named(method);
  options.costs.C = core::parse_list("0.1:100:x10");
  options.kernels.gamma = kernel::parse_gammas("0.01:10:x10");
  test::set_folds(options, 5);
  options.choose_one_svm();
  return options;
}

/// Labels by coin, of which the features know nothing: every rule has error 1/2.
data::Dataset noise(std::size_t n, std::uint64_t seed) {
  core::RandomStream coin(seed, 301);
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < n; ++i) labels.push_back(coin.uniform() < 0.5 ? "a" : "b");
  return data::make_dataset(data::Features(test::random_matrix(n, 3, seed)), labels);
}

TEST(NestedEstimate, IsTheErrorRateOfTheComparisonOverAllRows) {
  const data::Dataset dataset = test::random_clouds(83, 2, 2, 0.8, 1).dataset();
  for (const std::string method : {"cv", "holdout"}) {
    selection::Options options = small_options(method);
    options.seed = 9;
    Surroundings surroundings;
    const HonestEstimate estimate = selection::nested_estimate(dataset, options, surroundings.context);
    options.estimate = selection::Estimate::none;
    const auto comparison =
        selection::compare(dataset, {{method, options, {}}}, {method == "cv" ? 5 : 10, 9, false}, surroundings.context);
    std::size_t errors = 0;
    for (const auto& fold : comparison.methods[0].folds) errors += fold.errors;
    EXPECT_DOUBLE_EQ(estimate.error, static_cast<double>(errors) / 83);
    EXPECT_EQ(estimate.method, "nested");
    EXPECT_EQ(estimate.rows, 83U);
    EXPECT_EQ(estimate.resamples, comparison.methods[0].folds.size());
    EXPECT_LT(estimate.lower.value(), estimate.error);
    EXPECT_GT(estimate.upper.value(), estimate.error);
  }
}

TEST(NestedEstimate, DoesNotNestAgain) {
  selection::Options options = small_options("cv");
  options.estimate = selection::Estimate::nested;
  Surroundings surroundings;
  const HonestEstimate estimate = selection::nested_estimate(noise(40, 2), options, surroundings.context);
  EXPECT_EQ(estimate.rows, 40U);
}

/// On labels of pure noise the error of the chosen setting looks better than it can be; the nested estimate does not.
TEST(NestedEstimate, ShowsNoSkillOnNoiseWhereTheSelectedErrorDoes) {
  constexpr int trials = 40;
  constexpr std::size_t rows = 50;
  Surroundings surroundings(2);
  double selected = 0;
  double nested = 0;
  for (std::uint64_t trial = 0; trial < trials; ++trial) {
    selection::Options options = small_options("cv");
    options.estimate = selection::Estimate::nested;
    options.seed = trial;
    const auto selection = selection::Selector(options).select(noise(rows, 1000 + trial), surroundings.context);
    selected += selection.grid[selection.best.value()].error / trials;
    nested += selection.honest.value().error / trials;
  }
  // An error rate of rows fair coins has variance 1 / (4 rows); correlated rows make it somewhat larger.
  const double standard_error = std::sqrt(0.25 / rows / trials);
  EXPECT_NEAR(nested, 0.5, 4 * standard_error);
  EXPECT_LT(selected, 0.5 - 4 * standard_error);
  RecordProperty("selected", std::to_string(selected));
  RecordProperty("nested", std::to_string(nested));
}

TEST(NestedEstimate, StoppedBeforeItBeginsItRestsOnNoRows) {
  Surroundings surroundings;
  surroundings.monitor.cancel();
  const HonestEstimate estimate = selection::nested_estimate(noise(40, 3), small_options("cv"), surroundings.context);
  EXPECT_EQ(estimate.rows, 0U);
  EXPECT_EQ(estimate.resamples, 0U);
}

}  // namespace comparison_nested_tests
}  // namespace credence
