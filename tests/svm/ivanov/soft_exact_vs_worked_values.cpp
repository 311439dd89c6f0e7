#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

#include "support/ivanov_problems.hpp"

namespace soft_exact_vs_worked_values_tests {

using namespace credence;
using test::exact_options;
using test::IvanovProblem;

/// Complexities of the six points and the least soft loss of their labels; worked out apart from this code.
struct Worked {
  double rho, rademacher, discrepancy, loss;
};
const std::vector<Worked> with_bias{{1e-6, 0.31290455, 0.40030819, 0.49973648},
                                    {0.1, 0.44043028, 0.49745925, 0.41666667},
                                    {1, 0.68239214, 0.69766127, 0.25},
                                    {10, 0.80360037, 0.81666667, 0.16666667}};
const std::vector<Worked> without_bias{{1e-6, 0.00082078, 0.00087205, -1},
                                       {0.1, 0.25618077, 0.27024747, -1},
                                       {1, 0.50093572, 0.52508406, 0.27953651},
                                       {10, 0.58590748, 0.60411863, -1}};

enum class Way { exact, primal, found };

double least_loss(const std::vector<int>& y, double rho, bool bias, Way way) {
  const IvanovProblem problem{test::products(test::six_points()), y};
  svm::IvanovOptions options = exact_options(bias);
  if (way == Way::exact) return problem.exact(rho, options).loss;
  if (way == Way::primal) return test::PrimalProblem{test::six_points(), y, {}, rho, bias}.minimum().value / 2;
  options.start_at_hint = options.start_at_last = false;
  return test::soft_at(problem, rho, options).loss;
}

/// Mean of 1 - 2 min over all 64 label vectors.
double rademacher(double rho, bool bias, Way way) {
  double sum = 0;
  for (std::size_t code = 0; code < 64; ++code) sum += 1 - 2 * least_loss(test::signs_of(code, 6), rho, bias, way);
  return sum / 64;
}

/// Mean of 1 - 2 min over the labels with one half flipped, for all 20 halves.
double discrepancy(double rho, bool bias, Way way) {
  double sum = 0;
  for (const std::size_t half : test::half_splits(6))
    sum += 1 - 2 * least_loss(test::flipped(test::six_labels, half), rho, bias, way);
  return sum / 20;
}

/// sup over the class of (2 / n) sum of s_i soft(f_i, y_i), the definition, by enumeration of cells in the primal.
double supremum(const std::vector<double>& weights, double rho, bool bias) {
  test::PrimalProblem problem{test::six_points(), test::six_labels, {}, rho, bias};
  for (const double weight : weights) problem.weights.push_back(-weight / 2);  // clipped hinge: twice the soft loss
  return -problem.minimum().value;
}

TEST(SoftExactOnSixPoints, RademacherComplexity) {
  for (const bool bias : {true, false})
    for (const Worked& row : bias ? with_bias : without_bias)
      EXPECT_NEAR(rademacher(row.rho, bias, Way::exact), row.rademacher, 1e-7) << row.rho << (bias ? "" : ", no bias");
}

TEST(SoftExactOnSixPoints, MaximalDiscrepancy) {
  for (const bool bias : {true, false}) {
    for (const Worked& row : bias ? with_bias : without_bias) {
      EXPECT_NEAR(discrepancy(row.rho, bias, Way::exact), row.discrepancy, 1e-7)
          << row.rho << (bias ? "" : ", no bias");
    }
  }
}

TEST(SoftExactOnSixPoints, LeastLoss) {
  for (const bool bias : {true, false}) {
    for (const Worked& row : bias ? with_bias : without_bias) {
      if (row.loss < 0) continue;
      EXPECT_NEAR(least_loss(test::six_labels, row.rho, bias, Way::exact), row.loss, 1e-7) << row.rho;
    }
  }
  EXPECT_NEAR(least_loss(test::six_labels, 3, true, Way::exact), 0.18899577, 1e-7);
}

/// The worked values themselves, and the enumeration of rows given up, against the primal.
TEST(SoftExactOnSixPoints, PrimalGivesTheSameComplexities) {
  for (const bool bias : {true, false}) {
    for (const Worked& row : bias ? with_bias : without_bias) {
      EXPECT_NEAR(rademacher(row.rho, bias, Way::primal), row.rademacher, 1e-7) << row.rho;
      EXPECT_NEAR(discrepancy(row.rho, bias, Way::primal), row.discrepancy, 1e-7) << row.rho;
    }
  }
}

/// E sup of (2 / n) sum of s_i l_i is 1 - 2 E min; each trial differs by 2 |I+| / n - 1 alone.
TEST(SoftExactOnSixPoints, DefinitionOfRademacherIsOneMinusTwoMinima) {
  for (const bool bias : {true, false}) {
    for (const double rho : {1e-6, 0.1, 1.0, 10.0}) {
      double definition = 0;
      for (std::size_t code = 0; code < 64; ++code) {
        const std::vector<int> signs = test::signs_of(code, 6);
        std::vector<double> weights;
        for (const int sign : signs) weights.push_back(2 * sign / 6.0);
        const double trial = supremum(weights, rho, bias);
        definition += trial / 64;
        const double positive = (6 + std::accumulate(signs.begin(), signs.end(), 0)) / 2.0;
        const std::vector<int> labels = test::flipped(test::six_labels, code);  // -s_i y_i
        EXPECT_NEAR(trial, 2 * positive / 6 - 2 * least_loss(labels, rho, bias, Way::exact), 1e-8) << code;
      }
      EXPECT_NEAR(definition, rademacher(rho, bias, Way::exact), 1e-8) << rho;
    }
  }
}

/// max of the mean loss of one half minus that of the other.
TEST(SoftExactOnSixPoints, DefinitionOfDiscrepancyIsOneMinusTwoMinima) {
  for (const bool bias : {true, false}) {
    for (const double rho : {1e-6, 0.1, 1.0, 10.0}) {
      double definition = 0;
      for (const std::size_t half : test::half_splits(6)) {
        std::vector<double> weights;
        for (std::size_t i = 0; i < 6; ++i) weights.push_back((half >> i & 1U) != 0 ? 1 / 3.0 : -1 / 3.0);
        definition += supremum(weights, rho, bias) / 20;
      }
      EXPECT_NEAR(definition, discrepancy(rho, bias, Way::exact), 1e-8) << rho;
    }
  }
}

/// Started from the hinge loss alone the procedure gave these, without free candidates. From rho = 1 on the hinge loss
/// has more than one minimum for some labels, and which one is taken decides on the local minimum.
TEST(SoftIvanovOnSixPoints, LiesBetweenTheProcedureAloneAndTheMinimum) {
  const std::vector<double> alone{0.31286071, 0.42771508, 0.64938115, 0.76349621};
  for (std::size_t k = 0; k < alone.size(); ++k) {
    const double found = rademacher(with_bias[k].rho, true, Way::found);
    EXPECT_GE(found, alone[k] - (with_bias[k].rho < 1 ? 1e-6 : 0.02)) << with_bias[k].rho;
    EXPECT_LE(found, with_bias[k].rademacher + 1e-7) << with_bias[k].rho;
  }
  for (const double rho : {1.0, 3.0, 10.0}) {
    const double found = least_loss(test::six_labels, rho, true, Way::found);
    EXPECT_LE(found, 0.26666667 + 1e-7) << rho;
    EXPECT_GE(found, least_loss(test::six_labels, rho, true, Way::exact) - 1e-8) << rho;
  }
}

TEST(SoftIvanovOnSixPoints, NeverBelowTheMinimumOfAnyLabels) {
  for (const bool bias : {true, false}) {
    for (const double rho : {1e-6, 0.1, 1.0, 10.0}) {
      for (std::size_t code = 0; code < 64; ++code) {
        const std::vector<int> y = test::signs_of(code, 6);
        EXPECT_GE(least_loss(y, rho, bias, Way::found), least_loss(y, rho, bias, Way::primal) - 1e-8)
            << rho << ", labels " << code << (bias ? "" : ", no bias");
      }
    }
  }
}

/// Two points x = 1, -1: R = (1 + sqrt(rho)) / 2 up to rho = 1, then 1; without bias sqrt(rho) / 2.
TEST(SoftExactOnTwoPoints, RademacherComplexityInClosedForm) {
  const data::DenseMatrix k = test::products(test::points(1, {1, -1}));
  for (const double rho : {0.0, 1e-12, 0.01, 0.25, 0.9, 1.0, 2.0, 1e6}) {
    for (const bool bias : {true, false}) {
      double complexity = 0;
      for (std::size_t code = 0; code < 4; ++code) {
        const IvanovProblem problem{k, test::signs_of(code, 2)};
        complexity += (1 - 2 * problem.exact(rho, exact_options(bias)).loss) / 4;
        EXPECT_NEAR(test::soft_at(problem, rho, exact_options(bias)).loss, problem.exact(rho, exact_options(bias)).loss,
                    1e-8)
            << rho << ", labels " << code;
      }
      const double root = std::min(1.0, std::sqrt(rho));
      EXPECT_NEAR(complexity, bias ? (1 + root) / 2 : root / 2, 1e-8) << rho;
    }
  }
}

}  // namespace soft_exact_vs_worked_values_tests
