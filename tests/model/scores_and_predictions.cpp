#include <gtest/gtest.h>

#include <limits>

#include "credence/model/classifier_family.hpp"
#include "credence/model/predictor.hpp"

namespace credence {
namespace scores_and_predictions_tests {

TEST(Scores, LabelIsTheLargestScoreTiesToTheLowestClass) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  model::Scores scores(2, 2, 3);
  scores.values = {1, 2, 2, /**/ 0, 0, 0, /**/ -infinity, -infinity, -3, /**/ -1, -2, infinity};
  scores.label_by_score();
  EXPECT_EQ(scores.labels, (std::vector<int>{1, 0, 2, 2}));
  EXPECT_EQ(scores.label(1, 0), 2);
  EXPECT_EQ(scores.at(1, 1)[2], infinity);
}

TEST(Prediction, RegionHoldsTheClassesAboveEps) {
  model::Prediction prediction;
  prediction.p_value = data::DenseMatrix(2, 3);
  prediction.p_value.values = {0.2, 0.5, 0.1, /**/ 0.0, 1.0, 0.3};
  EXPECT_EQ(prediction.prediction_set(0, 0.0), (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(prediction.prediction_set(0, 0.1), (std::vector<int>{0, 1}));  // at eps is not above it
  EXPECT_EQ(prediction.prediction_set(0, 0.5), (std::vector<int>{}));
  EXPECT_EQ(prediction.prediction_set(1, 0.0), (std::vector<int>{1, 2}));
  EXPECT_EQ(prediction.prediction_set(1, 0.99), (std::vector<int>{1}));
}

}  // namespace scores_and_predictions_tests
}  // namespace credence
