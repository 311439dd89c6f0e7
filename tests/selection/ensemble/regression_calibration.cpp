#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <string>
#include <vector>

#include "credence/bounds/binomial.hpp"
#include "credence/conformal/confidence.hpp"
#include "credence/conformal/cross_regression.hpp"
#include "credence/data/splits.hpp"
#include "selection/methods/rvm_selection.hpp"
#include "support/selection_fields.hpp"
#include "support/selection_oracle.hpp"

/// Residuals that regressions keep of rows left out: against refits, and by the coverage of their intervals.
namespace regression_calibration_tests {

using namespace credence;
using test::noisy_surface;
using test::run_selection;
using test::Surroundings;

selection::Options regression_options(const std::string& method, const char* gamma = "0.5,5,500") {
  selection::Options options = test::rvm_options(method, gamma);
  options.task = data::Task::regression;
  test::set_folds(options, 4);
  return options;
}

/// All machines share the scaling of the model, which is fitted to all rows.
std::vector<double> residuals_by_refits(const data::Dataset& raw, const selection::Options& asked, double gamma) {
  Surroundings surroundings;
  data::Dataset dataset = raw;
  dataset.features = data::Preprocessing::fit(raw, asked.resolved().preparation.scaling()).apply(raw);
  selection::Options options = asked;
  options.preparation.scalings = {data::Scaling::none};
  const std::vector<int> folds = data::k_fold(dataset.rows(), test::folds_of(options), options.seed);
  std::vector<double> residuals(dataset.rows());
  for (int fold = 0; fold < test::folds_of(options); ++fold) {
    const std::vector<std::size_t> held_out = test::fold_rows(folds, fold, true);
    const auto model = rvm::train(dataset.select_rows(test::fold_rows(folds, fold, false)),
                                  test::rvm_train_options(options, gamma), surroundings.context)
                           .model;
    const model::Prediction said = model.predict(dataset.select_rows(held_out), surroundings.context);
    for (std::size_t h = 0; h < held_out.size(); ++h)
      residuals[held_out[h]] = std::abs(dataset.targets[held_out[h]] - said.mean[h]);
  }
  return residuals;
}

TEST(RegressionCalibration, IsTheResidualsOfRefitsAtTheChosenWidth) {
  const data::Dataset dataset = noisy_surface(60, 0.1, 1);
  Surroundings surroundings;
  for (const char* method : {"cv", "kernel-validity", "evidence"}) {
    const selection::Options options = regression_options(method);
    const selection::Selection found = run_selection(dataset, options);
    const model::Calibration& kept = found.calibration;
    EXPECT_EQ(kept.source, "out-of-fold");
    EXPECT_FALSE(kept.exact());
    EXPECT_TRUE(kept.labels.empty());
    const std::vector<double> expected = residuals_by_refits(dataset, options, found.grid[*found.best].gamma);
    ASSERT_EQ(kept.nonconformity_scores.size(), expected.size()) << method;
    for (std::size_t i = 0; i < expected.size(); ++i)
      EXPECT_NEAR(kept.nonconformity_scores[i], expected[i], 1e-8) << method;
    const auto model = selection::fitted(dataset, found, surroundings.context);
    EXPECT_EQ(model->calibration.nonconformity_scores, kept.nonconformity_scores) << "the model carries them";
    EXPECT_EQ(run_selection(dataset, options, 3).calibration.nonconformity_scores, kept.nonconformity_scores)
        << "threads";
  }
}

TEST(RegressionCalibration, OfASingleFitIsMadeOnlyWhenAsked) {
  const data::Dataset dataset = noisy_surface(40, 0.1, 1);
  selection::Options options = regression_options("evidence", "5");
  options.as<selection::Evidence>().folds.reset();
  const selection::Selection found = run_selection(dataset, options);
  EXPECT_TRUE(found.calibration.empty());
  EXPECT_EQ(found.resamples, 0);
}

/// The classifiers of these methods get their margins in the same way as those of cv.
TEST(RegressionCalibration, ClassifiersOfASingleFitGetMarginsOfFoldsToo) {
  const data::Dataset dataset = test::uneven_rows(60, 2, 4);
  selection::Options options = test::rvm_options("kernel-validity", "5");
  test::set_folds(options, 4);
  const selection::Selection found = run_selection(dataset, options);
  const selection::Selection crossed = run_selection(dataset, test::rvm_options("cv", "5"));
  ASSERT_FALSE(found.calibration.empty());
  test::Surroundings surroundings;
  EXPECT_EQ(found.calibration.nonconformity_scores,
            selection::fitted(dataset, crossed, surroundings.context)->calibration.nonconformity_scores);
  EXPECT_EQ(found.calibration.labels, crossed.calibration.labels);
}

/// Draws of a set of rows with a mean and a standard deviation, uniform features.
struct Simulation {
  std::size_t rows;
  std::size_t features;
  std::function<double(std::span<const double>)> mean;
  std::function<double(std::span<const double>)> sd;

  data::Dataset draw(std::size_t count, core::RandomStream& random) const {
    data::DenseMatrix x(count, features);
    std::vector<double> targets;
    for (std::size_t i = 0; i < count; ++i) {
      for (double& value : x.row(i)) value = random.uniform();
      targets.push_back(mean(x.row(i)) + sd(x.row(i)) * random.normal());
    }
    return data::make_regression_dataset(data::Features(x), targets);
  }
};

double friedman(std::span<const double> x) {
  return 10 * std::sin(std::numbers::pi * x[0] * x[1]) + 20 * (x[2] - 0.5) * (x[2] - 0.5) + 10 * x[3] + 5 * x[4];
}

struct Coverage {
  std::size_t rows = 0;
  std::size_t kept = 0;      ///< by the intervals of the residuals that the model carries
  std::size_t training = 0;  ///< by intervals of the residuals on the training rows
  std::size_t gaussian = 0;  ///< by mean +- 1.96 sd
};

std::size_t covered(const std::vector<double>& p) {
  return static_cast<std::size_t>(std::count_if(p.begin(), p.end(), [](double value) { return value > 0.05; }));
}

Coverage coverage_of(const Simulation& simulation, const selection::Options& options, std::uint64_t draws) {
  Surroundings surroundings;
  Coverage sum;
  for (std::uint64_t d = 0; d < draws; ++d) {
    core::RandomStream random(2026, d);
    const data::Dataset training = simulation.draw(simulation.rows, random);
    const data::Dataset fresh = simulation.draw(200, random);
    const selection::Selection found = run_selection(training, options);
    const auto model = selection::fitted(training, found, surroundings.context);
    const model::Prediction said = conformal::predict_with_confidence(*model, fresh, {}, surroundings.context);
    const model::Prediction seen = model->predict(training, surroundings.context);
    sum.rows += fresh.rows();
    sum.kept += covered(conformal::regression_of(*model).p_values(said, fresh.targets));
    sum.training +=
        covered(conformal::InductiveRegression(training.targets, seen.mean).p_values(fresh.targets, said.mean));
    for (std::size_t i = 0; i < fresh.rows(); ++i)
      sum.gaussian += std::abs(fresh.targets[i] - said.mean[i]) <= 1.96 * said.sd[i] ? 1U : 0U;
  }
  return sum;
}

/// Coverage depends on the training rows, of which the draws are few: the limits allow for 4 standard errors of a mean
/// over draws, of which one has a standard deviation of at most 0.05.
void expect_near_nominal(const Coverage& found, std::uint64_t draws) {
  const double share = static_cast<double>(found.kept) / static_cast<double>(found.rows);
  EXPECT_NEAR(share, 0.95, 4 * 0.05 / std::sqrt(static_cast<double>(draws)));
}

constexpr const char* usual_gammas = "0.005,0.02,0.06,0.5,5.5";

TEST(RegressionCalibration, CoversNearNominalOnEasyAndOnHardRows) {
  const auto level = [](double sd) { return [sd](std::span<const double>) { return sd; }; };
  const Simulation easy{80, 2, [](auto x) { return std::sin(4 * x[0]) + 0.5 * x[1]; }, level(0.2)};
  const Simulation uneven{80, 2, [](auto x) { return std::sin(4 * x[0]); }, [](auto x) { return 0.05 + 0.5 * x[0]; }};
  const Simulation wide{60, 40, friedman, level(1)};
  for (const Simulation& simulation : {easy, uneven, wide}) {
    for (const char* method : {"cv", "kernel-validity"}) {
      SCOPED_TRACE(std::string(method) + " " + std::to_string(simulation.features));
      expect_near_nominal(coverage_of(simulation, regression_options(method, usual_gammas), 25), 25);
    }
  }
}

/// Thirteen features and little noise: the evidence takes a narrow kernel with a hundred effective ones, whose training
/// residuals, and standard deviations, are far too small.
TEST(RegressionCalibration, TrainingResidualsWouldNotCover) {
  const Simulation narrow{120, 13, friedman, [](auto) { return 0.3; }};
  const std::uint64_t draws = 10;
  const Coverage found = coverage_of(narrow, regression_options("evidence", "0.5,5.5"), draws);
  expect_near_nominal(found, draws);
  const auto share = [&](std::size_t count) { return static_cast<double>(count) / static_cast<double>(found.rows); };
  EXPECT_LT(share(found.training), 0.8);
  EXPECT_LT(share(found.gaussian), 0.85);
}

}  // namespace regression_calibration_tests
