#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "credence/bounds/mean.hpp"
#include "credence/kernel/gram.hpp"
#include "credence/svm/ivanov.hpp"
#include "credence/svm/loss.hpp"
#include "support/in_sample_runs.hpp"
#include "support/selection_fields.hpp"

namespace in_sample_vs_naive_tests {

using namespace credence;
using test::in_sample_options;
using test::run_selection;

struct PaperRow {
  double rho;
  double rademacher;
  double discrepancy;
  double loss;
};

void expect_exact_numbers(bool bias, double tolerance, const std::vector<PaperRow>& rows) {
  std::vector<double> rhos;
  for (const PaperRow& row : rows) rhos.push_back(row.rho);
  for (const std::string method : {"rademacher", "maximal-discrepancy"}) {
    selection::Options options = in_sample_options(method, rhos);
    options.in_sample.all_rhos = true;
    options.in_sample.ivanov.bias = bias;
    const selection::Selection found = run_selection(test::six_rows(), options);
    const selection::InSample& bound = *found.in_sample();
    EXPECT_TRUE(bound.enumerated);
    EXPECT_TRUE(bound.exact);
    EXPECT_EQ(bound.trials, method == "rademacher" ? 32U : 20U);
    for (std::size_t j = 0; j < rows.size(); ++j) {
      const selection::InSampleSetting& setting = bound.settings[j];
      const std::string where = method + ", rho " + std::to_string(rows[j].rho);
      EXPECT_NEAR(setting.complexity, method == "rademacher" ? rows[j].rademacher : rows[j].discrepancy, tolerance)
          << where;
      EXPECT_EQ(setting.complexity_upper, setting.complexity) << where;
      EXPECT_EQ(setting.complexity_error, 0) << where;
      if (rows[j].loss > 0) EXPECT_NEAR(setting.training_loss, rows[j].loss, tolerance) << where;
    }
  }
}

TEST(InSample, SixPointsHaveTheEnumeratedNumbers) {
  expect_exact_numbers(true, 2e-8,
                       {{1e-6, 0.31290455, 0.40030819, 0.49973648},
                        {0.1, 0.44043028, 0.49745925, 0.41666667},
                        {1, 0.68239214, 0.69766127, 0.25},
                        {10, 0.80360037, 0.81666667, 0.16666667}});
}

TEST(InSample, SixPointsHaveTheEnumeratedNumbersWithoutBias) {
  expect_exact_numbers(false, 1e-6,
                       {{1e-6, 0.00082078, 0.00087205, 0},
                        {0.1, 0.25618077, 0.27024747, 0},
                        {1, 0.50093572, 0.52508406, 0.27953651},
                        {10, 0.58590748, 0.60411863, 0}});
}

/// All vectors of n signs, or without a hint those that end with 1; or the true labels with floor(n / 2) of them
/// changed in all ways.
std::vector<std::vector<int>> all_vectors(const std::string& method, const std::vector<int>& labels, bool hinted) {
  const std::size_t n = labels.size();
  std::vector<std::vector<int>> vectors;
  for (std::size_t number = 0; number < std::size_t{1} << n; ++number) {
    std::vector<int> signs;
    std::size_t negative = 0;
    for (std::size_t i = 0; i < n; ++i) {
      signs.push_back((number >> i & 1U) != 0 ? -1 : 1);
      negative += signs.back() < 0 ? 1U : 0U;
    }
    if (method == "maximal-discrepancy") {
      if (negative != n / 2) continue;
      for (std::size_t i = 0; i < n; ++i) signs[i] *= labels[i];
    } else if (!hinted && signs.back() < 0) {
      continue;
    }
    vectors.push_back(signs);
  }
  return vectors;
}

/// The least loss at the last of ascending norms.
double least_loss(const kernel::Gram& gram, const std::vector<int>& labels, const std::vector<double>& hint,
                  std::span<const double> rhos, bool exact, const svm::IvanovOptions& options) {
  const auto rows = kernel::rows_of(gram);
  const core::Monitor monitor;
  if (exact) return svm::ivanov_soft_exact(*rows, labels, hint, rhos.back(), options, monitor).loss;
  svm::SoftIvanov solver(*rows, labels, hint, options, monitor);
  for (const double rho : rhos) solver.grow_to(rho);
  return solver.solution().loss;
}

/// Kernel values of a linear kernel are those of features less their mean, as the bias takes up the rest.
data::Features features_of(const data::Dataset& dataset, const selection::Options& options) {
  data::DenseMatrix values = dataset.features.dense();
  for (std::size_t j = 0; options.kernels.shape().type == kernel::KernelType::linear && j < values.columns; ++j) {
    double mean = 0;
    for (std::size_t i = 0; i < values.rows; ++i) mean += values.row(i)[j] / static_cast<double>(values.rows);
    for (std::size_t i = 0; i < values.rows; ++i) values.row(i)[j] -= mean;
  }
  return data::Features(std::move(values));
}

/// Rhos and trials one after another, every label vector there is.
void expect_naive_numbers(const data::Dataset& dataset, const selection::Options& options, bool exact) {
  const selection::Selection found = run_selection(dataset, options);
  const selection::InSample& bound = *found.in_sample();
  ASSERT_TRUE(bound.enumerated);
  EXPECT_EQ(bound.exact, exact);
  const std::vector<int> labels = test::signs_of(dataset);
  const auto vectors = all_vectors(std::string(found.options.name()), labels, !dataset.hint.empty());
  const kernel::Base base(options.kernels.shape().type, features_of(dataset, options));
  std::size_t k = 0;
  for (const double gamma : bound.gammas) {
    kernel::Kernel kernel = options.kernels.shape().with();
    if (kernel.uses_gamma()) kernel.gamma = gamma;
    const kernel::Gram gram(kernel, base);
    for (std::size_t j = 0; j < options.costs.rho.size(); ++j, ++k) {
      const std::span<const double> rhos(options.costs.rho.data(), j + 1);
      const auto loss = [&](const std::vector<int>& t) {
        return least_loss(gram, t, dataset.hint, rhos, exact, options.in_sample.ivanov);
      };
      double complexity = 0;
      for (const auto& t : vectors) complexity += (1 - 2 * loss(t)) / static_cast<double>(vectors.size());
      const std::string where = std::string(found.options.name()) + ", setting " + std::to_string(k);
      ASSERT_TRUE(bound.settings[k].complete) << where;
      EXPECT_NEAR(bound.settings[k].complexity, complexity, 1e-12) << where;
      EXPECT_NEAR(bound.settings[k].training_loss, loss(labels), 1e-14) << where;
      EXPECT_EQ(found.grid[k].rho, options.costs.rho[j]);
      EXPECT_EQ(found.grid[k].gamma, gamma);
      EXPECT_EQ(found.grid[k].error, bound.settings[k].bound);
    }
  }
}

TEST(InSample, EqualsNaiveLoops) {
  for (const std::string method : {"rademacher", "maximal-discrepancy"}) {
    for (const bool exact : {false, true}) {
      selection::Options options = in_sample_options(method, {0.01, 0.3, 4});
      options.in_sample.all_rhos = true;
      options.in_sample.exact = exact;
      options.in_sample.trials = 256;
      const std::size_t n = exact ? 6 : 8;
      expect_naive_numbers(test::random_clouds(n, 2, 2, 0.5, 3).dataset(), options, exact);
      options.kernels.types = {kernel::KernelType::rbf};
      data::Dataset hinted = test::random_clouds(n - 1, 2, 2, 0.5, 5).dataset();  // an odd number of rows
      for (std::size_t i = 0; i < hinted.rows(); ++i) hinted.hint.push_back(2 * std::sin(static_cast<double>(i)));
      expect_naive_numbers(hinted, options, exact);
    }
  }
}

TEST(InSample, ExactMinimaLieBetweenBothSides) {
  for (const std::string method : {"rademacher", "maximal-discrepancy"}) {
    selection::Options options = in_sample_options(method, {1e-4, 0.02, 0.5});
    options.in_sample.all_rhos = true;
    options.in_sample.trials = 40;
    data::Dataset dataset = test::random_clouds(11, 3, 2, 0.3, 8).dataset();
    for (std::size_t i = 0; i < dataset.rows(); ++i) dataset.hint.push_back(3 * std::cos(static_cast<double>(i)));
    options.in_sample.exact = false;
    const selection::Selection approximate = run_selection(dataset, options);
    options.in_sample.exact = true;
    const selection::Selection exact = run_selection(dataset, options);
    for (std::size_t k = 0; k < 3; ++k) {
      const selection::InSampleSetting& both = approximate.in_sample()->settings[k];
      for (std::size_t t = 0; t < 40; ++t) {
        EXPECT_LE(both.trials[t], exact.in_sample()->settings[k].trials[t] + 2e-3);  // the tolerance on the norm
        EXPECT_GE(both.trials_upper[t], exact.in_sample()->settings[k].trials[t] - 1e-6);
      }
    }
  }
}

TEST(InSample, BoundIsTheSumOfItsParts) {
  selection::Options options = in_sample_options("rademacher", {0.001, 0.1, 10});
  options.in_sample.trials = 37;
  options.delta = 0.1;
  const data::Dataset dataset = test::random_clouds(30, 3, 2, 1, 4).dataset();
  for (const bool united : {false, true}) {
    for (const auto term : {selection::ComplexityTerm::exact, selection::ComplexityTerm::trials}) {
      options.in_sample.united = united;
      options.in_sample.term = term;
      const selection::Selection found = run_selection(dataset, options);
      const selection::InSample& bound = *found.in_sample();
      const double delta = united ? 0.1 / 3 : 0.1;
      EXPECT_EQ(bound.delta, 0.1);
      EXPECT_DOUBLE_EQ(bound.delta_each, delta);
      EXPECT_EQ(bound.trials, 37U);
      EXPECT_FALSE(bound.enumerated);
      const double deviation = term == selection::ComplexityTerm::exact
                                   ? bounds::complexity_deviation(30, delta)
                                   : bounds::complexity_deviation_of_trials(30, 37, delta);
      const selection::InSampleSetting& setting = bound.settings[bound.chosen.at(0)];
      double mean = 0;
      double squares = 0;
      for (const double value : setting.trials) mean += value / 37;
      for (const double value : setting.trials) squares += (value - mean) * (value - mean);
      EXPECT_NEAR(setting.complexity, mean, 1e-14);
      EXPECT_NEAR(setting.complexity_error, std::sqrt(squares / 36 / 37), 1e-14);
      EXPECT_DOUBLE_EQ(setting.deviation, deviation);
      EXPECT_DOUBLE_EQ(setting.bound, setting.training_loss + setting.complexity + deviation);
      EXPECT_DOUBLE_EQ(setting.bound_upper, setting.training_loss + setting.complexity_upper + deviation);
      EXPECT_EQ(bound.bound, setting.bound);
      EXPECT_EQ(bound.bound_upper, setting.bound_upper);
      EXPECT_EQ(bound.error_bound, 2 * setting.bound);
      EXPECT_EQ(bound.error_bound_upper, 2 * setting.bound_upper);
      EXPECT_EQ(found.grid[*found.best].error, setting.bound);
      EXPECT_TRUE(bound.fixed_in_advance);
    }
  }
}

TEST(InSample, DefaultTrials) {
  EXPECT_EQ(selection::default_trials(1), 4000U);
  EXPECT_EQ(selection::default_trials(3), 1334U);
  EXPECT_EQ(selection::default_trials(40), 100U);
  EXPECT_EQ(selection::default_trials(133), 31U);
  EXPECT_EQ(selection::default_trials(134), 30U);
  EXPECT_EQ(selection::default_trials(100000), 30U);
}

}  // namespace in_sample_vs_naive_tests
