#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "credence/bounds/binomial.hpp"
#include "credence/conformal/fit.hpp"
#include "support/context.hpp"
#include "support/random_data.hpp"

/// How often prediction sets miss, over many draws of all rows.
namespace credence::conformal {
namespace fit_by_simulation_tests {

using mode::Inductive;
using mode::Transductive;
using test::Surroundings;

FitOptions with(const Measure& measure, const Mode& mode) {
  FitOptions options;
  options.measure = measure;
  options.mode = mode;
  return options;
}

/// One row in 200 is 100 times as large as the others: where the scaling is fitted on the rows compared with, such a
/// row shrinks its own scale, and a new one does not.
TEST(FitBySimulation, ScalingApartKeepsThePromiseWhereRareRowsStretchTheScale) {
  const Surroundings surroundings;
  constexpr std::size_t trials = 250;
  constexpr std::size_t n = 200;
  const auto misses = [&](double apart) {
    std::size_t missed = 0;
    for (std::size_t trial = 0; trial < trials; ++trial) {
      core::RandomStream random(trial, 77);
      data::DenseMatrix x(n, 50);
      std::vector<std::string> labels;
      for (std::size_t i = 0; i < n; ++i) {
        labels.emplace_back(i % 2 == 0 ? "a" : "b");
        for (double& value : x.row(i)) value = random.normal() * (random.uniform() < 1.0 / 199 ? 100 : 1);
      }
      FitOptions options = with(OwnClassDistance{}, Transductive{.apart = apart});
      options.scaling = data::Scaling::standard;
      options.p_values = {.smoothed = true, .seed = trial};
      const data::Dataset all = data::make_dataset(data::Features(x), labels);
      std::vector<std::size_t> known(n - 1);
      std::iota(known.begin(), known.end(), std::size_t{0});
      const std::size_t last[] = {n - 1};
      const auto p = fit(all.select_rows(known), options, surroundings.context)
                         ->predict(all.select_rows(last), surroundings.context)
                         .p_value;
      missed += p.row(0)[static_cast<std::size_t>(all.labels[n - 1])] <= 0.05 ? 1U : 0U;
    }
    return missed;
  };
  const bounds::CountInterval band = bounds::central_counts(trials, 0.05, 1e-3);
  EXPECT_LE(misses(0.1), band.upper);
  EXPECT_GT(misses(0), band.upper);
}

/// Errors over independent training sets, each with one new row: a binomial count.
std::size_t errors_of(const FitOptions& options, double significance, std::size_t trials) {
  const Surroundings surroundings;
  std::size_t errors = 0;
  for (std::size_t trial = 0; trial < trials; ++trial) {
    core::RandomStream random(trial, 4242);
    data::DenseMatrix x(25, 2);
    std::vector<std::string> labels;
    for (std::size_t i = 0; i < 25; ++i) {
      const bool positive = random.uniform() < 0.4;  // no seed here draws a part with one class only
      labels.emplace_back(positive ? "b" : "a");
      for (double& value : x.row(i)) value = random.normal() + (positive ? 1 : 0);
    }
    FitOptions seeded = options;
    seeded.p_values.seed = trial;
    data::Dataset all = data::make_dataset(data::Features(x), labels);
    std::vector<std::size_t> known(24);
    std::iota(known.begin(), known.end(), std::size_t{0});
    const auto predictor = fit(all.select_rows(known), seeded, surroundings.context);
    const std::size_t last[] = {24};
    const auto p = predictor->predict(all.select_rows(last), surroundings.context).p_value;
    errors += p.row(0)[static_cast<std::size_t>(all.labels[24])] <= significance ? 1U : 0U;
  }
  return errors;
}

TEST(FitBySimulation, RegionsMissAsOftenAsPromised) {
  constexpr std::size_t trials = 1500;
  constexpr double significance = 0.2;
  const bounds::CountInterval band = bounds::central_counts(trials, significance, 1e-4);
  for (const auto& [measure, mode] : {std::pair<Measure, Mode>{NeighbourRatio{}, Transductive{}},
                                      {OwnClassDistance{}, Transductive{}},
                                      {SvmMargin{}, Transductive{}},
                                      {NeighbourRatio{}, Inductive{}},
                                      {SvmMargin{}, Inductive{}}}) {
    SCOPED_TRACE(testing::Message() << name_of(measure) << ", " << name_of(mode));
    FitOptions options = with(measure, mode);
    EXPECT_LE(errors_of(options, significance, trials), band.upper);
    options.p_values.smoothed = true;
    const std::size_t errors = errors_of(options, significance, trials);
    EXPECT_LE(errors, band.upper);
    EXPECT_GE(errors, band.lower);
  }
}

}  // namespace fit_by_simulation_tests
}  // namespace credence::conformal
