#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "credence/conformal/measures.hpp"
#include "credence/conformal/p_value.hpp"

namespace credence::conformal {
namespace measures_vs_hand_computed_tests {

using Distances = std::vector<double>;
constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(NeighbourRatio, IsTheRatioOfSums) {
  EXPECT_EQ(neighbour_ratio(Distances{1}, Distances{5}), 0.2);
  EXPECT_EQ(neighbour_ratio(Distances{1, 2}, Distances{4, 8}), 0.25);
  EXPECT_EQ(neighbour_ratio(Distances{0, 3}, Distances{1, 1}), 1.5);
}

TEST(NeighbourRatio, OfUnequalCountsIsTheRatioOfMeans) {
  EXPECT_EQ(neighbour_ratio(Distances{3}, Distances{1, 2, 3}), 1.5);
  EXPECT_EQ(neighbour_ratio(Distances{1, 2, 3}, Distances{8}), 0.25);
}

TEST(NeighbourRatio, KnowsZeroAndMissing) {
  EXPECT_EQ(neighbour_ratio(Distances{}, Distances{1}), infinity);
  EXPECT_EQ(neighbour_ratio(Distances{}, Distances{}), infinity);
  EXPECT_EQ(neighbour_ratio(Distances{1}, Distances{}), 0);
  EXPECT_EQ(neighbour_ratio(Distances{0}, Distances{}), 0);
  EXPECT_EQ(neighbour_ratio(Distances{0}, Distances{2}), 0);
  EXPECT_EQ(neighbour_ratio(Distances{1}, Distances{0}), infinity);
  EXPECT_EQ(neighbour_ratio(Distances{0}, Distances{0}), 1);
  EXPECT_EQ(neighbour_ratio(Distances{0, 0}, Distances{0}), 1);
}

TEST(NeighbourRatio, SumsInAscendingOrderAndDividesOnce) {
  // 0.1 + 0.2 + 0.3 in this order is one last bit above 0.6; (0.3 + 0.2) + 0.1 is not.
  const double ascending = (0.1 + 0.2) + 0.3;
  ASSERT_NE(ascending, (0.3 + 0.2) + 0.1);
  EXPECT_EQ(neighbour_ratio(Distances{0.1, 0.2, 0.3}, Distances{1, 1, 1}), ascending / 3);
  EXPECT_EQ(neighbour_ratio(Distances{1, 1, 1}, Distances{0.1, 0.2, 0.3}), 3 / ascending);
  EXPECT_EQ(neighbour_ratio(Distances{0.1, 0.2, 0.3}, Distances{7}), ascending / 3 / 7);
  ASSERT_NE(7.0 / 2.3, (7.0 / 3) / (2.3 / 3));  // equal counts: no means
  EXPECT_EQ(neighbour_ratio(Distances{1, 2, 4}, Distances{0.5, 0.8, 1}), 7.0 / 2.3);
}

TEST(OwnClassDistance, IsTheSumScaledToK) {
  EXPECT_EQ(own_class_distance(Distances{1, 2, 4}, 3), 7);
  EXPECT_EQ(own_class_distance(Distances{1, 2}, 3), 4.5);
  ASSERT_NE(0.7 * 5 / 3, 0.7 / 3 * 5);  // times k first
  EXPECT_EQ(own_class_distance(Distances{0, 0, 0.7}, 5), 0.7 * 5 / 3);
  EXPECT_EQ(own_class_distance(Distances{0, 0}, 2), 0);
  EXPECT_EQ(own_class_distance(Distances{}, 1), infinity);
  EXPECT_EQ(own_class_distance(Distances{0.1, 0.2, 0.3}, 3), (0.1 + 0.2) + 0.3);
}

TEST(OtherMeasures, EqualTheirFormulas) {
  EXPECT_EQ(margin_nonconformity(1.5), -1.5);
  EXPECT_EQ(margin_nonconformity(-infinity), infinity);
  EXPECT_EQ(absolute_residual(2, 5), 3);
  EXPECT_EQ(absolute_residual(5, 2), 3);
  EXPECT_EQ(normalised_residual(2, 5, 1, 0.5), 2);
  EXPECT_EQ(normalised_residual(2, 5, 0, 0.5), 6);
}

// Class 0 at (0,0), (1,0), (0,1), class 1 at (4,4), (3,4), (4,3); the new one at (1,1). As class 0 its nearest are 1
// and sqrt(13) away; the others have 1/5, 1/sqrt(18), 1/sqrt(18), then 1/sqrt(18) and twice 1/sqrt(13), as (1,1) came
// nearer to class 1 than any of class 0. As class 1 its ratio is sqrt(13), and nobody's is larger.
TEST(NeighbourRatio, GivesThePValuesWorkedOutByHand) {
  const double near = std::sqrt(13.0);
  const double far = std::sqrt(18.0);
  const auto ratio = [](double own, double other) { return neighbour_ratio(Distances{own}, Distances{other}); };
  const std::vector<int> labels{0, 0, 0, 1, 1, 1};
  const NonconformityTable as_0(
      Distances{ratio(1, 5), ratio(1, far), ratio(1, far), ratio(1, far), ratio(1, near), ratio(1, near)}, labels, 2);
  // Under class 1 the examples of class 0 have (1,1) as their nearest other: sqrt(2), 1 and 1 away.
  const NonconformityTable as_1(
      Distances{ratio(1, std::sqrt(2.0)), ratio(1, 1), ratio(1, 1), ratio(1, 5), ratio(1, far), ratio(1, far)}, labels,
      2);
  model::Prediction prediction;
  prediction.p_value = data::DenseMatrix(1, 2);
  prediction.p_value.values = {p_value(as_0.rank(ratio(1, near))), p_value(as_1.rank(ratio(near, 1)))};
  conclude(prediction);
  EXPECT_EQ(prediction.p_value.values, (Distances{3.0 / 7, 1.0 / 7}));
  EXPECT_EQ(prediction.label, std::vector<int>{0});
  EXPECT_EQ(prediction.credibility, Distances{3.0 / 7});
  EXPECT_EQ(prediction.confidence, Distances{1 - 1.0 / 7});
  EXPECT_EQ(p_value(as_0.rank(ratio(1, near), 0)), 1.0 / 4);
}

}  // namespace measures_vs_hand_computed_tests
}  // namespace credence::conformal
