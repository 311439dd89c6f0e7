#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "credence/bounds/mean.hpp"
#include "credence/core/random.hpp"
#include "credence/svm/loss.hpp"
#include "credence/svm/model.hpp"
#include "support/in_sample_runs.hpp"
#include "support/selection_fields.hpp"

namespace in_sample_classes_tests {

using namespace credence;
using test::in_sample_options;
using test::run_selection;

/// The sum of the machines' soft losses on one row.
double summed_soft_loss(std::span<const double> decisions, std::span<const svm::BinaryMachine> machines, int label) {
  double sum = 0;
  for (std::size_t m = 0; m < machines.size(); ++m)
    sum += svm::soft_loss(machines[m].positive == label ? decisions[m] : -decisions[m]);
  return sum;
}

TEST(InSampleClasses, WrongLabelCostsAtLeastOne) {
  core::RandomStream random(1, 1);
  for (const std::size_t classes : {2U, 3U, 5U}) {
    const auto machines = svm::one_against_rest(classes);
    std::vector<double> decisions(machines.size());
    std::size_t wrong = 0;
    double least = std::numeric_limits<double>::infinity();
    for (int trial = 0; trial < 20000; ++trial) {
      const double scale = 0.1 + 3 * random.uniform();
      for (double& value : decisions) value = scale * random.normal();
      const int label = static_cast<int>(random.below(classes));
      if (svm::vote(decisions, machines, classes) == label) continue;
      ++wrong;
      // A single machine stands for two opposite ones.
      least = std::min(least, summed_soft_loss(decisions, machines, label) * (classes == 2 ? 2 : 1));
    }
    EXPECT_GT(wrong, 5000U);
    EXPECT_GE(least, 1 - 1e-12) << classes;
    EXPECT_LT(least, 1.05) << classes;  // the inequality is sharp
  }
}

data::Dataset three_classes(std::uint64_t seed = 7) {
  return test::random_clouds(48, 3, 3, 1.2, seed).dataset();
}

/// The data set with class c against the rest.
data::Dataset against_rest(const data::Dataset& dataset, int c) {
  data::Dataset binary = dataset;
  binary.schema.classes = {"rest", "one"};
  for (int& label : binary.labels) label = label == c ? 1 : 0;
  return binary;
}

TEST(InSampleClasses, MachinesEqualSingleProblems) {
  for (const std::string method : {"rademacher", "maximal-discrepancy"}) {
    selection::Options options = in_sample_options(method, {1e-3, 0.05, 1});
    options.kernels.types = {kernel::KernelType::rbf};
    options.in_sample.trials = 15;
    options.in_sample.all_rhos = true;
    options.delta = 0.06;
    const data::Dataset dataset = three_classes();
    const selection::Selection found = run_selection(dataset, options);
    const selection::InSample& bound = *found.in_sample();
    EXPECT_EQ(bound.classes, (std::vector<int>{0, 1, 2}));
    EXPECT_DOUBLE_EQ(bound.delta_each, 0.02);
    options.delta = 0.02;
    for (int c = 0; c < 3; ++c) {
      const selection::Selection single = run_selection(against_rest(dataset, c), options);
      const auto mine = std::span(bound.settings).subspan(static_cast<std::size_t>(c) * 9, 9);
      test::expect_same_settings(mine, single.in_sample()->settings, method);
      for (std::size_t k = 0; k < 9; ++k) EXPECT_DOUBLE_EQ(mine[k].bound, single.in_sample()->settings[k].bound);
    }
  }
}

TEST(InSampleClasses, GammaIsSharedAndRhoIsEachMachinesOwn) {
  selection::Options options = in_sample_options("maximal-discrepancy", {1e-3, 0.02, 0.3, 5});
  options.kernels.types = {kernel::KernelType::rbf};
  options.in_sample.trials = 20;
  options.in_sample.all_rhos = true;
  const data::Dataset dataset = three_classes(8);
  const selection::Selection found = run_selection(dataset, options);
  const selection::InSample& bound = *found.in_sample();
  double best = std::numeric_limits<double>::infinity();
  std::vector<std::size_t> chosen;
  for (std::size_t gamma = 0; gamma < 3; ++gamma) {
    double sum = 0;
    std::vector<std::size_t> settings;
    for (std::size_t m = 0; m < 3; ++m) {
      std::size_t setting = (m * 3 + gamma) * 4;
      for (std::size_t k = setting + 1; k < (m * 3 + gamma) * 4 + 4; ++k)
        setting = bound.settings[k].bound < bound.settings[setting].bound ? k : setting;
      sum += bound.settings[setting].bound;
      settings.push_back(setting);
    }
    if (sum < best) {
      best = sum;
      chosen = settings;
    }
  }
  EXPECT_EQ(bound.chosen, chosen);
  EXPECT_DOUBLE_EQ(bound.bound, best);
  EXPECT_DOUBLE_EQ(bound.error_bound, best);
  EXPECT_EQ(*found.best / 4, chosen[0] % 12 / 4);  // the setting that stands for it has the chosen gamma
  for (std::size_t k = 0; k < 12; ++k)
    EXPECT_DOUBLE_EQ(found.grid[k].error,
                     bound.settings[k].bound + bound.settings[k + 12].bound + bound.settings[k + 24].bound);
}

TEST(InSampleClasses, PredictionIsTheLargestDecision) {
  for (const bool hinted : {false, true}) {
    selection::Options options = in_sample_options("rademacher", {1e-3, 0.05, 1});
    options.in_sample.trials = 15;
    if (hinted) options.in_sample.hint = 0.3;
    const data::Dataset dataset = test::random_clouds(60, 3, 3, 4, 9).dataset();
    const selection::Selection found = run_selection(dataset, options);
    const auto& model = dynamic_cast<const svm::SvmModel&>(*found.predictor);
    ASSERT_EQ(model.machines.size(), 3U);
    EXPECT_EQ(model.hint != nullptr, hinted);
    test::Surroundings surroundings;
    const model::Prediction prediction = model.predict(dataset, surroundings.context);
    std::size_t errors = 0;
    for (std::size_t i = 0; i < dataset.rows(); ++i) {
      const auto decisions = prediction.decision.row(i);
      const auto largest = std::max_element(decisions.begin(), decisions.end()) - decisions.begin();
      EXPECT_EQ(prediction.label[i], largest);
      EXPECT_TRUE(std::equal(decisions.begin(), decisions.end(), prediction.score.row(i).begin()));
      errors += prediction.label[i] != dataset.labels[i] ? 1U : 0U;
    }
    EXPECT_LT(errors, 12U);
    EXPECT_EQ(model.record.method, "rademacher");
    EXPECT_EQ(model.record.rows, 60U);
    EXPECT_EQ(model.record.selected_error, found.in_sample()->bound);
    EXPECT_TRUE(model.calibration.empty());
  }
}

TEST(InSampleClasses, AClassThatIsRareOrMissingIsBoundedToo) {
  data::Dataset dataset = three_classes();
  for (int& label : dataset.labels) label = label == 2 ? 1 : label;  // class c has no row
  selection::Options options = in_sample_options("maximal-discrepancy", {1e-3, 0.5});
  options.in_sample.trials = 10;
  const selection::Selection found = run_selection(dataset, options);
  EXPECT_EQ(found.in_sample()->settings[found.in_sample()->chosen[2]].training_loss, 0);
  test::Surroundings surroundings;
  for (const int label : found.predictor->predict(dataset, surroundings.context).label) EXPECT_NE(label, 2);
}

}  // namespace in_sample_classes_tests
