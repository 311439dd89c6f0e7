#include <gtest/gtest.h>

#include <cmath>

#include "credence/bounds/uniform.hpp"
#include "support/expect_error.hpp"

namespace uniform_vs_closed_form_tests {

using credence::ErrorCode;
using credence::bounds::dkw_deviation;
using credence::bounds::hoeffding_deviation;
using credence::bounds::vc_deviation;
using credence::test::expect_error;

TEST(UniformBounds, ClosedForms) {
  // Computed with other software from the formulas of the header.
  EXPECT_NEAR(vc_deviation(50, 1, 0.05 / 110), 3.067665403118072, 1e-12);
  EXPECT_NEAR(vc_deviation(1000, 3, 0.05), 0.9038756451065693, 1e-12);
  EXPECT_NEAR(dkw_deviation(50, 0.1), 0.17308183826022852, 1e-12);  // sqrt(ln 20) / 10
  EXPECT_NEAR(dkw_deviation(50, 0.05 / 110), 0.2896439162127586, 1e-12);
  EXPECT_NEAR(hoeffding_deviation(50, 0.1), 0.15174271293851463, 1e-12);  // sqrt(ln 10) / 10
  // One-sided at delta / 2 is two-sided at delta.
  EXPECT_NEAR(hoeffding_deviation(77, 0.02), dkw_deviation(77, 0.04), 1e-12);
}

TEST(UniformBounds, ThePapersBoundIsVacuousWithItsFiftyRows) {
  // Proposition 4.2 with n = 50, K = 110, delta = 0.05; DKW over as many models says something.
  EXPECT_GT(vc_deviation(50, 1, 0.05 / 110), 1);
  EXPECT_LT(dkw_deviation(50, 0.05 / 110), 0.3);
}

TEST(UniformBounds, FallWithRowsAndDeltaAndGrowWithDimension) {
  for (std::size_t size = 1; size < 300; ++size) {
    EXPECT_GT(vc_deviation(size, 1, 0.05), vc_deviation(size + 1, 1, 0.05)) << size;
    EXPECT_GT(dkw_deviation(size, 0.05), dkw_deviation(size + 1, 0.05));
    EXPECT_GT(hoeffding_deviation(size, 0.05), hoeffding_deviation(size + 1, 0.05));
  }
  for (const double delta : {1e-300, 1e-6, 0.01, 0.2, 0.9}) {
    EXPECT_GT(vc_deviation(100, 2, delta), vc_deviation(100, 2, 1.05 * delta));
    EXPECT_GT(dkw_deviation(100, delta), dkw_deviation(100, 1.05 * delta));
    EXPECT_GT(hoeffding_deviation(100, delta), hoeffding_deviation(100, 1.05 * delta));
    EXPECT_TRUE(std::isfinite(vc_deviation(100, 2, delta)));
  }
  for (std::size_t d = 1; d < 100; ++d) EXPECT_LT(vc_deviation(100, d, 0.05), vc_deviation(100, d + 1, 0.05)) << d;
  // No more than all subsets of the sample can be told apart.
  EXPECT_EQ(vc_deviation(100, 100, 0.05), vc_deviation(100, 100000, 0.05));
}

TEST(UniformBounds, RefuseWhatHasNoMeaning) {
  const auto code = ErrorCode::invalid_argument;
  for (const double delta : {0.0, 1.0, -0.1, 1.5, std::nan("")}) {
    expect_error(code, "delta", [&] { vc_deviation(10, 1, delta); });
    expect_error(code, "delta", [&] { dkw_deviation(10, delta); });
    expect_error(code, "delta", [&] { hoeffding_deviation(10, delta); });
  }
  expect_error(code, "at least one", [] { vc_deviation(0, 1, 0.05); });
  expect_error(code, "at least one", [] { dkw_deviation(0, 0.05); });
  expect_error(code, "at least one", [] { hoeffding_deviation(0, 0.05); });
  expect_error(code, "dimension", [] { vc_deviation(10, 0, 0.05); });
}

}  // namespace uniform_vs_closed_form_tests
