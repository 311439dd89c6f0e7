#include <gtest/gtest.h>

#include <boost/math/quadrature/exp_sinh.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "rvm/local_evidence.hpp"
#include "support/expect_error.hpp"

namespace local_evidence_vs_quadrature_tests {

using namespace credence;
using rvm::log_stability;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// log of the integral over s > 0 of exp(-a s - b s^2 / 2), with s in units of the width, so that nothing overflows.
double log_integral(double a, double b) {
  const double width = 1 / std::max(a, std::sqrt(std::max(b, 0.0)));
  const double slope = a * width;
  const double curvature = std::max(b, 0.0) * width * width;
  boost::math::quadrature::exp_sinh<double> quadrature;
  const auto integrand = [&](double s) { return std::exp(-s * (slope + curvature * s / 2)); };
  return std::log(quadrature.integrate(integrand, 1e-13)) + std::log(width);
}

TEST(LogStabilityVsQuadrature, IsTheIntegralOverTheFallingSide) {
  for (const double b : {-2.0, 0.0, 1e-9, 1e-3, 0.5, 7.0, 1e6, 1e12}) {
    for (const double ratio : {1e-6, 0.01, 0.3, 1.0, 2.5, 6.0, 9.0, 11.0, 30.0, 1e3, 1e6}) {
      const double a = ratio * std::sqrt(2 * std::max(std::abs(b), 1e-6));
      EXPECT_NEAR(log_stability(a, b), log_integral(a, b), 2e-12) << "a " << a << ", b " << b;
    }
  }
}

struct Known {
  double a;
  double b;
  double log_A;
};

TEST(LogStability, TakesThePrintedValues) {
  const std::vector<Known> known{{0, 2, -0.120782237635},      {1, 2, -0.605793367472},     {3, 0.5, -1.147998099056},
                                 {40, 1, -3.689503480549},     {10, 1e-6, -2.302585102994}, {1e5, 1, -11.512925465070},
                                 {1e-3, 1e4, -4.379386812171}, {2, -1, -0.693147180560},    {2, 0, -0.693147180560}};
  for (const Known& k : known) {
    EXPECT_NEAR(log_stability(k.a, k.b), k.log_A, 1e-12) << k.a << ", " << k.b;
    EXPECT_EQ(log_stability(-k.a, k.b), log_stability(k.a, k.b)) << "symmetric in a";
  }
}

/// References: mpmath with 60 digits. With b = 1/2 the argument of erfcx is a itself.
TEST(LogStability, AgreesWithManyDigitsFromZeroToTheFarTail) {
  const std::vector<Known> known{
      {1e-8, 0.5, 0.57236493164090845},      {0.01, 0.5, 0.56111738669520860}, {0.5, 0.5, 0.08735381308761568},
      {2, 0.5, -0.79257632169193749},        {5, 0.5, -1.6285246026127343},    {7.5, 0.5, -2.0236025309476147},
      {9.9999999, 0.5, -2.3075240720177768}, {10, 0.5, -2.3075240819201885},   {10.0000001, 0.5, -2.3075240918226001},
      {12, 0.5, -2.4883492350623094},        {25, 0.5, -3.2196742311469853},   {1000, 0.5, -6.9077557789815121},
      {1e8, 0.5, -18.420680743952366},       {0.3, 1e-20, 1.2039728043259360}, {1e-20, 1e-40, 45.629618748076323}};
  for (const Known& k : known) EXPECT_NEAR(log_stability(k.a, k.b), k.log_A, 1e-13) << k.a << ", " << k.b;
}

TEST(LogStability, SurvivesTheEndsOfTheNumberLine) {
  const std::vector<Known> known{{1e-12, 1e-300, 27.631021115928548},   {1e150, 1e300, -345.80984706091144},
                                 {1e154, 1.5e308, -355.12307946093109}, {1e300, 1e-300, -690.77552789821371},
                                 {1e-300, 1e300, -345.16197259646251},  {0, 5e-324, 372.44582731333536},
                                 {0, 1.7e308, -354.63762709396931},     {1.7e308, 1e-320, -709.72683689322824}};
  for (const Known& k : known) EXPECT_NEAR(log_stability(k.a, k.b), k.log_A, 1e-12) << k.a << ", " << k.b;
  const std::vector<double> magnitudes{0, 5e-324, 1e-310, 2.3e-308, 1e-200, 1e-8, 1, 1e8, 1e200, 1.79e308};
  for (const double a : magnitudes) {
    for (const double b : magnitudes) {
      EXPECT_EQ(std::isfinite(log_stability(a, b)), a > 0 || b > 0) << a << ", " << b;
      EXPECT_EQ(std::isfinite(log_stability(a, -b)), a > 0) << a << ", " << -b;
      EXPECT_TRUE(std::isfinite(log_stability(a, b, 3))) << a << ", " << b;
      EXPECT_TRUE(std::isfinite(log_stability(a, -b, 3))) << a << ", " << -b;
    }
  }
  EXPECT_EQ(log_stability(0, 0), infinity);
  EXPECT_EQ(log_stability(0, -1), infinity);
  EXPECT_EQ(log_stability(infinity, infinity), -infinity);
  EXPECT_EQ(log_stability(infinity, -1), -infinity);
  EXPECT_EQ(log_stability(1, infinity), -infinity);
}

TEST(LogStability, FallsWithSlopeAndCurvatureWithoutAJump) {
  double last = infinity;
  for (double a = 0.5; a < 40; a *= 1.0005) {  // passes where the series takes over, for b = 1/2
    const double now = log_stability(a, 0.5);
    EXPECT_LT(now, last) << a;
    if (std::isfinite(last)) EXPECT_LT(last - now, 6e-4) << a;
    last = now;
  }
  EXPECT_NEAR(log_stability(0.7, 1e-14), log_stability(0.7, 0), 1e-13) << "continuous as the curvature goes to 0";
}

TEST(LogStability, IsCappedInBothBranches) {
  const double cap = 3;
  EXPECT_EQ(log_stability(0, 0, cap), std::log(cap));
  EXPECT_EQ(log_stability(0, -5, cap), std::log(cap));
  EXPECT_EQ(log_stability(0.1, 1e-9, cap), std::log(cap));
  EXPECT_EQ(log_stability(0.1, -1, cap), std::log(cap));
  EXPECT_EQ(log_stability(2, 0.5, cap), log_stability(2, 0.5)) << "a cap that is not met changes nothing";
  EXPECT_EQ(log_stability(2, -0.5, cap), log_stability(2, -0.5));
  EXPECT_NEAR(log_stability(1 / cap, -1, cap), std::log(cap), 1e-15) << "the branches meet the cap continuously";
  EXPECT_NEAR(log_stability(1 / cap, 1e-14, cap), std::log(cap), 1e-12);
}

TEST(LogStability, RefusesWhatIsNotANumberAndCapsThatAreNotAboveZero) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  test::expect_error(ErrorCode::invalid_argument, "slope nan", [&] { log_stability(nan, 1); });
  test::expect_error(ErrorCode::invalid_argument, "curvature nan", [&] { log_stability(1, nan); });
  for (const double cap : {0.0, -1.0, nan})
    test::expect_error(ErrorCode::invalid_argument, "above 0", [&] { log_stability(1, 1, cap); });
}

}  // namespace local_evidence_vs_quadrature_tests
