#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "credence/conformal/confidence.hpp"
#include "credence/core/random.hpp"
#include "credence/selection/selector.hpp"
#include "credence/svm/model.hpp"
#include "support/context.hpp"
#include "support/random_data.hpp"
#include "support/selection_fields.hpp"

namespace confidence_covers_by_simulation_tests {

using namespace credence;

constexpr int draws = 200;
constexpr std::size_t training_rows = 80;
constexpr std::size_t test_rows = 50;

/// Two clouds, the second of them rarer; one label in ten is the other class's.
data::Dataset noisy_rows(std::uint64_t seed) {
  core::RandomStream random(seed, 501);
  data::DenseMatrix x(training_rows + test_rows, 3);
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < x.rows; ++i) {
    const bool rare = random.uniform() < 0.3;
    for (double& value : x.row(i)) value = random.normal() + (rare ? 1.0 : 0.0);
    labels.emplace_back(rare != (random.uniform() < 0.1) ? "rare" : "usual");
  }
  return data::make_dataset(x, labels);
}

/// Features that know nothing of the labels, which are coins.
data::Dataset coins(std::uint64_t seed) {
  core::RandomStream random(seed, 502);
  data::DenseMatrix x(training_rows + test_rows, 3);
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < x.rows; ++i) {
    for (double& value : x.row(i)) value = random.normal();
    labels.emplace_back(random.uniform() < 0.5 ? "heads" : "tails");
  }
  return data::make_dataset(x, labels);
}

selection::Options four_settings(const std::string& method) {
  selection::Options options;
  options.method = selection::method_named(method);
  test::set_folds(options, 5);
  test::set_resamples(options, 10);
  options.costs.C = {0.25, 8};
  options.kernels.gamma = kernel::parse_gammas("0.05,1");
  options.estimate = selection::Estimate::none;
  options.choose_one_svm();
  return options;
}

struct ErrorRates {
  std::vector<double> rows = std::vector<double>(2, 0);    ///< of each class
  std::vector<double> errors = std::vector<double>(2, 0);  ///< whose prediction set does not hold the class

  double of(std::size_t label) const { return errors[label] / rows[label]; }
  double all() const { return (errors[0] + errors[1]) / (rows[0] + rows[1]); }
};

/// Margins of the very rows that the model was trained on.
svm::SvmModel with_training_margins(const model::Predictor& selected, const data::Dataset& training) {
  test::Surroundings surroundings;
  svm::SvmModel model = dynamic_cast<const svm::SvmModel&>(selected);
  const model::Prediction own = model.predict(training, surroundings.context);
  model.fold_models = {};
  model.calibration = {"training", model::PValues::cross, {}, training.labels};
  for (std::size_t i = 0; i < training.rows(); ++i)
    model.calibration.nonconformity_scores.push_back(-own.score.row(i)[static_cast<std::size_t>(training.labels[i])]);
  return model;
}

/// Over many draws: selects on the training rows and counts, on the test rows, prediction sets that miss the true
/// class.
ErrorRates simulate(const selection::Options& options, conformal::PValueOptions p_values, double significance,
                    bool training_margins = false, data::Dataset (*rows_of_draw)(std::uint64_t) = noisy_rows) {
  test::Surroundings surroundings;
  ErrorRates rates;
  std::vector<std::size_t> first(training_rows);
  std::vector<std::size_t> rest(test_rows);
  for (std::size_t i = 0; i < training_rows + test_rows; ++i)
    (i < training_rows ? first[i] : rest[i - training_rows]) = i;
  for (std::uint64_t draw = 0; draw < draws; ++draw) {
    p_values.seed = draw;
    const data::Dataset dataset = rows_of_draw(draw);
    const data::Dataset training = dataset.select_rows(first);
    const data::Dataset test = dataset.select_rows(rest);
    const auto selection = selection::Selector(options).select(training, surroundings.context);
    const auto kept = selection::fitted(training, selection, surroundings.context);
    model::Prediction prediction = kept->predict(test, surroundings.context);
    EXPECT_TRUE(training_margins ? conformal::add_confidence(with_training_margins(*kept, training), test, p_values,
                                                             surroundings.context, prediction)
                                 : conformal::add_confidence(*kept, test, p_values, surroundings.context, prediction));
    for (std::size_t i = 0; i < test_rows; ++i) {
      const auto truth = static_cast<std::size_t>(test.labels[i]);
      rates.rows[truth] += 1;
      rates.errors[truth] += model::in_set(prediction.p_value.row(i)[truth], significance) ? 0 : 1;
    }
  }
  return rates;
}

/// What is checked of margins of rows left out, whose model is chosen on the same rows and trained again on all of
/// them, so that nothing is proved: over 200 draws of 80 + 50 rows, errors are at most eps + 0.02, and prediction sets
/// are not valid by being useless either: errors are at least eps - 0.04. The standard deviation of such a mean is
/// 0.004 at eps = 0.1.
TEST(ConfidenceOfSelectedModels, ErrsNoMoreThanAskedByMoreThanTwoPerCent) {
  for (const char* method : {"cv", "loo", "bootstrap"}) {
    for (const double significance : {0.1, 0.2}) {
      const double error = simulate(four_settings(method), {true, false}, significance).all();
      EXPECT_LE(error, significance + 0.02) << method;
      EXPECT_GE(error, significance - 0.04) << method;
    }
  }
}

/// Where nothing can be learnt, choosing among settings costs most. A score that is a mean over models varies less than
/// the score of the model that predicts: with means over samples, bootstrap prediction sets at 0.05 miss 18 % of the
/// coins.
TEST(ConfidenceOfSelectedModels, ErrsLittleMoreThanAskedOnCoins) {
  for (const char* method : {"cv", "loo", "bootstrap", "kfold-nested"}) {
    for (const double significance : {0.05, 0.2}) {
      const double error = simulate(four_settings(method), {true, false}, significance, false, coins).all();
      EXPECT_LE(error, significance + 0.07) << method;
      EXPECT_GE(error, significance - 0.04) << method;
    }
  }
}

/// The same of each class with label-conditional p-values, though one class is rare and hard; without them the errors
/// gather in the rare class.
TEST(ConfidenceOfSelectedModels, LabelConditionalErrsLikewiseInEachClass) {
  const double significance = 0.15;
  const ErrorRates apart = simulate(four_settings("cv"), {true, true}, significance);
  for (const std::size_t label : {0U, 1U}) {
    EXPECT_LE(apart.of(label), significance + 0.03) << label;
    EXPECT_GE(apart.of(label), significance - 0.05) << label;
  }
  const ErrorRates together = simulate(four_settings("cv"), {true, false}, significance);
  EXPECT_GT(together.of(0), significance + 0.1);
}

/// Margins of the rows that a model was trained on promise far too much; so the check above has power.
TEST(ConfidenceOfSelectedModels, WouldErrFarMoreWithMarginsOfTrainingRows) {
  selection::Options options = four_settings("cv");
  options.costs.C = {8};
  options.kernels.gamma = kernel::parse_gammas("1");
  EXPECT_GT(simulate(options, {true, false}, 0.1, true).all(), 0.15);
  EXPECT_LE(simulate(options, {true, false}, 0.1).all(), 0.12);
}

/// One setting, held-out rows, and the very model that was judged: exact. Smoothed p-values err with probability eps,
/// others at most so (with 16 rows, 0.1 is 1.7 / 17, and the exact rate is 1 / 17). Four standard deviations of the
/// mean of 200 draws, each of which has variance eps (1 - eps) (1 / 17 + 1 / 50).
TEST(ConfidenceOfHeldOutRows, IsExactWhereNothingWasChosen) {
  selection::Options options = four_settings("holdout");
  options.costs.C = {8};
  options.kernels.gamma = kernel::parse_gammas("0.05");
  options.refit = selection::Refit::training_rows;
  const double significance = 0.1;
  const double four_deviations = 4 * std::sqrt(significance * (1 - significance) * (1.0 / 17 + 1.0 / 50) / draws);
  EXPECT_NEAR(simulate(options, {true, false}, significance).all(), significance, four_deviations);
  EXPECT_NEAR(simulate(options, {false, false}, significance).all(), 1.0 / 17, four_deviations);
}

}  // namespace confidence_covers_by_simulation_tests
