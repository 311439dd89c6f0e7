#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "credence/core/random.hpp"
#include "credence/data/splits.hpp"
#include "credence/selection/selector.hpp"
#include "support/random_data.hpp"
#include "support/score_oracle.hpp"

/// Errors that count by class and sample weights, against machines trained from scratch and sums written out.
namespace error_weights_vs_refits_tests {

using namespace credence;
using selection::Estimate;
using test::Foreseen;

data::Dataset uneven_rows(std::size_t n, std::uint64_t seed) {
  data::Dataset dataset = test::random_clouds(n, 3, 2, 0.7, seed).dataset();
  for (std::size_t i = 0; i < n; ++i) dataset.labels[i] = i % 5 == 0 ? 1 - dataset.labels[i] : dataset.labels[i];
  return dataset;
}

selection::Options weighing(const std::string& weights) {
  selection::Options options;
  options.method = selection::CrossValidation{.folds = 4};
  options.costs.C = {0.1, 1, 10};
  options.costs.class_weights = svm::parse_class_weights(weights);
  options.kernels.gamma = kernel::parse_gammas("0.05,0.5");
  options.costs.solver.tolerance = 1e-7;
  options.preparation.scalings = {data::Scaling::none};
  options.seed = 5;
  options.estimate_samples = 200;
  options.choose_one_svm();
  return options;
}

selection::Selection select(const data::Dataset& dataset, const selection::Options& options) {
  test::Surroundings surroundings(2);
  return selection::Selector(options).select(dataset, surroundings.context);
}

std::vector<double> costs_of(const data::Dataset& dataset, const std::string& weights) {
  double share[2] = {1, 1};
  if (weights == "balanced") {
    double sums[2] = {0, 0};
    for (std::size_t i = 0; i < dataset.rows(); ++i)
      sums[dataset.labels[i]] += dataset.weights.empty() ? 1 : dataset.weights[i];
    for (const int c : {0, 1}) share[c] = (sums[0] + sums[1]) / (2 * sums[c]);
  } else if (!weights.empty()) {
    share[1] = std::stod(weights.substr(weights.find(':') + 1));
  }
  std::vector<double> costs;
  for (std::size_t i = 0; i < dataset.rows(); ++i)
    costs.push_back(share[dataset.labels[i]] * (dataset.weights.empty() ? 1 : dataset.weights[i]));
  return costs;
}

TEST(WeightedErrors, AreThoseOfRefits) {
  for (const std::string kind : {"balanced", "named", "rows"}) {
    data::Dataset dataset = uneven_rows(72, 1);
    for (std::size_t i = 0; kind == "rows" && i < dataset.rows(); ++i)
      dataset.weights.push_back(1 + static_cast<double>(i % 3));
    const std::string weights = kind == "rows" ? "" : kind == "named" ? dataset.schema.classes[1] + ":4" : "balanced";
    const selection::Options options = weighing(weights);
    const auto splits = test::splits_of_folds(data::stratified_k_fold(dataset.labels, 4, options.seed));
    const std::vector<double> costs = costs_of(dataset, weights);
    const selection::Selection selection = select(dataset, options);
    EXPECT_EQ(selection.score, "CV weighted error");
    EXPECT_EQ(selection.honest.value().score, "weighted error");
    EXPECT_EQ(selection.honest->interval, "percentile");
    double least = 2;
    for (const selection::Setting& setting : selection.grid) {
      double wrong = 0;
      double all = 0;
      for (const Foreseen& one : test::foresee(dataset, splits, options, setting)) {
        wrong += one.label != one.truth ? costs[one.row] : 0;
        all += costs[one.row];
      }
      EXPECT_NEAR(setting.error, wrong / all, 1e-6) << kind;
      least = std::min(least, setting.error);
    }
    EXPECT_EQ(selection.grid[*selection.best].error, least);
  }
}

/// Left out one by one, from the solution with all rows and from scratch.
TEST(WeightedErrors, OfLeaveOneOutAreThoseOfItsErrors) {
  const data::Dataset dataset = uneven_rows(40, 2);
  const std::string weights = dataset.schema.classes[1] + ":4";
  selection::Options options = weighing(weights);
  options.method = selection::LeaveOneOut{};
  const std::vector<double> costs = costs_of(dataset, weights);
  std::vector<int> each(dataset.rows());
  for (std::size_t i = 0; i < each.size(); ++i) each[i] = static_cast<int>(i);
  const selection::Selection selection = select(dataset, options);
  EXPECT_EQ(selection.score, "leave-one-out weighted error");
  for (const selection::Setting& setting : selection.grid) {
    double wrong = 0;
    double all = 0;
    for (const Foreseen& one : test::foresee(dataset, test::splits_of_folds(each), options, setting)) {
      wrong += one.label != one.truth ? costs[one.row] : 0;
      all += costs[one.row];
    }
    EXPECT_NEAR(setting.error, wrong / all, 1e-6);
  }
}

/// As scikit-learn checks it: the second class costs nothing, so that all rows are said to be of the first.
TEST(WeightedErrors, ChooseWhatTheWeightsAskFor) {
  const data::Dataset dataset = uneven_rows(60, 3);
  for (const std::string method : {"cv", "loo", "holdout"}) {
    selection::Options options = weighing("");
    options.method = selection::method_named(method);
    options.costs.C = core::parse_list("2^-5:2^10:x8");
    options.kernels.gamma = kernel::parse_gammas("2^-7:2^5:x8");
    options.costs.class_weights.named = {{dataset.schema.classes[0], 1000}, {dataset.schema.classes[1], 1e-4}};
    test::Surroundings surroundings;
    const auto selection = selection::Selector(options).select(dataset, surroundings.context);
    const auto model = selection::fitted(dataset, selection, surroundings.context);
    const auto said = model->predict(uneven_rows(100, 4), surroundings.context);
    EXPECT_GT(std::ranges::count(said.label, 0), 87) << method;
  }
}

/// The honest estimates are of the same weighted error, and the race weighs too.
TEST(WeightedErrors, AreWhatIsEstimated) {
  const data::Dataset dataset = uneven_rows(90, 5);
  const data::Dataset fresh = uneven_rows(4000, 6);
  const std::string weights = dataset.schema.classes[1] + ":5";
  for (const Estimate estimate : {Estimate::bbc, Estimate::nested, Estimate::holdout}) {
    selection::Options options = weighing(weights);
    options.estimate = estimate;
    test::Surroundings surroundings;
    const auto selection = selection::Selector(options).select(dataset, surroundings.context);
    const auto said = selection::fitted(dataset, selection, surroundings.context)->predict(fresh, surroundings.context);
    const std::vector<double> costs = costs_of(fresh, weights);
    double wrong = 0;
    double all = 0;
    for (std::size_t i = 0; i < fresh.rows(); ++i) {
      wrong += said.label[i] != fresh.labels[i] ? costs[i] : 0;
      all += costs[i];
    }
    const selection::HonestEstimate& honest = selection.honest.value();
    EXPECT_EQ(honest.score, "weighted error");
    EXPECT_NEAR(honest.error, wrong / all, estimate == Estimate::holdout ? 0.35 : 0.12);
  }
}

/// A race drops and judges by the same weighted errors as the exact grid.
TEST(WeightedErrors, OfARaceAreThoseOfTheExactGrid) {
  const data::Dataset dataset = uneven_rows(4000, 9);
  selection::Options options = weighing(dataset.schema.classes[1] + ":5");
  options.costs.solver.tolerance = 1e-3;
  options.costs.C = {0.01, 1};
  options.race = selection::Race::no;
  options.estimate = Estimate::none;
  const selection::Selection exact = select(dataset, options);
  options.race = selection::Race::yes;
  options.estimate = Estimate::bbc;
  const selection::Selection raced = select(dataset, options);
  ASSERT_TRUE(raced.race && raced.best);
  EXPECT_EQ(raced.score, "CV weighted error");
  EXPECT_EQ(raced.best, exact.best);
  for (std::size_t k = 0; k < exact.grid.size(); ++k)
    if (raced.grid[k].complete) EXPECT_NEAR(raced.grid[k].error, exact.grid[k].error, 1e-3);
  EXPECT_EQ(raced.honest.value().score, "weighted error");
  EXPECT_NEAR(raced.honest->error, exact.grid[*exact.best].error, 0.03);
}

TEST(WeightedErrors, AreSaidWhereTheyAreNotWeighed) {
  const data::Dataset dataset = uneven_rows(60, 7);
  selection::Options options = weighing("balanced");
  options.method = selection::Bootstrap{.resamples = 5};
  const selection::Selection selection = select(dataset, options);
  EXPECT_FALSE(selection.weighted);
  EXPECT_EQ(selection.honest.value().score, "error");
  EXPECT_TRUE(std::ranges::any_of(selection.warnings, [](const std::string& warning) {
    return warning.find("class weights count in training alone") != std::string::npos;
  }));
}

/// A score that was asked for by name is what its formula says; sample weights count in it.
TEST(WeightedErrors, LeaveOtherScoresAsTheyAre) {
  data::Dataset dataset = uneven_rows(60, 8);
  for (std::size_t i = 0; i < dataset.rows(); ++i) dataset.weights.push_back(i % 4 == 0 ? 2.0 : 1.0);
  selection::Options options = weighing("balanced");
  options.score = selection::Score::balanced_accuracy;
  const auto splits = test::splits_of_folds(data::stratified_k_fold(dataset.labels, 4, options.seed));
  const selection::Selection selection = select(dataset, options);
  EXPECT_EQ(selection.score, "CV 1 - balanced accuracy");
  for (const selection::Setting& setting : selection.grid) {
    double hits[2] = {0, 0};
    double rows[2] = {0, 0};
    for (const Foreseen& one : test::foresee(dataset, splits, options, setting)) {
      rows[one.truth] += dataset.weights[one.row];
      hits[one.truth] += one.truth == one.label ? dataset.weights[one.row] : 0;
    }
    EXPECT_NEAR(setting.error, 1 - (hits[0] / rows[0] + hits[1] / rows[1]) / 2, 1e-9);
  }
}

}  // namespace error_weights_vs_refits_tests
