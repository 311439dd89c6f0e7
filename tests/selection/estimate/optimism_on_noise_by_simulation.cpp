#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "credence/core/random.hpp"
#include "credence/selection/selector.hpp"
#include "support/context.hpp"
#include "support/random_data.hpp"
#include "support/selection_fields.hpp"

namespace optimism_on_noise_by_simulation_tests {

using namespace credence;

/// Features that know nothing of the labels: every classifier errs on half of all new rows.
/// @param coins  labels are coins, so that the sample has a majority; else half of the rows are of each class
data::Dataset noise(std::size_t n, std::uint64_t seed, bool coins) {
  core::RandomStream coin(seed, 71);
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < n; ++i) labels.emplace_back((coins ? coin.uniform() < 0.5 : i % 2 == 0) ? "a" : "b");
  return data::make_dataset(test::random_matrix(n, 4, seed), labels);
}

struct Means {
  double selected = 0;
  double honest = 0;
  double honest_error = 0;  ///< standard error of the mean
};

Means simulate(const std::string& method, selection::Estimate estimate, std::size_t repetitions, bool coins = false) {
  test::Surroundings surroundings(2);
  std::vector<double> honest;
  Means means;
  for (std::size_t r = 0; r < repetitions; ++r) {
    selection::Options options;
    options.method = selection::method_named(method);
    options.costs.C = core::parse_list("2^-3:2^9:x8");
    options.kernels.gamma = kernel::parse_gammas("2^-7:2^1:x4");
    options.choose_one_svm();
    test::set_folds(options, 5);
    test::set_validation_rows(options, 25);
    options.estimate = estimate;
    options.estimate_samples = 100;
    options.seed = r;
    const selection::Selection found =
        selection::Selector(options).select(noise(60, 1000 + r, coins), surroundings.context);
    means.selected += found.grid[*found.best].error / static_cast<double>(repetitions);
    honest.push_back(found.honest->error);
  }
  double squares = 0;
  for (const double value : honest) means.honest += value / static_cast<double>(repetitions);
  for (const double value : honest) squares += (value - means.honest) * (value - means.honest);
  const auto n = static_cast<double>(repetitions);
  means.honest_error = std::sqrt(squares / (n - 1) / n);
  return means;
}

TEST(OptimismOnNoise, TheSelectedScoreFlattersAndTheHonestEstimateDoesNot) {
  const Means cv = simulate("cv", selection::Estimate::bbc, 120);
  EXPECT_LT(cv.selected, 0.45);
  EXPECT_GT(cv.honest, 0.5 - 4 * cv.honest_error);
  EXPECT_LT(cv.honest, 0.54);  // stratified folds err a little above half on noise
  const Means holdout = simulate("holdout", selection::Estimate::bbc, 120);
  EXPECT_LT(holdout.selected, 0.42);
  EXPECT_NEAR(holdout.honest, 0.5, 4 * holdout.honest_error);
}

/// Where each class has half of the rows by design, an outer fold that takes more rows of one class leaves a majority
/// of the other: the mirror image of the coins below, on the side of caution. Docs name the figure.
TEST(OptimismOnNoise, NestedCrossValidationErrsOnTheSideOfCautionWhereCountsAreFixed) {
  const Means nested = simulate("cv", selection::Estimate::nested, 100);
  EXPECT_LT(nested.selected, 0.45);
  EXPECT_NEAR(nested.honest, 0.556, 4 * nested.honest_error);
}

/// A sample of coins has a majority, and every new row is as likely to be of the minority. Folds that look at labels
/// pass the majority on to the rows that judge; those of the nested estimate do not, so that its mean is 1/2.
TEST(OptimismOnCoins, NestedCrossValidationHasNone) {
  const Means nested = simulate("cv", selection::Estimate::nested, 250, true);
  EXPECT_NEAR(nested.honest, 0.5, 4 * nested.honest_error);
  EXPECT_LT(nested.honest_error, 0.007);  // the 0.470 of stratified outer folds would be seen
}

/// Bootstrap correction resamples what stratified folds said, so that it keeps their share of the optimism: docs name
/// the figure.
TEST(OptimismOnCoins, BootstrapCorrectionKeepsThatOfStratifiedFolds) {
  const Means corrected = simulate("cv", selection::Estimate::bbc, 250, true);
  EXPECT_LT(corrected.selected, 0.41);
  EXPECT_NEAR(corrected.honest, 0.466, 4 * corrected.honest_error);
}

}  // namespace optimism_on_noise_by_simulation_tests
