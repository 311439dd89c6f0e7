#include "credence/model/probability.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "credence/core/random.hpp"
#include "credence/rvm/train.hpp"
#include "credence/selection/selector.hpp"
#include "credence/svm/train.hpp"
#include "support/context.hpp"
#include "support/expect_error.hpp"
#include "support/random_data.hpp"

namespace credence {
namespace probability_contract_tests {

using model::CalibrationMap;
using model::Prediction;

const std::vector<CalibrationMap> all_maps{CalibrationMap::sigmoid, CalibrationMap::isotonic,
                                           CalibrationMap::venn_abers};

/// An SVM with out-of-fold scores, and what it says of new rows of the same clouds.
struct Predicted {
  std::shared_ptr<const model::Predictor> model;
  data::Dataset rows;
  Prediction prediction;
};

Predicted predicted(int classes, double distance, std::size_t rows = 2000, const char* candidates = "svm") {
  test::Surroundings here;
  const test::Clouds clouds =
      test::random_clouds(150 + rows, 3, classes, distance, 40 + static_cast<unsigned>(classes));
  const data::Dataset all = clouds.dataset();
  std::vector<std::size_t> training(150);
  std::vector<std::size_t> others(rows);
  std::iota(training.begin(), training.end(), std::size_t{0});
  std::iota(others.begin(), others.end(), std::size_t{150});
  selection::Options options;
  options.method = selection::method_named("cv");
  options.estimate = selection::Estimate::none;
  if (std::string(candidates) == "rvm") {
    options.model = selection::Learner::rvm;
    options.rvms.further = 0;
  } else {
    options.costs.C = {1};
    if (std::string(candidates) == "weighed svm") options.costs.class_weights = svm::parse_class_weights("b:10");
  }
  options.kernels.gamma = kernel::parse_gammas("0.3");
  const data::Dataset dataset = all.select_rows(training);
  const selection::Selection selection = selection::Selector(options).select(dataset, here.context);
  Predicted result{selection::fitted(dataset, selection, here.context), all.select_rows(others), {}};
  result.prediction = result.model->predict(result.rows, here.context);
  return result;
}

void expect_probabilities(const Prediction& prediction) {
  for (std::size_t i = 0; i < prediction.label.size(); ++i) {
    const auto p = prediction.probability.row(i);
    EXPECT_NEAR(std::accumulate(p.begin(), p.end(), 0.0), 1, 1e-12);
    for (std::size_t c = 0; c < p.size(); ++c) {
      EXPECT_GE(p[c], 0);
      EXPECT_LE(p[c], 1);
      if (static_cast<int>(c) != prediction.label[i])
        ASSERT_LT(p[c], p[static_cast<std::size_t>(prediction.label[i])]) << "row " << i;
    }
  }
}

TEST(Probabilities, TheMostProbableClassIsTheLabelOfThousandsOfRows) {
  std::size_t moved = 0;
  for (const int classes : {2, 3, 5}) {
    for (const double distance : {0.0, 0.5, 2.0}) {  // at 0 the classes do not differ
      const Predicted one = predicted(classes, distance);
      for (const CalibrationMap map : all_maps) {
        Prediction prediction = one.prediction;
        model::add_probabilities(*one.model, {map}, prediction);
        EXPECT_EQ(prediction.label, one.prediction.label);
        expect_probabilities(prediction);
        std::vector<double> p(static_cast<std::size_t>(classes));
        const model::ProbabilityMaps maps(*one.model, map);
        for (std::size_t i = 0; i < prediction.label.size(); ++i) {
          maps.apply(prediction.score.row(i), p);
          moved += std::ranges::equal(p, prediction.probability.row(i)) ? 0U : 1U;
        }
      }
    }
  }
  EXPECT_GT(moved, 500U) << "labels and maps hardly ever disagree, so this test shows less than it should";
}

/// Such a model names the second class long before it is likely, so that its probabilities are those of the map.
TEST(Probabilities, OfModelsThatWeighClassesAreNotMovedToTheLabel) {
  const Predicted one = predicted(2, 1.0, 500, "weighed svm");
  EXPECT_TRUE(one.model->record.weighs_classes);
  Prediction prediction = one.prediction;
  model::add_probabilities(*one.model, {}, prediction);
  const model::ProbabilityMaps maps(*one.model, CalibrationMap::sigmoid);
  std::vector<double> p(2);
  std::size_t against = 0;
  for (std::size_t i = 0; i < prediction.label.size(); ++i) {
    maps.apply(prediction.score.row(i), p);
    EXPECT_TRUE(std::ranges::equal(p, prediction.probability.row(i)));
    if (p[static_cast<std::size_t>(prediction.label[i])] < 0.5) ++against;
  }
  EXPECT_GT(against, 20U) << "labels and probabilities hardly ever disagree, so this test shows less than it should";
}

/// Of all mixtures that make the label the most probable class, there is none with a smaller share of certainty.
TEST(AgreeWithLabel, IsTheSmallestMixture) {
  core::RandomStream random(4);
  for (int round = 0; round < 2000; ++round) {
    const std::size_t classes = 2 + random.below(5);
    std::vector<double> p(classes);
    for (double& value : p) value = random.uniform() < 0.1 ? 0 : random.uniform();
    const double sum = std::accumulate(p.begin(), p.end(), 0.0);
    if (sum == 0) continue;
    for (double& value : p) value /= sum;
    const auto own = static_cast<std::size_t>(random.below(classes));
    std::vector<double> moved = p;
    model::agree_with_label(moved, static_cast<int>(own));
    double other = 0;
    double other_moved = 0;
    for (std::size_t c = 0; c < classes; ++c) {
      if (c == own) continue;
      other = std::max(other, p[c]);
      other_moved = std::max(other_moved, moved[c]);
    }
    EXPECT_GT(moved[own], other_moved);
    if (p[own] >= other + model::tie_margin) {
      EXPECT_EQ(moved, p);
      continue;
    }
    const double t = (moved[own] - p[own]) / (1 - p[own]);
    for (std::size_t c = 0; c < classes; ++c) EXPECT_NEAR(moved[c], (1 - t) * p[c] + (c == own ? t : 0), 1e-12);
    EXPECT_NEAR(moved[own] - other_moved, model::tie_margin, 1e-12) << "a smaller t would not do";
  }
}

/// Each class against the rest by the two-class formulas, divided by the sum.
TEST(Probabilities, OfManyClassesAreNormalisedMapsOfEachClass) {
  const Predicted one = predicted(3, 1.0, 300);
  const model::Calibration& kept = one.model->calibration;
  for (const CalibrationMap map : all_maps) {
    const model::ProbabilityMaps maps(*one.model, map);
    for (std::size_t i = 0; i < one.prediction.label.size(); ++i) {
      std::vector<double> expected;
      std::vector<model::ProbabilityInterval> intervals(3);
      for (std::size_t c = 0; c < 3; ++c) {
        std::vector<double> scores;
        std::vector<int> is_class;
        for (std::size_t r = 0; r < kept.labels.size(); ++r) {
          scores.push_back(kept.scores.row(r)[c]);
          is_class.push_back(kept.labels[r] == static_cast<int>(c) ? 1 : 0);
        }
        const double score = one.prediction.score.row(i)[c];
        if (map == CalibrationMap::sigmoid) expected.push_back(model::fit_sigmoid(scores, is_class)(score));
        if (map == CalibrationMap::isotonic) expected.push_back(model::Isotonic(scores, is_class)(score));
        if (map == CalibrationMap::venn_abers) {
          intervals[c] = model::VennAbers(scores, is_class)(score);
          expected.push_back(intervals[c].merged());
        }
      }
      const double sum = std::accumulate(expected.begin(), expected.end(), 0.0);
      std::vector<double> found(3);
      std::vector<model::ProbabilityInterval> found_intervals(3);
      maps.apply(one.prediction.score.row(i), found, found_intervals);
      for (std::size_t c = 0; c < 3; ++c) {
        EXPECT_NEAR(found[c], sum > 0 ? expected[c] / sum : 1.0 / 3, 1e-14);
        if (map == CalibrationMap::venn_abers) EXPECT_EQ(found_intervals[c].upper, intervals[c].upper);
      }
    }
  }
}

TEST(Probabilities, IntervalsOfTwoClassesMirrorEachOther) {
  Predicted one = predicted(2, 1.0, 300);
  model::add_probabilities(*one.model, {CalibrationMap::venn_abers}, one.prediction);
  const Prediction& said = one.prediction;
  for (std::size_t i = 0; i < said.label.size(); ++i) {
    EXPECT_NEAR(said.probability_lower.row(i)[0], 1 - said.probability_upper.row(i)[1], 1e-15);
    EXPECT_NEAR(said.probability_upper.row(i)[0], 1 - said.probability_lower.row(i)[1], 1e-15);
    EXPECT_LE(said.probability_lower.row(i)[1], said.probability_upper.row(i)[1] + 1e-15);
  }
  model::add_probabilities(*one.model, {CalibrationMap::isotonic}, one.prediction);
  EXPECT_EQ(said.probability_lower.rows, 0U);
}

/// Clouds one apart have P(second | x) = expit of a linear function: a sigmoid of a linear SVM's margins is right.
TEST(Probabilities, AreNearTheTrueOnes) {
  test::Surroundings here;
  core::RandomStream random(8);
  const auto draw = [&](std::size_t n) {
    data::DenseMatrix x(n, 1);
    std::vector<std::string> labels;
    for (std::size_t i = 0; i < n; ++i) {
      x.row(i)[0] = random.normal() + (i % 2 == 0 ? 0.0 : 1.5);
      labels.emplace_back(i % 2 == 0 ? "a" : "b");
    }
    return data::make_dataset(std::move(x), labels);
  };
  selection::Options options;
  options.method = selection::method_named("cv");
  options.estimate = selection::Estimate::none;
  options.costs.C = {1};
  options.kernels.types = {kernel::KernelType::linear};
  options.choose_one_svm();
  const data::Dataset training = draw(2000);
  const auto model =
      selection::fitted(training, selection::Selector(options).select(training, here.context), here.context);
  const data::Dataset rows = draw(500);
  for (const auto& [map, most] : {std::pair{CalibrationMap::sigmoid, 0.03}, std::pair{CalibrationMap::isotonic, 0.06},
                                  std::pair{CalibrationMap::venn_abers, 0.06}}) {
    Prediction prediction = model->predict(rows, here.context);
    model::add_probabilities(*model, {map}, prediction);
    double deviation = 0;
    for (std::size_t i = 0; i < 500; ++i) {
      const double truth = 1 / (1 + std::exp(-1.5 * (rows.features.dense().row(i)[0] - 0.75)));
      deviation += std::abs(prediction.probability.row(i)[1] - truth) / 500;
    }
    EXPECT_LT(deviation, most) << core::word(map);
  }
}

TEST(Probabilities, OfRelevanceVectorMachinesAreTheirOwnUnlessAMapIsAskedFor) {
  for (const int classes : {2, 3}) {
    const Predicted one = predicted(classes, 1.0, 300, "rvm");
    Prediction prediction = one.prediction;
    model::add_probabilities(*one.model, {}, prediction);
    EXPECT_EQ(prediction.probability.values, one.prediction.probability.values);
    EXPECT_EQ(prediction.moderated.values, one.prediction.moderated.values);
    for (const CalibrationMap map : all_maps) {
      model::add_probabilities(*one.model, {map}, prediction);
      expect_probabilities(prediction);
      EXPECT_NE(prediction.probability.values, one.prediction.probability.values);
      EXPECT_EQ(prediction.moderated.rows, 0U);
    }
  }
}

TEST(Probabilities, AModelWithoutScoresIsRefusedInOneSentence) {
  test::Surroundings here;
  const auto refuse = [&](const model::Predictor& model, const data::Dataset& rows, const char* words) {
    Prediction prediction = model.predict(rows, here.context);
    test::expect_error(ErrorCode::invalid_argument, words, [&] { model::add_probabilities(model, {}, prediction); });
  };
  const data::Dataset two = test::random_clouds(40, 2, 2, 1, 3).dataset();
  svm::SvmModel model = svm::train(two, {}, here.context).model;
  refuse(model, two, "keeps no scores of rows left out");
  model.calibration = {"out-of-fold", model::PValues::cross, {1, std::numeric_limits<double>::infinity()}, {0, 1}};
  refuse(model, two, "infinite");
  const data::Dataset three = test::random_clouds(40, 2, 3, 1, 3).dataset();
  svm::SvmModel old = svm::train(three, {}, here.context).model;
  old.calibration = {"out-of-fold", model::PValues::cross, {1, 2, 3}, {0, 1, 2}};
  refuse(old, three, "those of all classes");
  data::DenseMatrix x(6, 1);
  x.values = {0, 1, 2, 3, 4, 5};
  const data::Dataset numbers = data::make_regression_dataset(x, std::vector<double>{0, 1, 4, 9, 16, 25});
  rvm::TrainOptions options;
  refuse(rvm::train(numbers, options, here.context).model, numbers, "a regression predicts numbers");
}

}  // namespace probability_contract_tests
}  // namespace credence
