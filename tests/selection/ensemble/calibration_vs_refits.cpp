#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "credence/core/random.hpp"
#include "credence/data/splits.hpp"
#include "credence/selection/ensemble.hpp"
#include "credence/selection/selector.hpp"
#include "support/random_data.hpp"
#include "support/selection_fields.hpp"
#include "support/selection_oracle.hpp"

namespace calibration_vs_refits_tests {

using namespace credence;
using test::random_clouds;
using test::Surroundings;

constexpr double tolerance = 2e-3;  ///< of decision values, at a solver tolerance of 1e-5

selection::Options few_settings(const std::string& method) {
  selection::Options options;
  options.method = selection::method_named(method);
  test::set_folds(options, 5);
  test::set_resamples(options, 10);
  options.costs.C = {0.5, 8};
  options.kernels.gamma = kernel::parse_gammas("0.05,0.4");
  options.costs.solver.tolerance = 1e-5;
  options.estimate = selection::Estimate::none;
  options.seed = 3;
  options.choose_one_svm();
  return options;
}

selection::Selection select(const data::Dataset& dataset, const selection::Options& options, int threads = 1) {
  Surroundings surroundings(threads);
  return selection::Selector(options).select(dataset, surroundings.context);
}

/// Rows in training and rows left out, of each resample.
struct Split {
  std::vector<std::size_t> training;
  std::vector<std::size_t> left_out;
};

std::vector<Split> splits_of(const std::vector<int>& folds) {
  std::vector<Split> splits;
  for (int fold = 0; fold < test::fold_count(folds); ++fold)
    splits.push_back({test::fold_rows(folds, fold, false), test::fold_rows(folds, fold, true)});
  return splits;
}

std::vector<Split> leave_one_out(std::size_t n) {
  std::vector<int> folds(n);
  std::iota(folds.begin(), folds.end(), 0);
  return splits_of(folds);
}

svm::TrainOptions chosen_setting(const selection::Options& options, const selection::Selection& selection) {
  const selection::Setting& best = selection.grid.at(selection.best.value());
  svm::TrainOptions train =
      test::train_options_of(options, best.C, options.kernels.gamma[*selection.best / options.costs.axis().size()]);
  if (!options.costs.nu.empty()) train.nu = best.nu;
  return train;
}

/// The definition: the score of a class is f for the second of two, -f for the first, and the worst of its pairs with
/// more; the nonconformity score of a row is minus the score of its class in a model trained without it: of several the
/// one that the seed draws (few_settings). The scores of all classes are kept of more than two.
model::Calibration by_refits(const data::Dataset& dataset, const std::vector<Split>& splits,
                             const svm::TrainOptions& options) {
  constexpr std::uint64_t purpose = 634;
  Surroundings surroundings;
  std::vector<std::vector<std::vector<double>>> scores(dataset.rows());  // (row, model, class)
  for (const Split& split : splits) {
    const svm::SvmModel model = svm::train(dataset.select_rows(split.training), options, surroundings.context).model;
    const model::Prediction prediction = model.predict(dataset.select_rows(split.left_out), surroundings.context);
    for (std::size_t r = 0; r < split.left_out.size(); ++r) {
      std::vector<double> of_row(dataset.class_count(), std::numeric_limits<double>::infinity());
      for (std::size_t m = 0; m < model.machines.size(); ++m) {
        const double f = prediction.decision.row(r)[m];
        double& positive = of_row[static_cast<std::size_t>(model.machines[m].positive)];
        double& negative = of_row[static_cast<std::size_t>(model.machines[m].negative)];
        positive = std::min(positive, f);
        negative = std::min(negative, -f);
      }
      scores[split.left_out[r]].push_back(of_row);
    }
  }
  model::Calibration result;
  result.scores.columns = dataset.class_count();
  for (std::size_t i = 0; i < dataset.rows(); ++i) {
    if (scores[i].empty()) continue;
    const auto& of_row = scores[i][core::random_choice(few_settings("cv").seed, purpose, i, scores[i].size())];
    result.nonconformity_scores.push_back(-of_row[static_cast<std::size_t>(dataset.labels[i])]);
    result.labels.push_back(dataset.labels[i]);
    result.scores.values.insert(result.scores.values.end(), of_row.begin(), of_row.end());
    ++result.scores.rows;
  }
  if (dataset.class_count() == 2) result.scores = {};
  return result;
}

void expect_equal(const model::Calibration& ours, const model::Calibration& refits, const std::string& source,
                  const std::string& what) {
  EXPECT_EQ(ours.source, source) << what;
  EXPECT_EQ(ours.labels, refits.labels) << what;
  ASSERT_EQ(ours.nonconformity_scores.size(), refits.nonconformity_scores.size()) << what;
  for (std::size_t i = 0; i < refits.nonconformity_scores.size(); ++i)
    EXPECT_NEAR(ours.nonconformity_scores[i], refits.nonconformity_scores[i], tolerance) << what << ", row " << i;
  ASSERT_EQ(ours.scores.rows, refits.scores.rows) << what;
  ASSERT_EQ(ours.scores.values.size(), refits.scores.values.size()) << what;
  for (std::size_t k = 0; k < refits.scores.values.size(); ++k)
    EXPECT_NEAR(ours.scores.values[k], refits.scores.values[k], tolerance) << what << ", score " << k;
}

struct Variant {
  std::string name;
  std::function<void(selection::Options& options, data::Dataset& dataset)> change;
};

std::vector<Variant> variants() {
  return {
      {"plain", [](auto&, auto&) {}},
      {"unscaled", [](auto& options, auto&) { options.preparation.scalings = {data::Scaling::none}; }},
      {"gamma by a word", [](auto& options, auto&) { options.kernels.gamma = kernel::parse_gammas("scale"); }},
      {"class weights", [](auto& options, auto&) { options.costs.class_weights = {true, {{"a", 2.0}}}; }},
      {"sample weights",
       [](auto&, auto& dataset) {
         for (std::size_t i = 0; i < dataset.rows(); ++i) dataset.weights.push_back(i % 3 == 0 ? 2.5 : 0.5);
       }},
      {"nu", [](auto& options, auto&) { options.costs.nu = {0.5, 0.3}; }},
  };
}

TEST(CalibrationOfCrossValidation, EqualsRefitsOfEachFold) {
  for (const int classes : {2, 3}) {
    for (const Variant& variant : variants()) {
      data::Dataset dataset = random_clouds(60, 3, classes, 1.0, 11).dataset();
      selection::Options options = few_settings("cv");
      variant.change(options, dataset);
      const selection::Selection selection = select(dataset, options);
      const auto folds = data::stratified_k_fold(dataset.labels, test::folds_of(options), options.seed);
      expect_equal(selection.calibration, by_refits(dataset, splits_of(folds), chosen_setting(options, selection)),
                   "out-of-fold", variant.name + ", " + std::to_string(classes) + " classes");
      EXPECT_FALSE(selection.calibration.exact());
    }
  }
}

/// Scores of all settings that do not fit into their share of the memory are made once more for the chosen setting.
TEST(CalibrationOfCrossValidation, LittleMemoryKeepsTheSameScores) {
  for (const char* method : {"cv", "bootstrap", "kfold-nested"}) {
    data::Dataset dataset = random_clouds(60, 3, 3, 1.0, 11).dataset();
    const selection::Options options = few_settings(method);
    Surroundings surroundings;
    const core::Context& wide = surroundings.context;
    const core::Context narrow{wide.threads, wide.monitor,
                               16000};  // four settings take 2,880 bytes, of which an eighth fits
    const model::Calibration kept = selection::Selector(options).select(dataset, wide).calibration;
    const model::Calibration again = selection::Selector(options).select(dataset, narrow).calibration;
    ASSERT_GT(kept.scores.rows, 0U) << method;
    EXPECT_EQ(again.labels, kept.labels) << method;
    ASSERT_EQ(again.scores.values.size(), kept.scores.values.size()) << method;
    for (std::size_t k = 0; k < kept.scores.values.size(); ++k)
      EXPECT_NEAR(again.scores.values[k], kept.scores.values[k], tolerance) << method;
  }
}

TEST(CalibrationOfRelevanceMachines, KeepsTheScoresOfAllClassesOfGridsThatWentOn) {
  const data::Dataset dataset = random_clouds(60, 3, 3, 1.0, 11).dataset();
  selection::Options options;
  options.method = selection::CrossValidation{.folds = 5};
  options.model = selection::Learner::rvm;
  options.estimate = selection::Estimate::none;
  const model::Calibration calibration = select(dataset, options).calibration;
  ASSERT_EQ(calibration.scores.rows, 60U);
  for (std::size_t i = 0; i < 60; ++i)
    EXPECT_EQ(calibration.scores.row(i)[static_cast<std::size_t>(calibration.labels[i])],
              -calibration.nonconformity_scores[i]);
}

TEST(CalibrationOfCrossValidation, FollowsGroupsAndFixedFolds) {
  data::Dataset dataset = random_clouds(60, 3, 2, 1.0, 12).dataset();
  const selection::Options options = few_settings("cv");
  for (std::size_t i = 0; i < dataset.rows(); ++i) dataset.groups.push_back(static_cast<int>(i / 4));
  const selection::Selection grouped = select(dataset, options);
  const auto folds = data::grouped_k_fold(dataset.groups, test::folds_of(options), options.seed);
  expect_equal(grouped.calibration, by_refits(dataset, splits_of(folds), chosen_setting(options, grouped)),
               "out-of-fold", "groups");
  for (std::size_t i = 0; i < dataset.rows(); ++i) dataset.folds.push_back(static_cast<int>(i * i % 3));
  const selection::Selection fixed = select(dataset, options);
  expect_equal(fixed.calibration, by_refits(dataset, splits_of(dataset.folds), chosen_setting(options, fixed)),
               "out-of-fold", "fixed folds");
}

TEST(CalibrationOfCrossValidation, APrecomputedKernelEqualsTheKernel) {
  const data::Dataset dataset = random_clouds(50, 3, 3, 1.0, 13).dataset();
  selection::Options options = few_settings("cv");
  options.preparation.scalings = {data::Scaling::none};
  options.kernels.types = {kernel::KernelType::linear};
  data::DenseMatrix products(50, 50);
  for (std::size_t i = 0; i < 50; ++i) {
    for (std::size_t j = 0; j < 50; ++j) {
      const auto a = dataset.features.dense().row(i);
      products.row(i)[j] = std::inner_product(a.begin(), a.end(), dataset.features.dense().row(j).begin(), 0.0);
    }
  }
  data::Dataset squared = data::make_dataset(products, random_clouds(50, 3, 3, 1.0, 13).labels);
  const selection::Selection linear = select(dataset, options);
  options.kernels.types = {kernel::KernelType::precomputed};
  options.kernels.gamma = kernel::parse_gammas("scale");
  expect_equal(select(squared, options).calibration, linear.calibration, "out-of-fold", "precomputed");
}

/// With two classes a row left out is an error exactly if its nonconformity score is positive (0 falls to the first
/// class).
TEST(CalibrationOfCrossValidation, AgreesWithTheErrorsThatWereCounted) {
  for (const char* method : {"cv", "loo"}) {
    const data::Dataset dataset = random_clouds(120, 2, 2, 0.5, 14).dataset();
    const selection::Selection selection = select(dataset, few_settings(method));
    const auto errors =
        std::ranges::count_if(selection.calibration.nonconformity_scores, [](double a) { return a > 0; });
    EXPECT_GT(errors, 5);
    EXPECT_NEAR(selection.grid[*selection.best].error * 120, static_cast<double>(errors), 1e-9) << method;
  }
}

TEST(CalibrationOfLeaveOneOut, EqualsNRefitsAlsoOfMisclassifiedSupportVectors) {
  for (const int classes : {2, 3}) {
    for (const bool weighted : {false, true}) {
      data::Dataset dataset = random_clouds(60, 3, classes, 0.5, 15).dataset();
      for (std::size_t i = 0; weighted && i < dataset.rows(); ++i) dataset.weights.push_back(i % 3 == 0 ? 2.5 : 0.5);
      selection::Options options = few_settings("loo");
      options.preparation.scalings = {data::Scaling::none};
      const selection::Selection selection = select(dataset, options);
      const svm::TrainOptions train = chosen_setting(options, selection);
      expect_equal(selection.calibration, by_refits(dataset, leave_one_out(60), train), "left-one-out", "boxes only");
      Surroundings surroundings;
      const model::Prediction own =
          svm::train(dataset, train, surroundings.context).model.predict(dataset, surroundings.context);
      EXPECT_NE(own.label, dataset.labels) << "no row is misclassified, so this test shows less than it should";
    }
  }
}

TEST(CalibrationOfLeaveOneOut, EqualsNRefitsWithPreprocessingAndWeightsOfTheirOwn) {
  const data::Dataset dataset = random_clouds(40, 3, 2, 0.5, 16).dataset();
  selection::Options options = few_settings("loo");
  options.preparation.scope = selection::ScaleScope::fold;
  options.costs.class_weights.balanced = true;
  const selection::Selection selection = select(dataset, options);
  expect_equal(selection.calibration, by_refits(dataset, leave_one_out(40), chosen_setting(options, selection)),
               "left-one-out", "refits");
}

TEST(CalibrationOfTheBootstrap, IsThatOfOneSampleThatLeftTheRowOut) {
  for (const int classes : {2, 3}) {
    const data::Dataset dataset = random_clouds(60, 3, classes, 1.0, 17).dataset();
    const selection::Options options = few_settings("bootstrap");
    std::vector<Split> splits;
    for (std::uint64_t b = 0; b < 10; ++b) {
      const auto drawn = data::bootstrap(60, core::random_choice(options.seed, 632, b, ~std::uint64_t{0}));
      Split& split = splits.emplace_back();
      for (std::size_t i = 0; i < drawn.size(); ++i) {
        split.training.insert(split.training.end(), drawn[i], i);
        if (drawn[i] == 0) split.left_out.push_back(i);
      }
    }
    const selection::Selection selection = select(dataset, options);
    expect_equal(selection.calibration, by_refits(dataset, splits, chosen_setting(options, selection)), "out-of-bag",
                 "bootstrap");
  }
}

TEST(CalibrationOfTheBootstrap, HasNoRowThatWasNeverLeftOut) {
  selection::Options options = few_settings("bootstrap");
  test::set_resamples(options, 2);
  const model::Calibration calibration = select(random_clouds(60, 3, 2, 1.0, 17).dataset(), options).calibration;
  EXPECT_LT(calibration.labels.size(), 60U);
  EXPECT_GT(calibration.labels.size(), 20U);
}

TEST(CalibrationOfAHoldOut, IsThatOfTheValidationRowsAndOfTheJudgedModelIfItIsKept) {
  const data::Dataset dataset = random_clouds(80, 3, 3, 1.0, 18).dataset();
  for (const selection::Refit refit : {selection::Refit::all_rows, selection::Refit::training_rows}) {
    selection::Options options = few_settings("holdout");
    options.refit = refit;
    const std::vector<bool> held_out = selection::validation_split(dataset, options);
    Split split;
    for (std::size_t i = 0; i < held_out.size(); ++i) (held_out[i] ? split.left_out : split.training).push_back(i);
    const selection::Selection selection = select(dataset, options);
    expect_equal(selection.calibration, by_refits(dataset, {split}, chosen_setting(options, selection)), "held-out",
                 "holdout");
    EXPECT_FALSE(selection.calibration.exact()) << "several settings were compared on these rows";
    Surroundings surroundings;
    const auto predictor = selection::model_without_folds(dataset, selection, surroundings.context);
    EXPECT_EQ(predictor->calibration.nonconformity_scores, selection.calibration.nonconformity_scores);
    if (refit == selection::Refit::all_rows) continue;
    // The model that is kept scores its validation rows as the calibration says.
    const model::Prediction prediction = predictor->predict(dataset.select_rows(split.left_out), surroundings.context);
    ASSERT_EQ(prediction.score.columns, 3U);
    for (std::size_t r = 0; r < split.left_out.size(); ++r) {
      const auto truth = static_cast<std::size_t>(dataset.labels[split.left_out[r]]);
      EXPECT_EQ(-prediction.score.row(r)[truth], selection.calibration.nonconformity_scores[r]);
    }
  }
}

TEST(CalibrationOfAHoldOut, OfNearestNeighboursIsKeptToo) {
  selection::Options options = few_settings("holdout");
  options.choose_from(selection::Learner::knn);
  const data::Dataset dataset = random_clouds(80, 3, 2, 1.0, 19).dataset();
  const selection::Selection selection = select(dataset, options);
  EXPECT_EQ(selection.calibration.nonconformity_scores.size(), selection.validation_rows);
  EXPECT_EQ(selection.predictor->calibration.nonconformity_scores, selection.calibration.nonconformity_scores);
}

TEST(Calibration, OfMethodsThatKeepSeveralModelsIsEmpty) {
  const data::Dataset dataset = random_clouds(80, 3, 2, 1.0, 20).dataset();
  for (const char* method : {"nonconformity", "max-margin", "holdout-vote"}) {
    const selection::Selection selection = select(dataset, few_settings(method));
    EXPECT_TRUE(selection.calibration.empty()) << method;
    EXPECT_TRUE(selection.predictor->calibration.empty()) << method;
  }
}

TEST(Calibration, GoesWithTheModelAndDoesNotDependOnThreads) {
  const data::Dataset dataset = random_clouds(60, 3, 3, 1.0, 21).dataset();
  for (const char* method : {"cv", "loo", "bootstrap", "holdout"}) {
    const selection::Options options = few_settings(method);
    const selection::Selection selection = select(dataset, options);
    ASSERT_FALSE(selection.calibration.empty()) << method;
    EXPECT_EQ(select(dataset, options, 2).calibration.nonconformity_scores, selection.calibration.nonconformity_scores)
        << method;
    Surroundings surroundings;
    const auto trained = selection::retrain(dataset, selection, surroundings.context);
    EXPECT_EQ(trained.model.calibration.nonconformity_scores, selection.calibration.nonconformity_scores) << method;
    EXPECT_EQ(trained.model.calibration.labels, selection.calibration.labels) << method;
    EXPECT_EQ(trained.model.calibration.source, selection.calibration.source) << method;
  }
}

TEST(Calibration, OfAStoppedSelectionIsEmpty) {
  const data::Dataset dataset = random_clouds(60, 3, 2, 1.0, 22).dataset();
  for (const char* method : {"cv", "loo", "bootstrap", "holdout"}) {
    Surroundings surroundings;
    surroundings.monitor.cancel();
    const auto selection = selection::Selector(few_settings(method)).select(dataset, surroundings.context);
    EXPECT_TRUE(selection.calibration.empty()) << method;
  }
}

}  // namespace calibration_vs_refits_tests
