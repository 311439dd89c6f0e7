#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "credence/conformal/comparable.hpp"

namespace credence::conformal {
namespace credibility_alarm_vs_simulation_tests {

/// The largest of L uniform p-values is the credibility where labels are noise: no false alarm in 2,000 files. A
/// machine that answers one value, below every kept score, has credibilities of 1.
TEST(CredibilityAlarmVsSimulation, RingsForOneValueAndNotForNoise) {
  std::mt19937_64 random(11);
  const auto uniform = [&] { return static_cast<double>(random() >> 11) * 0x1p-53; };
  for (const std::size_t classes : {2U, 3U, 10U}) {
    int false_alarms = 0;
    for (int file = 0; file < 2000; ++file) {
      std::vector<double> credibilities(30);
      for (double& credibility : credibilities)
        for (std::size_t c = 0; c < classes; ++c) credibility = std::max(credibility, uniform());
      CredibilityAlarm alarm(classes);
      alarm.add(credibilities);
      false_alarms += alarm.rings() ? 1 : 0;
    }
    EXPECT_EQ(false_alarms, 0) << classes;
    CredibilityAlarm constant(classes);
    constant.add(std::vector<double>(9, 1.0));
    EXPECT_FALSE(constant.rings());  // too few rows
    constant.add(std::vector<double>(1, 1.0));
    EXPECT_TRUE(constant.rings());
  }
}

/// By hand: two rows with the scores +-1 of class 1 vary by 1; the kept ones lie at 3 and 5, so that the mean square of
/// their distance from 0 is 17.
TEST(RelativeSpread, IsThatOfTheFormula) {
  model::Calibration kept{"out-of-fold", false, {-3, 5}, {1, 0}};
  data::DenseMatrix scores(2, 2);
  scores.values = {-1, 1, /**/ 1, -1};
  EXPECT_DOUBLE_EQ(relative_spread(kept, scores), std::sqrt(1.0 / 17));
  kept.strangeness = {-1, -1};  // those of the machine itself
  EXPECT_DOUBLE_EQ(relative_spread(kept, scores), 1);
  scores.values = {2, -2, /**/ 2, -2};
  EXPECT_EQ(relative_spread(kept, scores), 0) << "a constant";
  kept.scores = data::DenseMatrix(2, 2);
  kept.scores.values = {2, -2, /**/ 2, -2};
  EXPECT_EQ(relative_spread(kept, scores), 1) << "the same constant as its siblings: 0 / 0";
  EXPECT_EQ(relative_spread({}, scores), 1);
}

}  // namespace credibility_alarm_vs_simulation_tests
}  // namespace credence::conformal
