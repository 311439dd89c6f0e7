#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "credence/core/random.hpp"
#include "credence/svm/loss.hpp"

namespace loss_closed_forms_tests {

using namespace credence;

constexpr double epsilon = 0x1p-52;

/// Corners of all losses, their neighbours, and random margins.
std::vector<double> margins() {
  std::vector<double> result{-1e300, -3,  -1 - epsilon, -1, -1 + epsilon, -0.5, -1e-300, 0,
                             1e-300, 0.5, 1 - epsilon,  1,  1 + epsilon,  3,    1e300};
  core::RandomStream random(1, 113);
  for (int k = 0; k < 1000; ++k) result.push_back(1.5 * random.normal());
  return result;
}

TEST(Loss, Values) {
  struct Row {
    double margin, hard, hinge, soft;
  };
  for (const Row& row : {Row{-2, 1, 3, 1},
                         {-1, 1, 2, 1},
                         {-0.5, 1, 1.5, 0.75},
                         {0, 1, 1, 0.5},
                         {0.5, 0, 0.5, 0.25},
                         {1, 0, 0, 0},
                         {2, 0, 0, 0}}) {
    EXPECT_EQ(svm::hard_loss(row.margin), row.hard) << row.margin;
    EXPECT_EQ(svm::hinge_loss(row.margin), row.hinge) << row.margin;
    EXPECT_EQ(svm::soft_loss(row.margin), row.soft) << row.margin;
    EXPECT_EQ(svm::clipped_hinge(row.margin), 2 * row.soft) << row.margin;
  }
  EXPECT_EQ(svm::hard_loss(-0.0), 1);  // a decision value of 0 is an error
}

TEST(Loss, SoftIsItsFormula) {
  for (const double margin : margins()) {
    EXPECT_EQ(svm::soft_loss(margin), std::fmin(1, std::fmax(0, (1 - margin) / 2))) << margin;
    EXPECT_EQ(svm::clipped_hinge(margin), std::fmin(2, svm::hinge_loss(margin))) << margin;
    EXPECT_EQ(svm::clipped_hinge(margin), 2 * svm::soft_loss(margin)) << margin;
  }
}

TEST(Loss, OppositeLabelsShareOne) {
  for (const double margin : margins())
    EXPECT_NEAR(svm::soft_loss(margin) + svm::soft_loss(-margin), 1, epsilon) << margin;
}

TEST(Loss, HardAndSoftLimitEachOther) {
  for (const double margin : margins()) {
    const double hard = svm::hard_loss(margin);
    const double soft = svm::soft_loss(margin);
    EXPECT_GE(soft, 0);
    EXPECT_LE(soft, 1);
    EXPECT_LE(hard, 2 * soft) << margin;
    EXPECT_LE(soft, hard + (1 - hard) / 2) << margin;
    EXPECT_LE(2 * soft, svm::hinge_loss(margin)) << margin;
  }
}

TEST(Loss, NoneRisesWithTheMargin) {
  std::vector<double> sorted = margins();
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t k = 1; k < sorted.size(); ++k)
    for (const auto loss : {svm::hard_loss, svm::hinge_loss, svm::clipped_hinge, svm::soft_loss})
      EXPECT_LE(loss(sorted[k]), loss(sorted[k - 1])) << sorted[k - 1] << " to " << sorted[k];
}

}  // namespace loss_closed_forms_tests
