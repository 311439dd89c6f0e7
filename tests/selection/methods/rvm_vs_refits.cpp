#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "credence/core/random.hpp"
#include "credence/data/splits.hpp"
#include "credence/selection/ensemble.hpp"
#include "rvm_selection.hpp"
#include "support/expect_error.hpp"
#include "support/selection_fields.hpp"
#include "support/selection_oracle.hpp"

/// Relevance vector machines in the methods that hold rows out, against one rvm::train for each part of the rows.
namespace rvm_vs_refits_tests {

using namespace credence;
using test::fold_rows;
using test::run_selection;
using test::rvm_options;
using test::rvm_train_options;
using test::Surroundings;
using test::uneven_rows;

rvm::RvmModel trained(const data::Dataset& dataset, const selection::Options& options, double gamma) {
  Surroundings surroundings;
  return rvm::train(dataset, rvm_train_options(options, gamma), surroundings.context).model;
}

/// Scores and labels of held-out rows by refits, one fold after the other.
struct Refits {
  std::vector<double> own_score;  ///< of each row's class
  std::vector<int> label;
  double kernels = 0;  ///< mean over folds
};

Refits refit_folds(const data::Dataset& dataset, const std::vector<int>& folds, const selection::Options& options,
                   double gamma) {
  Surroundings surroundings;
  Refits refits{std::vector<double>(dataset.rows()), std::vector<int>(dataset.rows()), 0};
  const int count = test::fold_count(folds);
  for (int fold = 0; fold < count; ++fold) {
    const std::vector<std::size_t> held_out = fold_rows(folds, fold, true);
    const rvm::RvmModel model = trained(dataset.select_rows(fold_rows(folds, fold, false)), options, gamma);
    const model::Prediction said = model.predict(dataset.select_rows(held_out), surroundings.context);
    for (std::size_t h = 0; h < held_out.size(); ++h) {
      refits.label[held_out[h]] = said.label[h];
      refits.own_score[held_out[h]] = said.score.row(h)[static_cast<std::size_t>(dataset.labels[held_out[h]])];
    }
    refits.kernels += static_cast<double>(model.centre_count()) / count;
  }
  return refits;
}

TEST(RvmSelection, CrossValidationEqualsRefits) {
  for (const int classes : {2, 3}) {
    data::Dataset dataset = uneven_rows(72, classes, 1);
    dataset.folds = data::stratified_k_fold(dataset.labels, 4, 2);
    const selection::Options options = rvm_options("cv");
    const selection::Selection found = run_selection(dataset, options);
    ASSERT_EQ(found.grid.size(), 3U);
    EXPECT_EQ(found.score, "CV error");
    for (const selection::Setting& setting : found.grid) {
      const Refits refits = refit_folds(dataset, dataset.folds, options, setting.gamma);
      double errors = 0;
      for (std::size_t i = 0; i < dataset.rows(); ++i) errors += refits.label[i] != dataset.labels[i] ? 1 : 0;
      EXPECT_NEAR(setting.error, errors / 72, 1e-12) << setting.gamma;
      EXPECT_NEAR(setting.n_sv, refits.kernels, 1e-9) << setting.gamma;
      EXPECT_EQ(setting.C, 0);
      EXPECT_TRUE(setting.complete);
      EXPECT_GT(setting.factorisations, 0U);
    }
    EXPECT_EQ(found.best, test::expected_best(found.grid, found.grid.size()));
    const Refits best = refit_folds(dataset, dataset.folds, options, found.grid[*found.best].gamma);
    ASSERT_EQ(found.calibration.nonconformity_scores.size(), dataset.rows());
    for (std::size_t i = 0; i < dataset.rows(); ++i)
      EXPECT_NEAR(found.calibration.nonconformity_scores[i], -best.own_score[i], 1e-9);
  }
}

TEST(RvmSelection, ScalingOfAllRowsEqualsRefitsOnScaledRows) {
  data::Dataset dataset = uneven_rows(60, 2, 4);
  dataset.folds = data::stratified_k_fold(dataset.labels, 3, 2);
  selection::Options options = rvm_options("cv");
  options.preparation.scope = selection::ScaleScope::all;
  const selection::Selection found = run_selection(dataset, options);
  data::Dataset scaled = dataset;
  scaled.features = data::Preprocessing::fit(dataset, data::Scaling::minmax).apply(dataset);
  options.preparation.scalings = {data::Scaling::none};
  for (const selection::Setting& setting : found.grid) {
    const Refits refits = refit_folds(scaled, dataset.folds, options, setting.gamma);
    double errors = 0;
    for (std::size_t i = 0; i < dataset.rows(); ++i) errors += refits.label[i] != dataset.labels[i] ? 1 : 0;
    EXPECT_NEAR(setting.error, errors / 60, 1e-12);
  }
}

TEST(RvmSelection, PrecomputedKernelEqualsRbf) {
  data::Dataset dataset = uneven_rows(50, 3, 5);
  dataset.folds = data::stratified_k_fold(dataset.labels, 3, 2);
  dataset.features = data::Preprocessing::fit(dataset, data::Scaling::minmax).apply(dataset);
  kernel::Kernel kernel;
  kernel.gamma = 4;
  const data::DenseMatrix values = kernel::kernel_block(kernel, dataset.features, dataset.features);
  std::vector<std::string> labels;
  for (const int label : dataset.labels) labels.push_back(dataset.schema.classes[static_cast<std::size_t>(label)]);
  data::Dataset given = data::make_dataset(data::Features(values), labels);
  given.folds = dataset.folds;
  for (const char* method : {"cv", "holdout"}) {
    selection::Options options = rvm_options(method, "4");
    options.preparation.scalings = {data::Scaling::none};
    if (options.looks_at("refit")) options.refit = selection::Refit::training_rows;
    const selection::Selection rbf = run_selection(dataset, options);
    options.kernels.types = {kernel::KernelType::precomputed};
    options.kernels.gamma = kernel::parse_gammas("scale");
    const selection::Selection precomputed = run_selection(given, options);
    ASSERT_EQ(precomputed.grid.size(), 1U);
    EXPECT_EQ(precomputed.grid[0].error, rbf.grid[0].error);
    ASSERT_EQ(precomputed.calibration.nonconformity_scores.size(), rbf.calibration.nonconformity_scores.size());
    for (std::size_t i = 0; i < rbf.calibration.nonconformity_scores.size(); ++i)
      EXPECT_NEAR(precomputed.calibration.nonconformity_scores[i], rbf.calibration.nonconformity_scores[i], 1e-6);
  }
}

TEST(RvmSelection, ChosenSettingIsTrainedOnAllRows) {
  const data::Dataset dataset = uneven_rows(60, 2, 7);
  const selection::Options options = rvm_options("cv");
  const selection::Selection found = run_selection(dataset, options);
  Surroundings surroundings;
  const auto predictor = selection::fitted(dataset, found, surroundings.context);
  const auto* model = dynamic_cast<const rvm::RvmModel*>(predictor.get());
  ASSERT_NE(model, nullptr);
  const selection::Setting& best = found.grid[*found.best];
  EXPECT_EQ(model->record.method, "cv");
  EXPECT_EQ(model->record.rows, 60U);
  EXPECT_EQ(*model->record.selected_error, best.error);
  EXPECT_EQ(*model->record.resamples, 4);
  EXPECT_EQ(model->fold_models.count(), 4U);
  const data::Dataset fresh = uneven_rows(40, 2, 8);
  EXPECT_EQ(model->predict(fresh, surroundings.context).decision.values,
            trained(dataset, options, best.gamma).predict(fresh, surroundings.context).decision.values);
  test::expect_error(ErrorCode::invalid_argument, "no SVM",
                     [&] { selection::retrain(dataset, found, surroundings.context); });
}

TEST(RvmSelection, BootstrapEqualsRefits) {
  const data::Dataset dataset = uneven_rows(48, 2, 9);
  selection::Options options = rvm_options("bootstrap", "1,20");
  test::set_resamples(options, 6);
  for (const auto rule : {selection::BootstrapError::out_of_bag, selection::BootstrapError::e632}) {
    options.as<selection::Bootstrap>().error = rule;
    const selection::Selection found = run_selection(dataset, options);
    Surroundings surroundings;
    for (const selection::Setting& setting : found.grid) {
      std::vector<double> wrong(48, 0);
      std::vector<double> judged(48, 0);
      for (std::uint64_t b = 0; b < 6; ++b) {
        const auto drawn = data::bootstrap(48, core::random_choice(3, 632, b, ~std::uint64_t{0}));
        std::vector<std::size_t> rows;
        for (std::size_t i = 0; i < 48; ++i) rows.insert(rows.end(), drawn[i], i);
        const auto said =
            trained(dataset.select_rows(rows), options, setting.gamma).predict(dataset, surroundings.context);
        for (std::size_t i = 0; i < 48; ++i) {
          wrong[i] += drawn[i] == 0 && said.label[i] != dataset.labels[i] ? 1 : 0;
          judged[i] += drawn[i] == 0 ? 1 : 0;
        }
      }
      double out_of_bag = 0;
      double rows = 0;
      for (std::size_t i = 0; i < 48; ++i) {
        out_of_bag += judged[i] > 0 ? wrong[i] / judged[i] : 0;
        rows += judged[i] > 0 ? 1 : 0;
      }
      const auto said = trained(dataset, options, setting.gamma).predict(dataset, surroundings.context);
      double training = 0;
      for (std::size_t i = 0; i < 48; ++i) training += said.label[i] != dataset.labels[i] ? 1.0 / 48 : 0;
      const bool weighs = rule == selection::BootstrapError::e632;
      const double expected = weighs ? 0.368 * training + 0.632 * out_of_bag / rows : out_of_bag / rows;
      EXPECT_NEAR(setting.error, expected, 1e-6) << setting.gamma;
    }
  }
}

/// Hold-out rows and one training for each gamma on the others.
struct Held {
  data::Dataset training;
  data::Dataset validation;
  std::vector<rvm::RvmModel> models;

  Held(const data::Dataset& dataset, const selection::Options& options,
       const std::vector<selection::Setting>& settings) {
    const std::vector<bool> held_out = selection::validation_split(dataset, options);
    std::vector<std::size_t> in;
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i < held_out.size(); ++i) (held_out[i] ? out : in).push_back(i);
    training = dataset.select_rows(in);
    validation = dataset.select_rows(out);
    for (const selection::Setting& setting : settings) models.push_back(trained(training, options, setting.gamma));
  }

  model::Scores scores(const data::Dataset& rows) const {
    Surroundings surroundings;
    model::Scores result(rows.rows(), models.size(), training.class_count());
    for (std::size_t k = 0; k < models.size(); ++k) {
      const model::Prediction said = models[k].predict(rows, surroundings.context);
      for (std::size_t i = 0; i < rows.rows(); ++i) {
        std::ranges::copy(said.score.row(i), result.at(i, k));
        result.labels[i * models.size() + k] = said.label[i];
      }
    }
    return result;
  }
};

TEST(RvmSelection, HoldOutEqualsRefits) {
  for (const int classes : {2, 3}) {
    const data::Dataset dataset = uneven_rows(80, classes, 11);
    selection::Options options = rvm_options("holdout");
    options.refit = selection::Refit::training_rows;
    const selection::Selection found = run_selection(dataset, options);
    const Held held(dataset, options, found.grid);
    const model::Scores scores = held.scores(held.validation);
    for (std::size_t k = 0; k < found.grid.size(); ++k) {
      double errors = 0;
      for (std::size_t i = 0; i < scores.rows; ++i) errors += scores.label(i, k) != held.validation.labels[i] ? 1 : 0;
      EXPECT_NEAR(found.grid[k].error, errors / static_cast<double>(scores.rows), 1e-12);
      EXPECT_EQ(found.grid[k].n_sv, static_cast<double>(held.models[k].centre_count()));
    }
    Surroundings surroundings;
    const data::Dataset fresh = uneven_rows(30, classes, 12);
    ASSERT_NE(found.predictor, nullptr);
    EXPECT_EQ(found.predictor->predict(fresh, surroundings.context).label,
              held.models[*found.best].predict(fresh, surroundings.context).label);
  }
}

TEST(RvmSelection, NonconformityEqualsThePureFunctionOfScores) {
  for (const int classes : {2, 3}) {
    const data::Dataset dataset = uneven_rows(90, classes, 13);
    const data::Dataset fresh = uneven_rows(40, classes, 14);
    const selection::Options options = rvm_options("nonconformity");
    const selection::Selection found = run_selection(dataset, options);
    const Held held(dataset, options, found.grid);
    const selection::NonconformityOptions rule{.delta = options.delta, .seed = options.seed};
    const model::Prediction by_hand =
        selection::nonconformity(held.scores(held.validation), held.validation.labels, held.scores(fresh), rule);
    Surroundings surroundings;
    const model::Prediction said = found.predictor->predict(fresh, surroundings.context);
    EXPECT_EQ(said.label, by_hand.label);
    EXPECT_EQ(said.chosen, by_hand.chosen);
    EXPECT_EQ(said.p_value.values, by_hand.p_value.values);
    EXPECT_EQ(said.eps_crit, by_hand.eps_crit);
    const auto* predictor = dynamic_cast<const selection::Ensemble*>(found.predictor.get());
    ASSERT_NE(predictor, nullptr);
    ASSERT_EQ(predictor->names.size(), 3U);
    EXPECT_EQ(predictor->names[1].gamma, 5);
    EXPECT_EQ(predictor->names[1].C, 0);
  }
}

TEST(RvmSelection, MaxMarginTakesTheLargestScore) {
  const data::Dataset dataset = uneven_rows(90, 2, 15);
  const data::Dataset fresh = uneven_rows(40, 2, 16);
  const selection::Options options = rvm_options("max-margin");
  const selection::Selection found = run_selection(dataset, options);
  const Held held(dataset, options, found.grid);
  const model::Scores scores = held.scores(fresh);
  Surroundings surroundings;
  const model::Prediction said = found.predictor->predict(fresh, surroundings.context);
  for (std::size_t i = 0; i < fresh.rows(); ++i) {
    const double* first = scores.at(i, 0);
    const auto largest = static_cast<std::size_t>(std::max_element(first, first + 6) - first);
    EXPECT_EQ(said.chosen[i], largest / 2);
    EXPECT_EQ(said.label[i], static_cast<int>(largest % 2));
  }
}

TEST(RvmSelection, VoteIsOfAllThatAttainTheSmallestError) {
  const data::Dataset dataset = uneven_rows(80, 2, 17);
  const selection::Options options = rvm_options("holdout-vote", "0.5,1,2,4");
  const selection::Selection found = run_selection(dataset, options);
  std::vector<std::uint32_t> members;
  for (std::uint32_t k = 0; k < 4; ++k)
    if (found.grid[k].error == found.grid[*found.best].error) members.push_back(k);
  const auto* predictor = dynamic_cast<const selection::Ensemble*>(found.predictor.get());
  ASSERT_NE(predictor, nullptr);
  EXPECT_EQ(std::get<selection::VoteRule>(predictor->rule).members, members);
}

TEST(RvmSelection, PartsWithOneClassSayThatClass) {
  data::Dataset dataset = uneven_rows(30, 2, 18);
  dataset.folds.assign(30, 0);
  for (std::size_t i = 0; i < 30; ++i) dataset.folds[i] = dataset.labels[i];  // a fold's others are all of one class
  const selection::Selection found = run_selection(dataset, rvm_options("cv"));
  for (const selection::Setting& setting : found.grid) {
    EXPECT_EQ(setting.error, 1);
    EXPECT_EQ(setting.n_sv, 0);
  }
  for (const double nonconformity : found.calibration.nonconformity_scores) {
    EXPECT_GT(nonconformity, 1);
    EXPECT_LT(nonconformity, 10);
  }
}

TEST(RvmSelection, PartsWithoutAClassNeverSayIt) {
  data::Dataset dataset = uneven_rows(45, 3, 19);
  for (std::size_t i = 0; i < 45; ++i) dataset.folds.push_back(dataset.labels[i] == 2 ? 2 : static_cast<int>(i % 2));
  const selection::Selection found = run_selection(dataset, rvm_options("cv", "2"));
  std::size_t strange = 0;
  for (std::size_t i = 0; i < 45; ++i)
    strange += dataset.labels[i] == 2 && found.calibration.nonconformity_scores[i] > 3 ? 1U : 0U;
  EXPECT_EQ(strange, 15U);
  EXPECT_GE(found.grid[0].error, 15.0 / 45);
}

}  // namespace rvm_vs_refits_tests
