#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "rvm/local_evidence.hpp"

namespace local_evidence_vs_laplace_tests {

using namespace credence;

/// Equation 4: log Q(w_MP) + (parameters / 2) log 2 pi - 0.5 log |H|, where H is the Hessian of -log Q.
double log_laplace_evidence(double log_posterior, std::size_t parameters, double log_hessian) {
  return log_posterior + 0.5 * static_cast<double>(parameters) * std::log(2 * std::numbers::pi) - 0.5 * log_hessian;
}

/// Equation 5: log Q(w0) + sum_i log A(a_i, b_i). For one parameter at the maximum this is equation 4 less log 2.
double log_local_evidence(double log_posterior, const std::vector<double>& slopes,
                          const std::vector<double>& curvatures) {
  double sum = log_posterior;
  for (std::size_t i = 0; i < slopes.size(); ++i) sum += rvm::log_stability(slopes[i], curvatures[i]);
  return sum;
}

/// One column of +-1 that is the sign of the class, 10 rows, at the fixed point of its alpha:
/// exp(w) = 10 (1 + w expit(w)), alpha = expit(w) / (w (1 + w expit(w))).
struct OneColumn {
  double weight = 3.8691134921;
  double alpha = 0.0528543247;
  double expit() const { return 1 / (1 + std::exp(-weight)); }
  double log_posterior() const {
    return -10 * std::log1p(std::exp(-weight)) - 0.5 * alpha * weight * weight + 0.5 * std::log(alpha) -
           0.5 * std::log(2 * std::numbers::pi);
  }
  double slope() const { return 10 * (1 - expit()) - alpha * weight; }
  double curvature() const { return 10 * expit() * (1 - expit()) + alpha; }
};

TEST(LocalEvidence, IsHalfTheLaplaceEvidenceOfOneParameterAtItsMaximum) {
  const OneColumn column;
  const double laplace = log_laplace_evidence(column.log_posterior(), 1, std::log(column.curvature()));
  const double local = log_local_evidence(column.log_posterior(), std::vector{0.0}, std::vector{column.curvature()});
  EXPECT_NEAR(column.slope(), 0, 1e-9) << "the column is at its maximum";
  EXPECT_NEAR(std::exp(laplace), 0.25019887236, 1e-10);
  EXPECT_NEAR(std::exp(local), 0.125099436, 1e-9);
  EXPECT_NEAR(local - laplace, -std::numbers::ln2, 1e-15);
  EXPECT_NEAR(laplace, -1.3854991879, 1e-9);
}

TEST(LocalEvidence, OfIndependentParametersAtTheMaximumIsTheLaplaceEvidenceHalvedForEach) {
  const std::vector<double> curvatures{2, 0.3, 17};
  double log_hessian = 0;
  for (const double b : curvatures) log_hessian += std::log(b);
  const double local = log_local_evidence(-4.5, std::vector<double>(3, 0), curvatures);
  EXPECT_NEAR(local, log_laplace_evidence(-4.5, 3, log_hessian) - 3 * std::numbers::ln2, 1e-14);
}

/// Bias only, 10 rows of which 8 positive, at the fixed point of alpha.
TEST(LaplaceEvidence, TakesThePrintedValueOfABias) {
  EXPECT_NEAR(log_laplace_evidence(-6.5672315443, 1, std::log(2.7539822826)), -6.1548169946, 1e-9);
}

}  // namespace local_evidence_vs_laplace_tests
