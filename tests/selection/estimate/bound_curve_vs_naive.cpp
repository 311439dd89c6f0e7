#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "credence/core/random.hpp"
#include "credence/selection/as_strange.hpp"
#include "support/expect_error.hpp"

namespace credence::selection {
namespace bound_curve_vs_naive_tests {

struct Case {
  model::Prediction prediction;
  std::vector<int> labels;
};

/// p-values are counts out of n, so that eps_crit has many ties.
Case random_case(std::size_t rows, std::size_t classes, std::size_t n, std::uint64_t seed) {
  core::RandomStream random(seed);
  Case result;
  result.prediction.p_value = data::DenseMatrix(rows, classes);
  for (std::size_t i = 0; i < rows; ++i) {
    const auto p = result.prediction.p_value.row(i);
    for (double& value : p) value = static_cast<double>(random.below(n + 1)) / static_cast<double>(n);
    result.prediction.label.push_back(static_cast<int>(std::max_element(p.begin(), p.end()) - p.begin()));
    std::vector<double> sorted(p.begin(), p.end());
    std::sort(sorted.begin(), sorted.end());
    const double eps = sorted[classes - 2];
    result.prediction.eps_crit.push_back(eps);
    result.prediction.bound_vc.push_back(eps + 2.5);
    result.prediction.bound_dkw.push_back(eps + 0.3);
    result.labels.push_back(static_cast<int>(random.below(classes + 1)) - 1);
  }
  return result;
}

TEST(BoundCurve, EqualsTheNaiveLoop) {
  for (const std::size_t classes : {2U, 3U, 5U}) {
    const Case random = random_case(211, classes, 12, classes);
    const model::Prediction& prediction = random.prediction;
    const std::set<double> bounds(prediction.bound_vc.begin(), prediction.bound_vc.end());
    const std::vector<BoundPoint> curve = bound_curve(prediction, random.labels);
    ASSERT_EQ(curve.size(), bounds.size());
    std::size_t point = 0;
    for (const double bound : bounds) {
      std::size_t rows = 0;
      std::size_t errors = 0;
      for (std::size_t i = 0; i < random.labels.size(); ++i) {
        if (prediction.bound_vc[i] > bound) continue;
        ++rows;
        if (prediction.label[i] != random.labels[i]) ++errors;
      }
      EXPECT_EQ(curve[point].bound_vc, bound);
      EXPECT_NEAR(curve[point].bound_dkw, bound - 2.5 + 0.3, 1e-12);
      EXPECT_NEAR(curve[point].eps_crit, bound - 2.5, 1e-12);
      EXPECT_EQ(curve[point].rows, rows);
      EXPECT_EQ(curve[point].errors, errors);
      ++point;
    }
    EXPECT_EQ(curve.back().rows, random.labels.size());
  }
}

TEST(BoundCurve, OfNoRowsHasNoPoints) {
  EXPECT_TRUE(bound_curve({}, {}).empty());
}

TEST(BoundCurve, RefusesPredictionsWithoutBoundsAndOtherSizes) {
  Case random = random_case(9, 2, 5, 1);
  model::Prediction bare;
  bare.label = random.prediction.label;
  test::expect_error(ErrorCode::invalid_argument, "no bounds", [&] { bound_curve(bare, random.labels); });
  random.labels.pop_back();
  test::expect_error(ErrorCode::invalid_argument, "8 labels", [&] { bound_curve(random.prediction, random.labels); });
}

}  // namespace bound_curve_vs_naive_tests
}  // namespace credence::selection
