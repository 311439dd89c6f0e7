#include "credence/conformal/confidence.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "credence/core/random.hpp"
#include "credence/data/row_key.hpp"
#include "credence/svm/train.hpp"
#include "support/context.hpp"
#include "support/random_data.hpp"

namespace confidence_vs_naive_tests {

using namespace credence;

constexpr double inf = std::numeric_limits<double>::infinity();

/// A trained model with a made-up calibration, rounded so that many values are equal, two of them infinite.
svm::SvmModel calibrated_model(int classes, std::uint64_t seed) {
  test::Surroundings surroundings;
  svm::SvmModel model =
      svm::train(test::random_clouds(45, 2, classes, 1.0, seed).dataset(), {}, surroundings.context).model;
  core::RandomStream random(seed, 77);
  for (int i = 0; i < 40; ++i) {
    model.calibration.nonconformity_scores.push_back(std::round(4 * random.normal()) / 4);
    model.calibration.labels.push_back(i % 7 == 0 ? 0 : i % classes);
  }
  model.calibration.nonconformity_scores[3] = inf;
  model.calibration.nonconformity_scores[4] = -inf;
  model.calibration.source = "out-of-fold";
  return model;
}

data::Dataset rows_to_predict(int classes, std::uint64_t seed) {
  return test::random_clouds(30, 2, classes, 1.0, seed + 1).dataset();
}

/// Predictions whose scores meet those of the calibration often.
model::Prediction rounded_prediction(const svm::SvmModel& model, int classes, std::uint64_t seed) {
  test::Surroundings surroundings;
  model::Prediction prediction = model.predict(rows_to_predict(classes, seed), surroundings.context);
  for (double& score : prediction.score.values) score = std::round(4 * score) / 4;
  prediction.score.row(0)[0] = inf;
  prediction.score.row(1)[1] = -inf;
  return prediction;
}

/// The definition, one comparison after another.
double naive(const model::Calibration& calibration, double score, int label, const conformal::PValueOptions& options,
             std::uint64_t key) {
  double greater = 0;
  double equal = 1;
  double of = 1;
  for (std::size_t i = 0; i < calibration.labels.size(); ++i) {
    if (options.label_conditional && calibration.labels[i] != label) continue;
    of += 1;
    greater += calibration.nonconformity_scores[i] > -score ? 1 : 0;
    equal += calibration.nonconformity_scores[i] == -score ? 1 : 0;
  }
  const double tau = options.smoothed ? conformal::smoothing_tau(options.seed, key) : 1;
  return (greater + tau * equal) / of;
}

TEST(Confidence, EqualsTheDefinitionForEveryOption) {
  test::Surroundings surroundings;
  for (const int classes : {2, 3}) {
    const svm::SvmModel model = calibrated_model(classes, 5);
    const data::Dataset rows = rows_to_predict(classes, 5);
    const model::Prediction bare = rounded_prediction(model, classes, 5);
    for (const bool smoothed : {false, true}) {
      for (const bool label_conditional : {false, true}) {
        const conformal::PValueOptions options{smoothed, label_conditional, 9};
        model::Prediction prediction = bare;
        ASSERT_TRUE(conformal::add_confidence(model, rows, options, surroundings.context, prediction));
        EXPECT_EQ(prediction.label, bare.label);
        ASSERT_EQ(prediction.p_value.rows, 30U);
        for (std::size_t row = 0; row < 30; ++row) {
          std::vector<double> p;
          for (int c = 0; c < classes; ++c) {
            const double score = bare.score.row(row)[static_cast<std::size_t>(c)];
            p.push_back(naive(model.calibration, score, c, options, data::row_key(rows.features, row)));
            EXPECT_DOUBLE_EQ(prediction.p_value.row(row)[static_cast<std::size_t>(c)], p.back()) << row << ' ' << c;
          }
          const auto label = static_cast<std::size_t>(bare.label[row]);
          EXPECT_DOUBLE_EQ(prediction.credibility[row], p[label]);
          p.erase(p.begin() + bare.label[row]);
          EXPECT_DOUBLE_EQ(prediction.confidence[row], 1 - *std::ranges::max_element(p));
        }
      }
    }
  }
}

TEST(Confidence, ScoresOfAnSvmAreItsDecisionValuesForEachClass) {
  test::Surroundings surroundings;
  for (const int classes : {2, 4}) {
    const data::Dataset rows = test::random_clouds(60, 2, classes, 1.0, 6).dataset();
    const svm::SvmModel model = svm::train(rows, {}, surroundings.context).model;
    const model::Prediction prediction = model.predict(rows, surroundings.context);
    for (std::size_t i = 0; i < 60; ++i) {
      std::vector<double> worst(static_cast<std::size_t>(classes), inf);
      for (std::size_t m = 0; m < model.machines.size(); ++m) {
        const double f = prediction.decision.row(i)[m];
        double& positive = worst[static_cast<std::size_t>(model.machines[m].positive)];
        double& negative = worst[static_cast<std::size_t>(model.machines[m].negative)];
        positive = std::min(positive, f);
        negative = std::min(negative, -f);
      }
      EXPECT_TRUE(std::ranges::equal(prediction.score.row(i), worst)) << i;
    }
  }
}

TEST(Confidence, ChangesNothingWithoutACalibrationOrScores) {
  test::Surroundings surroundings;
  svm::SvmModel model = calibrated_model(2, 7);
  model::Prediction prediction = rounded_prediction(model, 2, 7);
  model::Prediction without_scores = prediction;
  without_scores.score = {};
  EXPECT_FALSE(conformal::add_confidence(model, rows_to_predict(2, 7), {}, surroundings.context, without_scores));
  EXPECT_EQ(without_scores.p_value.rows, 0U);
  model.calibration = {};
  EXPECT_FALSE(conformal::add_confidence(model, rows_to_predict(2, 7), {}, surroundings.context, prediction));
  EXPECT_EQ(prediction.p_value.rows, 0U);
  EXPECT_TRUE(prediction.confidence.empty());
}

TEST(Confidence, OfNoRowsIsEmpty) {
  const svm::SvmModel model = calibrated_model(2, 8);
  test::Surroundings surroundings;
  model::Prediction prediction =
      model.predict(test::random_clouds(30, 2, 2, 1.0, 8).dataset().select_rows({}), surroundings.context);
  EXPECT_TRUE(
      conformal::add_confidence(model, rows_to_predict(2, 8).select_rows({}), {}, surroundings.context, prediction));
  EXPECT_TRUE(prediction.confidence.empty());
}

}  // namespace confidence_vs_naive_tests
