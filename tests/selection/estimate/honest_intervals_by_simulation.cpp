#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "credence/core/random.hpp"
#include "credence/selection/selector.hpp"
#include "support/context.hpp"
#include "support/selection_fields.hpp"

namespace honest_intervals_by_simulation_tests {

using namespace credence;

constexpr std::size_t training_rows = 100;
constexpr std::size_t fresh_rows = 1500;
constexpr std::size_t trials = 160;

using RowMaker = std::function<bool(core::RandomStream& random, std::span<double> x)>;

/// Where the error is small and differs from sample to sample.
bool in_circle(core::RandomStream& random, std::span<double> x) {
  double square = 0;
  for (double& value : x) {
    value = 2 * random.uniform() - 1;
    square += value * value;
  }
  return square < 0.6;
}

/// Far apart: rows held out are often all right.
bool in_far_cloud(core::RandomStream& random, std::span<double> x) {
  const bool second = random.uniform() < 0.5;
  for (double& value : x) value = random.normal() + (second ? 2.3 : 0);
  return second;
}

/// Near each other: errors of a third.
bool in_near_cloud(core::RandomStream& random, std::span<double> x) {
  const bool second = random.uniform() < 0.5;
  for (double& value : x) value = random.normal() + (second ? 0.7 : 0);
  return second;
}

/// Labels that the features know nothing of.
bool is_head(core::RandomStream& random, std::span<double> x) {
  for (double& value : x) value = random.normal();
  return random.uniform() < 0.5;
}

/// The honest estimate, and the error of what was selected on rows of which nothing has seen any.
struct Trial {
  double honest = 0;
  double error = 0;
  double selected = 0;  ///< the score that was chosen by
  bool covered = false;
};

Trial trial_of(const RowMaker& make, selection::Options options, std::uint64_t seed) {
  test::Surroundings surroundings;
  core::RandomStream random(seed, 88);
  data::DenseMatrix x(training_rows + fresh_rows, 2);
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < x.rows; ++i) labels.emplace_back(make(random, x.row(i)) ? "b" : "a");
  const data::Dataset all = data::make_dataset(x, labels);
  std::vector<std::size_t> rows(x.rows);
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  const data::Dataset training = all.select_rows(std::span(rows).first(training_rows));
  const data::Dataset fresh = all.select_rows(std::span(rows).subspan(training_rows));
  options.seed = seed;
  const auto selection = selection::Selector(options).select(training, surroundings.context);
  const auto model = selection::fitted(training, selection, surroundings.context);
  const model::Prediction prediction = model->predict(fresh, surroundings.context);
  double error = 0;
  for (std::size_t i = 0; i < fresh_rows; ++i) error += prediction.label[i] != fresh.labels[i] ? 1.0 / fresh_rows : 0;
  const selection::HonestEstimate& honest = selection.honest.value();
  return {honest.error, error, selection.chosen_error().value(),
          honest.lower.value() <= error && error <= honest.upper.value()};
}

std::vector<Trial> simulated(const RowMaker& make, const selection::Options& options) {
  const core::Threads threads(2);
  std::vector<Trial> found(trials);
  threads.for_each(trials, [&](std::size_t t) { found[t] = trial_of(make, options, t); });
  return found;
}

double mean_of(const std::vector<Trial>& found, const std::function<double(const Trial&)>& value) {
  double sum = 0;
  for (const Trial& trial : found) sum += value(trial);
  return sum / static_cast<double>(found.size());
}

double coverage_of(const std::vector<Trial>& found) {
  return mean_of(found, [](const Trial& trial) { return trial.covered ? 1.0 : 0.0; });
}

double coverage(const RowMaker& make, const std::string& method, selection::Estimate estimate) {
  selection::Options options;
  options.method = selection::method_named(method);
  options.estimate = estimate;
  test::set_folds(options, 5);
  test::set_resamples(options, 20);
  options.estimate_samples = 300;
  options.costs.C = core::parse_list("2^-3:2^9:x16");
  options.kernels.gamma = kernel::parse_gammas("2^-5:2^1:x8");
  options.choose_one_svm();
  return coverage_of(simulated(make, options));
}

/// Nominal are 95 %. With 160 trials a coverage of 0.95 is seen as 0.89 or more but for 1 in 2,000 cases; percentiles
/// of out-of-bag losses covered 0.78 to 0.86 in the circle, those of rows held out 0.65 of far clouds, and an interval
/// of one trial a row 0.86 to 0.89.
TEST(HonestIntervals, CoverTheErrorOfWhatWasSelected) {
  for (const RowMaker& make : {RowMaker(in_circle), RowMaker(in_far_cloud), RowMaker(in_near_cloud)}) {
    EXPECT_GE(coverage(make, "cv", selection::Estimate::bbc), 0.9);
    EXPECT_GE(coverage(make, "cv", selection::Estimate::nested), 0.9);
    EXPECT_GE(coverage(make, "bootstrap", selection::Estimate::bbc), 0.9);
    EXPECT_GE(coverage(make, "holdout", selection::Estimate::bbc), 0.89);
  }
}

/// The default of cv averages the ten best of 144 settings of two kernels and two scalings. Bootstrap correction keeps
/// the optimism that stratified folds have of coins, as it does of one kernel (OptimismOnCoins); outer folds train on
/// fewer rows, which errs on the side of caution.
TEST(HonestIntervals, CoverTheErrorOfAnAverageOverKernelsAndScalings) {
  for (const auto& [make, optimism] : {std::pair{RowMaker(is_head), 0.034}, {in_near_cloud, 0}, {in_circle, 0}}) {
    for (const selection::Estimate estimate : {selection::Estimate::bbc, selection::Estimate::nested}) {
      selection::Options options;
      options.method = selection::CrossValidation{.folds = 5};
      options.estimate = estimate;
      options.estimate_samples = 300;
      const std::vector<Trial> found = simulated(make, options);
      const double bias = mean_of(found, [](const Trial& one) { return one.honest - one.error; });
      const double variance =
          mean_of(found, [&](const Trial& one) { return std::pow(one.honest - one.error - bias, 2); });
      const double expected = estimate == selection::Estimate::bbc ? -optimism : 0;
      EXPECT_GT(bias, expected - 4 * std::sqrt(variance / trials)) << core::word(estimate) << ' ' << optimism;
      EXPECT_LT(bias, 0.02) << core::word(estimate) << ' ' << optimism;
      EXPECT_LT(mean_of(found, [](const Trial& one) { return one.selected - one.error; }), expected - 0.01)
          << "the score that was chosen by flatters";
      EXPECT_GE(coverage_of(found), 0.9) << core::word(estimate) << ' ' << optimism;
    }
  }
}

}  // namespace honest_intervals_by_simulation_tests
