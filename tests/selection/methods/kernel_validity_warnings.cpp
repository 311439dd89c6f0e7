#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "rvm_selection.hpp"

/// What kernel-validity, evidence and cv say of a choice that rests on little.
namespace kernel_validity_warnings_tests {

using namespace credence;
using test::noisy_surface;
using test::run_selection;

bool warns(const selection::Selection& found, const std::string& part) {
  return std::ranges::any_of(found.warnings,
                             [&](const std::string& text) { return text.find(part) != std::string::npos; });
}

selection::Options regression_options(const std::string& method, const char* gamma) {
  selection::Options options = test::rvm_options(method, gamma);
  options.task = data::Task::regression;
  return options;
}

/// 40 points on a line, and targets that their neighbours tell little of: a narrow kernel for each repeats them.
data::Dataset jumps() {
  data::DenseMatrix x(40, 1);
  std::vector<double> targets;
  core::RandomStream random(3, 9);
  for (std::size_t i = 0; i < 40; ++i) {
    x.row(i)[0] = static_cast<double>(i) / 39;
    targets.push_back(0.3 * std::sin(6 * x.row(i)[0]) + random.normal());
  }
  return data::make_regression_dataset(data::Features(x), targets);
}

TEST(KernelValidityWarnings, MachinesThatRepeatTheirTargetsDoNotWin) {
  for (const char* method : {"kernel-validity", "evidence"}) {
    const data::Dataset dataset = jumps();
    const selection::Selection both = run_selection(dataset, regression_options(method, "5,1e6"));
    EXPECT_FALSE(both.grid[0].evidence->memorised);
    EXPECT_TRUE(both.grid[1].evidence->memorised);
    EXPECT_EQ(both.best, 0U) << method;
    EXPECT_FALSE(both.memorised);
    EXPECT_FALSE(warns(both, "repeats its training targets"));
    const selection::Selection one = run_selection(dataset, regression_options(method, "1e6"));
    EXPECT_EQ(one.best, 0U);
    EXPECT_TRUE(one.memorised);
    EXPECT_TRUE(warns(one, "repeats its training targets"));
  }
}

TEST(KernelValidityWarnings, CrossValidationSaysThatItsMachineRepeatsItsTargets) {
  const selection::Selection found = run_selection(jumps(), regression_options("cv", "1e6"));
  EXPECT_TRUE(found.memorised);
  EXPECT_TRUE(warns(found, "repeats its training targets"));
  ASSERT_NE(found.predictor, nullptr);
  const selection::Selection other = run_selection(noisy_surface(40, 0.2, 3), regression_options("cv", "1"));
  EXPECT_FALSE(other.memorised);
  EXPECT_FALSE(warns(other, "repeats its training targets"));
}

/// A narrow kernel of many effective ones, and a wide one: where the warning stands, standard deviations do not hold.
TEST(KernelValidityWarnings, OfManyEffectiveKernels) {
  const data::Dataset fresh = noisy_surface(400, 0.2, 8);
  for (const char* method : {"cv", "kernel-validity", "evidence"}) {
    for (const char* gamma : {"40", "1"}) {
      const data::Dataset dataset = noisy_surface(60, 0.2, 3);
      const selection::Options options = regression_options(method, gamma);
      const selection::Selection found = run_selection(dataset, options);
      ASSERT_TRUE(found.effective && !found.memorised) << method;
      test::Surroundings surroundings;
      const model::Prediction said =
          selection::fitted(dataset, found, surroundings.context)->predict(fresh, surroundings.context);
      double covered = 0;
      for (std::size_t i = 0; i < fresh.rows(); ++i)
        covered += std::abs(fresh.targets[i] - said.mean[i]) <= 1.96 * said.sd[i] ? 1 : 0;
      const bool many = std::string(gamma) == "40";
      EXPECT_EQ(*found.effective >= 0.15 * 60, many) << *found.effective;
      EXPECT_EQ(warns(found, "effective kernels for 60 rows"), many) << method;
      EXPECT_EQ(warns(found, "intervals from the residuals of rows left out"), many) << method;
      EXPECT_EQ(covered / 400 < 0.9, many) << covered / 400;
    }
  }
}

/// By its definition; without a guard the widest kernels win.
TEST(KernelValidityWarnings, OfAKernelThatExplainsLittle) {
  std::size_t warned = 0;
  for (const char* gammas : {"0.0005,20", "5,20", "0.05,20", "0.5,20", "0.0005"}) {
    selection::Options options = test::rvm_options("kernel-validity", gammas);
    options.as<selection::KernelValidity>().guard = false;
    const data::Dataset dataset = test::uneven_rows(60, 2, 11);
    const selection::Selection found = run_selection(dataset, options);
    double best = -1e300;
    for (const selection::Setting& setting : found.grid) best = std::max(best, setting.evidence->log_evidence);
    const double null = found.evidence()->null_evidence;
    const double own = found.grid[*found.best].evidence->log_evidence;
    const bool little = best > null && own - null < 0.1 * (best - null);
    EXPECT_EQ(warns(found, "explains little"), little) << gammas;
    warned += little ? 1U : 0U;
  }
  EXPECT_GT(warned, 0U);
}

/// Features so small that all derivatives round to 0: without a cap the index is infinite.
TEST(KernelValidityWarnings, NoKernelIsChosenByIndicesThatAreNoNumbers) {
  selection::Options options = test::rvm_options("kernel-validity", "1e-37,1e-36");
  options.kernels.types = {kernel::KernelType::polynomial};
  options.kernels.coef0 = 1;
  options.kernels.degree = 2;
  options.preparation.scalings = {data::Scaling::none};
  options.as<selection::KernelValidity>().index.cap = false;
  options.as<selection::KernelValidity>().guard = false;
  data::Dataset dataset = test::uneven_rows(40, 2, 4);
  for (double& value : dataset.features.dense().values) value *= 1e-300;
  for (std::size_t i = 0; i < 20; ++i) dataset.labels[i] = 1;
  const selection::Selection none = run_selection(dataset, options);
  for (const selection::Setting& setting : none.grid) {
    EXPECT_TRUE(setting.complete);
    EXPECT_EQ(setting.error, -std::numeric_limits<double>::infinity());
  }
  EXPECT_FALSE(none.best);
  EXPECT_EQ(none.predictor, nullptr);
  EXPECT_TRUE(warns(none, "finite number"));
  options.kernels.gamma = kernel::parse_gammas("1e-37,1e10");
  const selection::Selection one = run_selection(dataset, options);
  EXPECT_EQ(one.best, 1U);
  EXPECT_FALSE(warns(one, "finite number"));
}

}  // namespace kernel_validity_warnings_tests
