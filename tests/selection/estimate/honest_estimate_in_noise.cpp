#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "credence/core/random.hpp"
#include "credence/selection/honest_estimate.hpp"
#include "support/context.hpp"

namespace credence::selection {
namespace honest_estimate_in_noise_tests {

using credence::test::Surroundings;

/// Settings that guess: every loss is 0 or 1 with probability 1/2, whatever the row. Rows of a group share their
/// losses.
LossTable guesses(std::size_t rows, std::size_t settings, std::size_t group_size, std::uint64_t seed) {
  core::RandomStream random(seed, 4040);
  LossTable losses(rows, settings);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t c = 0; c < settings; ++c)
      losses.row(i)[c] = i % group_size == 0 ? static_cast<float>(random.below(2)) : losses.row(i - 1)[c];
  return losses;
}

double mean_of_setting(const LossTable& losses, std::size_t setting) {
  double sum = 0;
  for (std::size_t i = 0; i < losses.rows; ++i) sum += static_cast<double>(losses.row(i)[setting]);
  return sum / static_cast<double>(losses.rows);
}

struct Sample {
  double mean = 0;
  double standard_error = 0;
};

Sample summary(const std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return {mean, std::sqrt(squares / (n - 1) / n)};
}

struct Noise {
  Sample selected;     ///< smallest mean loss: the score that a selection shows
  Sample honest;       ///< bias-corrected
  double covered = 0;  ///< share of intervals that hold 1/2
};

Noise simulate(std::size_t rows, std::size_t settings, std::size_t group_size, bool tell_groups) {
  constexpr int repetitions = 300;
  Surroundings one;
  std::vector<std::size_t> order(settings);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<int> groups;
  for (std::size_t i = 0; tell_groups && i < rows; ++i) groups.push_back(static_cast<int>(i / group_size));
  std::vector<double> selected;
  std::vector<double> honest;
  int covered = 0;
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    const auto seed = static_cast<std::uint64_t>(repetition);
    const LossTable losses = guesses(rows, settings, group_size, seed);
    double smallest = 1;
    for (std::size_t c = 0; c < settings; ++c) smallest = std::min(smallest, mean_of_setting(losses, c));
    selected.push_back(smallest);
    const BbcOptions options{.resamples = 400, .delta = 0.1, .seed = seed};
    const HonestEstimate estimate = bbc_of_smallest_loss(losses, order, groups, options, one.context);
    honest.push_back(estimate.error);
    covered += *estimate.lower <= 0.5 && 0.5 <= *estimate.upper ? 1 : 0;
  }
  return {summary(selected), summary(honest), covered / static_cast<double>(repetitions)};
}

TEST(HonestEstimateInNoise, CorrectsTheOptimismOfTheSmallestLoss) {
  const Noise noise = simulate(100, 60, 1, false);
  EXPECT_LT(noise.selected.mean, 0.42);
  EXPECT_NEAR(noise.honest.mean, 0.5, 4 * noise.honest.standard_error);
  EXPECT_LT(noise.honest.standard_error, 0.01);
  EXPECT_GE(noise.covered, 0.9 - 3 * std::sqrt(0.09 / 300));
}

TEST(HonestEstimateInNoise, GroupsMustBeDrawnWhole) {
  // Rows of a group are copies of each other: to draw them apart is to judge on what was chosen by.
  const Noise whole = simulate(120, 60, 4, true);
  EXPECT_NEAR(whole.honest.mean, 0.5, 4 * whole.honest.standard_error);
  EXPECT_LT(whole.honest.standard_error, 0.01);
  const Noise apart = simulate(120, 60, 4, false);
  EXPECT_LT(apart.honest.mean, 0.5 - 10 * apart.honest.standard_error);
}

TEST(HonestEstimateInNoise, OneSettingHasNothingToCorrect) {
  // Each resample judges on rows taken evenly: the mean over resamples is the plain mean but for the drawing.
  Surroundings one;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const LossTable losses = guesses(200, 1, 1, seed);
    const BbcOptions options{.resamples = 2000, .seed = seed};
    const HonestEstimate estimate = bbc_of_smallest_loss(losses, std::vector<std::size_t>{0}, {}, options, one.context);
    // A resample judges about 0.368 of the rows, taken without replacement: a standard deviation of
    // sqrt(1/4 (1 - 0.368) / (0.368 * 200)).
    const double deviation = std::sqrt(0.25 * 0.632 / (0.368 * 200) / 2000);
    EXPECT_NEAR(estimate.error, mean_of_setting(losses, 0), 4 * deviation);
  }
}

}  // namespace honest_estimate_in_noise_tests
}  // namespace credence::selection
