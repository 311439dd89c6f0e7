#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "credence/conformal/confidence.hpp"
#include "credence/conformal/cross_regression.hpp"
#include "credence/data/splits.hpp"
#include "credence/io/model_file.hpp"
#include "selection/methods/rvm_selection.hpp"
#include "support/expect_error.hpp"
#include "support/selection_fields.hpp"
#include "support/selection_oracle.hpp"
#include "support/temporary_folder.hpp"

/// CV+ intervals of selected regressions, beside machines trained one by one and ends sorted by the definition; in the
/// grades measured, proved and split.
namespace cv_plus_vs_refits_tests {

using namespace credence;
using test::noisy_surface;
using test::run_selection;
using test::Surroundings;

constexpr int fold_count = 4;

/// Columns of different sizes, so that scaling matters.
data::Dataset rows_of(std::size_t n, std::uint64_t seed) {
  data::Dataset rows = noisy_surface(n, 0.2, seed);
  for (std::size_t i = 0; i < n; ++i) rows.features.dense().row(i)[1] = 30 * rows.features.dense().row(i)[1] + 5;
  return rows;
}

selection::Options options_of(const std::string& method, model::PValues trust = model::PValues::cross) {
  selection::Options options = test::rvm_options(method, "0.5,5,50,500");
  options.task = data::Task::regression;
  options.p_values = trust;
  test::set_folds(options, fold_count);
  return options;
}

std::vector<double> means_by_refit(const data::Dataset& training, const selection::Options& options, double gamma,
                                   const data::Dataset& rows) {
  Surroundings surroundings;
  return rvm::train(training, test::rvm_train_options(options, gamma), surroundings.context)
      .model.predict(rows, surroundings.context)
      .mean;
}

/// What the machine without a fold says of the rows of that fold and of new rows.
struct Refit {
  std::vector<double> residuals;
  std::vector<double> fresh;
};

Refit refit_without(int fold, const std::vector<int>& folds, const data::Dataset& known, const data::Dataset& fresh,
                    const selection::Options& options, double gamma) {
  const data::Dataset training = known.select_rows(test::fold_rows(folds, fold, false));
  const data::Dataset left_out = known.select_rows(test::fold_rows(folds, fold, true));
  Refit refit;
  const std::vector<double> own = means_by_refit(training, options, gamma, left_out);
  for (std::size_t i = 0; i < own.size(); ++i) refit.residuals.push_back(std::abs(left_out.targets[i] - own[i]));
  refit.fresh = means_by_refit(training, options, gamma, fresh);
  return refit;
}

/// All ends in order; the floor(eps (n + 1))-th from below and from above.
conformal::PredictionInterval sorted_ends(const std::vector<Refit>& refits, std::size_t row, double significance) {
  std::vector<double> lower;
  std::vector<double> upper;
  for (const Refit& refit : refits) {
    for (const double residual : refit.residuals) {
      lower.push_back(refit.fresh[row] - residual);
      upper.push_back(refit.fresh[row] + residual);
    }
  }
  std::ranges::sort(lower);
  std::ranges::sort(upper);
  const auto r = static_cast<std::size_t>(significance * static_cast<double>(lower.size() + 1));
  return {lower[r - 1], upper[upper.size() - r]};
}

model::Prediction predict(const model::Predictor& model, const data::Dataset& rows) {
  Surroundings surroundings(2);
  return conformal::predict_with_confidence(model, rows, {}, surroundings.context);
}

void expect_ends(const model::Predictor& model, const data::Dataset& fresh, const std::vector<Refit>& refits,
                 const std::string& what) {
  const model::Prediction said = predict(model, fresh);
  for (const double significance : {0.05, 0.1, 0.3}) {
    const auto found = conformal::regression_of(model).intervals(said, significance);
    for (std::size_t row = 0; row < fresh.rows(); ++row) {
      const conformal::PredictionInterval expected = sorted_ends(refits, row, significance);
      EXPECT_NEAR(found[row].lower, expected.lower, 1e-7) << what;
      EXPECT_NEAR(found[row].upper, expected.upper, 1e-7) << what;
    }
  }
}

/// The rows as the model scales them.
data::Dataset prepared(const model::Predictor& model, const data::Dataset& rows) {
  data::Dataset result = rows;
  result.features = model.preprocessing.apply(rows);
  return result;
}

TEST(CvPlus, MeasuredHasTheMachinesOfTheFoldsAtTheChosenWidth) {
  const data::Dataset known = rows_of(61, 1);
  const data::Dataset fresh = rows_of(25, 2);
  const std::vector<int> folds = data::k_fold(known.rows(), fold_count, 3);
  for (const char* method : {"cv", "kernel-validity", "evidence", "kfold-nested"}) {
    const selection::Options options = options_of(method);
    const selection::Selection found = run_selection(known, options);
    Surroundings surroundings;
    const auto model = selection::fitted(known, found, surroundings.context);
    EXPECT_EQ(model->calibration.p_values, model::PValues::cross);
    EXPECT_EQ(model->calibration.source, "out-of-fold");
    ASSERT_EQ(model->fold_models.count(), static_cast<std::size_t>(fold_count)) << method;
    EXPECT_EQ(model->calibration.fold_model_of, folds) << method;
    selection::Options scaled = options;
    scaled.preparation.scalings = {data::Scaling::none};
    std::vector<Refit> refits;
    for (int k = 0; k < fold_count; ++k)
      refits.push_back(refit_without(k, folds, prepared(*model, known), prepared(*model, fresh), scaled,
                                     found.grid[*found.best].gamma));
    expect_ends(*model, fresh, refits, method);
    EXPECT_EQ(predict(*model, fresh).mean, model->predict(fresh, surroundings.context).mean);
    EXPECT_EQ(run_selection(known, options, 3).calibration.nonconformity_scores, found.calibration.nonconformity_scores)
        << "threads";
  }
}

TEST(CvPlus, ProvedHasMachinesThatWereChosenWithoutTheirFold) {
  // Little noise and few rows: folds differ in their choice.
  const data::Dataset known = rows_of(37, 5);
  const data::Dataset fresh = rows_of(20, 6);
  const selection::Options options = options_of("kfold-nested", model::PValues::nested);
  const selection::Selection found = run_selection(known, options);
  Surroundings surroundings;
  const auto model = selection::fitted(known, found, surroundings.context);
  EXPECT_EQ(model->calibration.p_values, model::PValues::nested);
  const std::vector<int> folds = data::k_fold(known.rows(), fold_count, options.seed);
  EXPECT_EQ(model->calibration.fold_model_of, folds);
  std::vector<Refit> refits;
  double squares = 0;
  for (int test = 0; test < fold_count; ++test) {
    std::vector<double> losses(found.grid.size(), 0.0);
    for (int validation = 0; validation < fold_count; ++validation) {
      if (validation == test) continue;
      std::vector<std::size_t> rest;
      for (std::size_t i = 0; i < folds.size(); ++i)
        if (folds[i] != test && folds[i] != validation) rest.push_back(i);
      const data::Dataset judged = known.select_rows(test::fold_rows(folds, validation, true));
      for (std::size_t setting = 0; setting < losses.size(); ++setting) {
        const std::vector<double> means =
            means_by_refit(known.select_rows(rest), options, found.grid[setting].gamma, judged);
        for (std::size_t i = 0; i < means.size(); ++i) losses[setting] += std::pow(judged.targets[i] - means[i], 2);
      }
    }
    const auto best = static_cast<std::size_t>(std::ranges::min_element(losses) - losses.begin());
    refits.push_back(refit_without(test, folds, known, fresh, options, found.grid[best].gamma));
    for (const double residual : refits.back().residuals) squares += residual * residual;
  }
  expect_ends(*model, fresh, refits, "proved");
  ASSERT_TRUE(found.honest.has_value());
  EXPECT_EQ(found.honest->score, "mean squared error");
  EXPECT_NEAR(found.honest->error, squares / static_cast<double>(known.rows()), 1e-9);
  EXPECT_EQ(found.honest->interval, "Student t");
  EXPECT_LT(*found.honest->lower, found.honest->error);
  EXPECT_GT(*found.honest->upper, found.honest->error);
}

TEST(CvPlus, SplitComparesWithRowsSetAside) {
  const data::Dataset known = rows_of(60, 7);
  const data::Dataset fresh = rows_of(20, 8);
  selection::Options options = options_of("cv", model::PValues::split);
  options.estimate.reset();
  const auto found = run_selection(known, options);
  Surroundings surroundings;
  const auto model = selection::fitted(known, found, surroundings.context);
  EXPECT_EQ(model->calibration.p_values, model::PValues::split);
  EXPECT_TRUE(model->fold_models.empty());
  const data::Dataset aside = known.select_rows(
      data::rows_where(selection::set_aside_rows(known, options.resolved()), [](bool held) { return held; }));
  const std::vector<double> own = model->predict(aside, surroundings.context).mean;
  const conformal::InductiveRegression split(aside.targets, own);
  const model::Prediction said = predict(*model, fresh);
  for (const double significance : {0.1, 0.3}) {
    const auto expected = split.intervals(said.mean, {}, significance);
    const auto ends = conformal::regression_of(*model).intervals(said, significance);
    for (std::size_t i = 0; i < ends.size(); ++i) {
      EXPECT_DOUBLE_EQ(ends[i].lower, expected[i].lower);
      EXPECT_DOUBLE_EQ(ends[i].upper, expected[i].upper);
    }
  }
}

TEST(CvPlus, ComesBackFromAFileToTheLastBit) {
  const data::Dataset known = rows_of(40, 9);
  const data::Dataset fresh = rows_of(20, 10);
  for (const auto trust : {model::PValues::cross, model::PValues::nested}) {
    const selection::Options options = options_of(trust == model::PValues::nested ? "kfold-nested" : "cv", trust);
    Surroundings surroundings;
    const auto model = selection::fitted(known, run_selection(known, options), surroundings.context);
    const test::TemporaryFolder folder;
    io::save_model(*model, folder.file("m"));
    const auto loaded = io::load_model(folder.file("m"));
    EXPECT_EQ(loaded->calibration.fold_model_of, model->calibration.fold_model_of);
    EXPECT_EQ(loaded->calibration.p_values, trust);
    EXPECT_EQ(predict(*loaded, fresh).fold_model_mean.values, predict(*model, fresh).fold_model_mean.values);
  }
}

/// One machine with a fixed width, trained with --folds, has fold models of that width.
TEST(CvPlus, OfOneSettingHasFoldModelsToo) {
  const data::Dataset known = rows_of(40, 11);
  Surroundings surroundings;
  selection::OneSetting setting(data::Task::regression, selection::Learner::rvm);
  setting.options.kernels.gamma = kernel::parse_gammas("5");
  const auto model = selection::train(known, setting, 5, surroundings.context).model;
  EXPECT_EQ(model->fold_models.count(), 5U);
  EXPECT_EQ(model->calibration.fold_model_of.size(), 40U);
  EXPECT_EQ(predict(*model, known).fold_model_mean.columns, 5U);
}

TEST(CvPlus, ClassifiersOfRelevanceVectorsHaveTheProvedGradeToo) {
  const data::Dataset known = test::uneven_rows(60, 2, 4);
  selection::Options options = test::rvm_options("kfold-nested", "0.5,5");
  options.p_values = model::PValues::nested;
  test::set_folds(options, fold_count);
  Surroundings surroundings;
  const selection::Selection found = run_selection(known, options);
  const auto model = selection::fitted(known, found, surroundings.context);
  EXPECT_EQ(model->calibration.p_values, model::PValues::nested);
  EXPECT_EQ(model->fold_models.count(), static_cast<std::size_t>(fold_count));
  const std::vector<int> folds = data::k_fold(known.rows(), fold_count, options.seed);
  EXPECT_EQ(model->calibration.fold_model_of, folds);
  for (int k = 0; k < fold_count; ++k) {
    const std::size_t setting = *found.estimation()->judgements[static_cast<std::size_t>(k)].setting;
    const auto refit = rvm::train(known.select_rows(test::fold_rows(folds, k, false)),
                                  test::rvm_train_options(options, found.grid[setting].gamma), surroundings.context)
                           .model;
    const std::vector<std::size_t> own = test::fold_rows(folds, k, true);
    const model::Prediction said = refit.predict(known.select_rows(own), surroundings.context);
    std::size_t errors = 0;
    for (std::size_t i = 0; i < own.size(); ++i) {
      const auto label = static_cast<std::size_t>(known.labels[own[i]]);
      EXPECT_NEAR(model->calibration.nonconformity_scores[own[i]], -said.score.row(i)[label], 1e-9);
      errors += said.label[i] != known.labels[own[i]] ? 1U : 0U;
    }
    EXPECT_EQ(found.estimation()->judgements[static_cast<std::size_t>(k)].errors, errors);
  }
  options.final_classifier = selection::FinalClassifier::random;
  options.p_values = model::PValues::cross;
  test::expect_error(ErrorCode::invalid_argument, "random draws SVMs", [&] { run_selection(known, options); });
}

/// A promise by simulation: the intervals of measured miss near eps, those of proved at most the bound.
TEST(CvPlus, MissesNearEpsBySimulation) {
  constexpr std::size_t draws = 60;
  for (const auto trust : {model::PValues::cross, model::PValues::nested}) {
    std::size_t missed = 0;
    for (std::size_t d = 0; d < draws; ++d) {
      const data::Dataset known = rows_of(50, 100 + d);
      const data::Dataset fresh = rows_of(100, 1000 + d);
      const selection::Options options = options_of(trust == model::PValues::nested ? "kfold-nested" : "cv", trust);
      Surroundings surroundings;
      const auto model = selection::fitted(known, run_selection(known, options), surroundings.context);
      const auto p = conformal::regression_of(*model).p_values(predict(*model, fresh), fresh.targets);
      missed += static_cast<std::size_t>(std::ranges::count_if(p, [](double value) { return value <= 0.1; }));
    }
    const double share = static_cast<double>(missed) / (100 * draws);
    // One draw has a standard deviation of about 0.045: 3 standard errors over draws are 0.017.
    if (trust == model::PValues::cross) EXPECT_NEAR(share, 0.1, 0.03);
    EXPECT_LE(share, conformal::cross_conformal_bound(0.1, 50, fold_count));
    EXPECT_LE(share, 0.13);
  }
}

}  // namespace cv_plus_vs_refits_tests
