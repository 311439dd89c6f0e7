#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "credence/conformal/fit.hpp"
#include "credence/conformal/inductive.hpp"
#include "credence/rvm/train.hpp"
#include "support/context.hpp"
#include "support/random_data.hpp"

// Every trial draws its rows and its one new row afresh, so that trials are independent and errors binomial.
namespace credence::conformal {
namespace {

using test::Surroundings;

constexpr std::size_t trials = 1200;
constexpr std::size_t known_rows = 40;
constexpr std::array levels{0.1, 0.2, 0.4};

/// Two classes that overlap, one of them rarer.
data::Dataset draw(std::uint64_t trial) {
  core::RandomStream random(trial, 777);
  data::DenseMatrix x(known_rows + 1, 2);
  std::vector<std::string> labels;
  for (std::size_t i = 0; i <= known_rows; ++i) {
    const bool positive = random.uniform() < 0.4;
    labels.emplace_back(positive ? "b" : "a");
    for (double& value : x.row(i)) value = random.normal() + (positive ? 1.2 : 0);
  }
  return data::make_dataset(data::Features(x), labels);
}

using Fitting = std::function<std::shared_ptr<ConformalPredictor>(const data::Dataset& known, std::uint64_t trial)>;

struct Errors {
  std::array<std::size_t, levels.size()> count{};

  double rate(std::size_t level) const { return static_cast<double>(count[level]) / trials; }
};

Errors errors_of(const Fitting& fitting) {
  const Surroundings surroundings;
  Errors errors;
  std::vector<std::size_t> known(known_rows);
  std::iota(known.begin(), known.end(), std::size_t{0});
  const std::size_t last[] = {known_rows};
  for (std::size_t trial = 0; trial < trials; ++trial) {
    const data::Dataset all = draw(trial);
    const auto predictor = fitting(all.select_rows(known), trial);
    const auto p = predictor->predict(all.select_rows(last), surroundings.context).p_value;
    const double true_p = p.row(0)[static_cast<std::size_t>(all.labels[known_rows])];
    for (std::size_t level = 0; level < levels.size(); ++level)
      errors.count[level] += true_p <= levels[level] ? 1U : 0U;
  }
  return errors;
}

double four_deviations(double eps) {
  return 4 * std::sqrt(eps * (1 - eps) / trials);
}

rvm::TrainOptions narrow_rvm() {
  rvm::TrainOptions options;
  options.gamma.value = 20;  // follows its training rows closely
  return options;
}

FitOptions inductive(std::uint64_t trial, bool smoothed) {
  RvmMargin margin;
  margin.kernel.gamma = narrow_rvm().gamma;
  FitOptions options;
  options.measure = margin;
  options.mode = mode::Inductive{0.5};
  options.p_values = {.smoothed = smoothed, .seed = trial};
  return options;
}

TEST(RvmConformalValidity, RegionsMissAsOftenAsPromised) {
  const Surroundings surroundings;
  for (const bool smoothed : {false, true}) {
    const Errors errors = errors_of([&](const data::Dataset& known, std::uint64_t trial) {
      return fit(known, inductive(trial, smoothed), surroundings.context);
    });
    for (std::size_t level = 0; level < levels.size(); ++level) {
      const double eps = levels[level];
      EXPECT_LE(errors.rate(level), eps + four_deviations(eps)) << "smoothed " << smoothed;
      if (!smoothed) continue;
      EXPECT_GE(errors.rate(level), eps - four_deviations(eps));
    }
  }
}

/// Compared with the very rows it was trained on, as if they had been held out: the test above would see that.
TEST(RvmConformalValidity, RowsThatWereTrainedOnWouldBreakIt) {
  const Surroundings surroundings;
  const Errors errors = errors_of([&](const data::Dataset& known, std::uint64_t) {
    rvm::TrainOptions options = narrow_rvm();
    const rvm::RvmModel model = rvm::train(known, options, surroundings.context).model;
    auto predictor = std::make_shared<ConformalPredictor>();
    static_cast<model::Predictor&>(*predictor) = model;
    predictor->machine = std::make_shared<Inductive>(std::vector<CalibratedClassifier>{calibrate(
        classifier_of(model).classifier, model.preprocessing.apply(known), known.labels, surroundings.context)});
    return predictor;
  });
  for (std::size_t level = 0; level < levels.size(); ++level)
    EXPECT_GT(errors.rate(level), levels[level] + four_deviations(levels[level]));
}

}  // namespace
}  // namespace credence::conformal
