#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "credence/data/splits.hpp"
#include "credence/selection/comparison.hpp"
#include "credence/selection/selector.hpp"
#include "selection/resample/resamples.hpp"
#include "support/expect_error.hpp"
#include "support/random_data.hpp"
#include "support/score_oracle.hpp"
#include "support/selection_fields.hpp"

/// The mean cost is the error where each error costs 1, and a sum over rows of the costs of their labels elsewhere.
namespace costs_vs_errors_tests {

using namespace credence;
using selection::Estimate;
using selection::Rule;
using selection::Score;

data::Dataset clouds(std::size_t n, int classes, std::uint64_t seed) {
  return test::random_clouds(n, 3, classes, 0.7, seed).dataset();
}

selection::Options options_of(const selection::Method& method) {
  selection::Options options;
  options.costs.C = {0.1, 1, 10};
  options.costs.give_up = 0;
  options.kernels.gamma = kernel::parse_gammas("0.05,0.5");
  options.costs.solver.tolerance = 1e-7;
  options.seed = 5;
  options.estimate_samples = 60;
  options = options.with(method);
  options.choose_one_svm();
  return options;
}

void set_scoring(selection::Options& options, Score score, const std::string& costs) {
  options.score = score;
  options.label_costs = costs;
}

selection::Selection select(const data::Dataset& dataset, const selection::Options& options) {
  test::Surroundings surroundings(2);
  return selection::Selector(options).select(dataset, surroundings.context);
}

/// Costs of 1 leave grid, choice and estimate as they are, to the last bit; but for intervals, which are no longer
/// those of counts.
void expect_errors(const data::Dataset& dataset, selection::Options options) {
  const selection::Selection by_error = select(dataset, options);
  set_scoring(options, Score::cost, "a:b=1");
  const selection::Selection by_cost = select(dataset, options);
  const std::string where = std::string(by_error.options.name()) + ", rule " + core::word(options.rule_or_best());
  ASSERT_EQ(by_cost.grid.size(), by_error.grid.size());
  EXPECT_EQ(by_cost.best, by_error.best) << where;
  for (std::size_t k = 0; k < by_cost.grid.size(); ++k) {
    EXPECT_EQ(by_cost.grid[k].error, by_error.grid[k].error) << where;
    EXPECT_EQ(by_cost.grid[k].error_se, by_error.grid[k].error_se) << where;
    ASSERT_EQ(by_cost.grid[k].split_scores.size(), by_error.grid[k].split_scores.size());
    for (std::size_t s = 0; s < by_cost.grid[k].split_scores.size(); ++s)
      EXPECT_EQ(1 - by_cost.grid[k].split_scores[s], by_error.grid[k].split_scores[s]) << where;
  }
  EXPECT_EQ(by_cost.average.has_value(), by_error.average.has_value());
  if (by_cost.average) EXPECT_EQ(by_cost.average->error, by_error.average->error);
  ASSERT_TRUE(by_cost.honest.has_value() && by_error.honest.has_value()) << where;
  EXPECT_EQ(by_cost.honest->error, by_error.honest->error) << where << ", " << by_cost.honest->method;
  EXPECT_EQ(by_cost.honest->rows, by_error.honest->rows);
  EXPECT_EQ(by_cost.honest->score, "mean cost");
  EXPECT_EQ(by_cost.score_kind(), selection::ScoreKind::cost);
  EXPECT_EQ(by_cost.calibration.nonconformity_scores, by_error.calibration.nonconformity_scores);
}

TEST(CostsOfOne, AreTheErrorToTheLastBit) {
  for (const int classes : {2, 3}) {
    const data::Dataset dataset = clouds(75, classes, 2);
    for (const Rule rule : {Rule::best, Rule::one_se, Rule::average}) {
      for (const selection::Method& method :
           {selection::Method(selection::CrossValidation{.folds = 4}), selection::Method(selection::HoldOut{}),
            selection::Method(selection::LeaveOneOut{})}) {
        selection::Options options = options_of(method);
        test::set_validation_rows(options, 30);
        options.rule = rule;
        expect_errors(dataset, options);
      }
    }
    for (const Estimate estimate : {Estimate::nested, Estimate::holdout}) {
      selection::Options options = options_of(selection::CrossValidation{.folds = 4});
      options.estimate = estimate;
      expect_errors(dataset, options);
    }
  }
}

TEST(CostsOfOne, AreTheErrorOfOtherModels) {
  const data::Dataset dataset = clouds(60, 3, 4);
  selection::Options relevance = options_of(selection::CrossValidation{.folds = 3});
  relevance.choose_from(selection::Learner::rvm);
  relevance.kernels.gamma = kernel::parse_gammas("0.1,1");
  expect_errors(dataset, relevance);
  selection::Options neighbours = options_of(selection::HoldOut{});
  neighbours.validation_rows = 20;
  neighbours.choose_from(selection::Learner::knn);
  expect_errors(dataset, neighbours);
}

/// Sample weights weigh rows alike in both; class weights make no cost.
TEST(CostsOfOne, AreTheWeightedErrorOfWeightedRows) {
  data::Dataset dataset = clouds(80, 2, 5);
  for (std::size_t i = 0; i < dataset.rows(); ++i) dataset.weights.push_back(i % 4 == 0 ? 2.5 : 1.0);
  for (const Estimate estimate : {Estimate::bbc, Estimate::nested, Estimate::holdout}) {
    selection::Options options = options_of(selection::CrossValidation{.folds = 4});
    options.estimate = estimate;
    const selection::Selection by_error = select(dataset, options);
    set_scoring(options, Score::cost, "a:b=1");
    const selection::Selection by_cost = select(dataset, options);
    ASSERT_EQ(by_error.score_kind(), selection::ScoreKind::weighted_error);
    for (std::size_t k = 0; k < by_cost.grid.size(); ++k)
      EXPECT_NEAR(by_cost.grid[k].error, by_error.grid[k].error, 1e-12);
    EXPECT_EQ(by_cost.best, by_error.best);
    if (estimate == Estimate::bbc) continue;  // which judges errors by weights of all rows, and costs by those drawn
    EXPECT_NEAR(by_cost.honest->error, by_error.honest->error, 1e-12) << by_cost.honest->method;
  }
}

TEST(MeanCost, ChoosesTheSettingWhoseLabelsCostLeast) {
  std::size_t differs = 0;
  for (const std::uint64_t seed : {6U, 7U, 8U}) {
    const data::Dataset dataset = clouds(90, 2, seed);
    const auto folds = data::stratified_k_fold(dataset.labels, 4, 5);
    for (const char* costs : {"a:b=50", "b:a=50"}) {
      selection::Options options = options_of(selection::CrossValidation{.folds = 4});
      options.preparation.scalings = {data::Scaling::none};
      const std::optional<std::size_t> by_error = select(dataset, options).best;
      set_scoring(options, Score::cost, costs);
      const selection::Selection chosen = select(dataset, options);
      double least = 1e300;
      for (const selection::Setting& setting : chosen.grid) {
        double sum = 0;
        for (const test::Foreseen& one : test::foresee(dataset, test::splits_of_folds(folds), options, setting))
          sum += one.truth == one.label ? 0 : one.truth == (costs[0] == 'a' ? 0 : 1) ? 50 : 1;
        EXPECT_NEAR(setting.error, sum / 90, 1e-12) << costs;
        least = std::min(least, sum / 90);
      }
      EXPECT_NEAR(chosen.grid[*chosen.best].error, least, 1e-12);
      EXPECT_GT(chosen.honest.value().upper.value(), 1) << "a cost is not bounded by 1";
      differs += chosen.best != by_error ? 1U : 0U;
    }
  }
  EXPECT_GT(differs, 0U);
}

/// Rows set aside judge by their costs, each with its sample weight.
TEST(MeanCost, OfRowsSetAsideIsThatOfARefit) {
  data::Dataset dataset = clouds(120, 3, 7);
  for (std::size_t i = 0; i < dataset.rows(); ++i) dataset.weights.push_back(1 + static_cast<double>(i % 3));
  selection::Options options = options_of(selection::CrossValidation{.folds = 4});
  options.estimate = Estimate::holdout;
  test::set_score(options, Score::cost, dataset);
  const selection::Selection chosen = select(dataset, options);
  const data::Dataset training = selection::rows_not_set_aside(dataset, options.resolved());
  const data::Dataset judged = selection::rows_set_aside(dataset, options.resolved());
  test::Surroundings surroundings;
  const svm::TrainOptions setting = test::train_options_of_setting(options, chosen.grid[*chosen.best]);
  const model::Prediction said =
      svm::train(training, setting, surroundings.context).model.predict(judged, surroundings.context);
  double sum = 0;
  double weight = 0;
  for (std::size_t i = 0; i < judged.rows(); ++i) {
    sum += judged.weights[i] * test::naive_cost(judged.labels[i], said.label[i]);
    weight += judged.weights[i];
  }
  EXPECT_NEAR(chosen.honest.value().error, sum / weight, 1e-12);
  EXPECT_EQ(chosen.honest->interval, "percentile");
  EXPECT_GT(chosen.honest->upper.value(), chosen.honest->error);
}

TEST(MeanCost, RefusesWhatItCannotJudge) {
  const auto code = ErrorCode::invalid_argument;
  const data::Dataset dataset = clouds(60, 2, 8);
  const auto refuse = [&](Score score, const std::string& costs, const std::string& part) {
    for (const selection::Method& method :
         {selection::Method(selection::CrossValidation{}), selection::Method(selection::HoldOut{}),
          selection::Method(selection::LeaveOneOut{})}) {
      selection::Options options = options_of(method);
      set_scoring(options, score, costs);
      test::expect_error(code, part, [&] { select(dataset, options); });
    }
  };
  refuse(Score::cost, "", "the score cost needs the costs of labels");
  refuse(Score::accuracy, "a:b=50", "cost: costs of labels make the score cost, and the score is accuracy");
  refuse(Score::f1, "a:b=50", "and the score is f1");
  refuse(Score::cost, "a:b=50,ask=5", "asks nobody; leave ask out");
  refuse(Score::cost, "a:c=50", "cost: 'a:c' is not TRUTH:DECISION of the classes a, b");
  selection::Options soft = options_of(selection::CrossValidation{});
  soft.loss = selection::Loss::soft;
  set_scoring(soft, Score::cost, "a:b=50");
  test::expect_error(code, "by the mean cost or by the soft loss, not by both", [&] { select(dataset, soft); });
  selection::Options regression;
  regression.task = data::Task::regression;
  set_scoring(regression, Score::cost, "a:b=50");
  test::expect_error(code, "the mean cost is a score of classifiers", [&] { selection::Selector{regression}; });
  selection::Options bootstrap;
  bootstrap.method = selection::Bootstrap{};
  const std::vector<core::Field> fields = selection::fields_of(bootstrap);
  test::expect_error(code, "bootstrap with svm models does not use it; cv, holdout, loo and regions do",
                     [&] { selection::field_named(bootstrap, fields, "cost"); });
}

TEST(MeanCost, IsComparedAtTheSameCosts) {
  const data::Dataset dataset = clouds(60, 2, 9);
  selection::Options one = options_of(selection::CrossValidation{.folds = 3});
  selection::Options other = options_of(selection::HoldOut{});
  set_scoring(one, Score::cost, "a:b=50");
  set_scoring(other, Score::cost, "a:b=5");
  test::Surroundings surroundings;
  const auto run = [&] {
    return selection::compare(dataset, {{"cv", one, {}}, {"holdout", other, {}}}, {3, 1}, surroundings.context);
  };
  test::expect_error(ErrorCode::invalid_argument, "the same costs, but holdout has others than cv", run);
  other = one.with(selection::HoldOut{});
  const selection::Comparison comparison = run();
  for (const selection::MethodResult& method : comparison.methods) {
    double mean = 0;
    for (const selection::OuterFold& fold : method.folds) {
      EXPECT_GE(fold.loss * static_cast<double>(fold.rows), static_cast<double>(fold.errors) - 1e-9);
      mean += fold.loss * static_cast<double>(fold.rows) / 60;
    }
    EXPECT_NEAR(method.mean_error, mean, 1e-12);
  }
}

}  // namespace costs_vs_errors_tests
