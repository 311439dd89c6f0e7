#include "credence/conformal/cross_regression.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "credence/conformal/inductive.hpp"
#include "credence/core/random.hpp"
#include "support/expect_error.hpp"

/// CV+ against all ends, sorted one by one, and against the cross-conformal p-values that it contains.
namespace credence::conformal {
namespace cross_regression_vs_naive_tests {

using test::expect_error;
using Numbers = std::vector<double>;

constexpr double infinity = std::numeric_limits<double>::infinity();

struct Case {
  Numbers residuals;
  std::vector<int> machine_of;
  Numbers means;
};

/// Quarters, so that ends tie and sums are exact.
Case random_case(std::size_t n, std::size_t machines, std::uint64_t seed) {
  core::RandomStream random(seed);
  Case result;
  for (std::size_t i = 0; i < n; ++i) {
    result.residuals.push_back(static_cast<double>(random.below(20)) / 4);
    result.machine_of.push_back(static_cast<int>(random.below(machines)));
  }
  for (std::size_t k = 0; k < machines; ++k) result.means.push_back(static_cast<double>(random.below(9)) / 4);
  return result;
}

Numbers ends_of(const Case& one, double sign) {
  Numbers ends;
  for (std::size_t i = 0; i < one.residuals.size(); ++i)
    ends.push_back(one.means[static_cast<std::size_t>(one.machine_of[i])] + sign * one.residuals[i]);
  std::ranges::sort(ends);
  return ends;
}

PredictionInterval naive_interval(const Case& one, std::size_t r) {
  if (r == 0) return whole_line;
  const Numbers lower = ends_of(one, -1);
  const Numbers upper = ends_of(one, 1);
  const PredictionInterval ends{lower[r - 1], upper[upper.size() - r]};
  const double middle = (ends.lower + ends.upper) / 2;
  return ends.lower <= ends.upper ? ends : PredictionInterval{middle, middle};
}

double naive_p(const Case& one, double target) {
  const Numbers lower = ends_of(one, -1);
  const Numbers upper = ends_of(one, 1);
  const auto below = std::ranges::count_if(lower, [&](double end) { return end <= target; });
  const auto above = std::ranges::count_if(upper, [&](double end) { return end >= target; });
  return static_cast<double>(std::min(below, above) + 1) / static_cast<double>(one.residuals.size() + 1);
}

/// #{ i : R_i >= |y - m_k(i)(x)| } + 1 over n + 1: Vovk's cross-conformal predictor with absolute residuals.
double cross_conformal_p(const Case& one, double target) {
  std::size_t count = 1;
  for (std::size_t i = 0; i < one.residuals.size(); ++i)
    count += one.residuals[i] >= std::abs(target - one.means[static_cast<std::size_t>(one.machine_of[i])]) ? 1U : 0U;
  return static_cast<double>(count) / static_cast<double>(one.residuals.size() + 1);
}

TEST(CrossRegression, EqualsAllEndsSortedAndHoldsWhatTheCrossConformalPValueLeaves) {
  for (const std::size_t n : {1U, 7U, 19U, 40U, 99U}) {
    for (const std::size_t machines : {1U, 3U, 10U}) {
      const Case one = random_case(n, machines, 10 * n + machines);
      const CrossRegression regression(one.residuals, one.machine_of, machines);
      EXPECT_EQ(regression.size(), n);
      for (const double significance : {0.01, 0.05, 1 - 0.95, 0.1, 0.25, 0.5, 0.8}) {
        const auto r = static_cast<std::size_t>(std::floor(significance * static_cast<double>(n + 1) + 1e-9));
        const PredictionInterval expected = naive_interval(one, r);
        const PredictionInterval found = regression.interval(one.means, significance);
        EXPECT_EQ(found.lower, expected.lower) << n << ' ' << machines << ' ' << significance;
        EXPECT_EQ(found.upper, expected.upper) << n << ' ' << machines << ' ' << significance;
        for (double y = -6; y <= 9; y += 0.125) {
          const double p = p_value(regression.rank(one.means, y));
          EXPECT_EQ(p, naive_p(one, y)) << y;
          EXPECT_GE(p, cross_conformal_p(one, y)) << y;
          const bool inside = found.lower <= y && y <= found.upper && found.lower < found.upper;
          if (found.lower < found.upper) EXPECT_EQ(in_set(p, significance), inside) << y << ' ' << significance;
        }
      }
    }
  }
}

TEST(CrossRegression, WithOneMachineIsTheSplitConformalOne) {
  const Case one = random_case(37, 1, 3);
  const CrossRegression regression(one.residuals, {}, 0);
  const Numbers zeros(37, 0.0);
  const InductiveRegression split(one.residuals, zeros);
  model::Prediction said;
  said.mean = {0.5, 2.25, -1};
  const Numbers targets{1, 2, 3};
  for (const double significance : {0.01, 0.05, 0.3, 0.9}) {
    const auto expected = split.intervals(said.mean, {}, significance);
    const auto found = regression.intervals(said, significance);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(found[i].lower, expected[i].lower);
      EXPECT_EQ(found[i].upper, expected[i].upper);
    }
  }
  EXPECT_EQ(regression.p_values(said, targets), split.p_values(targets, said.mean));
}

/// Three machines that say 0, 10 and 20, with small residuals: no level from 0.5 on leaves a target.
TEST(CrossRegression, AnEmptyIntervalIsItsMiddle) {
  const Numbers residuals{1, 1, 1};
  const std::vector<int> machine_of{0, 1, 2};
  const CrossRegression regression(residuals, machine_of, 3);
  const Numbers means{0, 10, 20};
  const PredictionInterval wide = regression.interval(means, 0.3);
  EXPECT_EQ(wide.lower, -1);
  EXPECT_EQ(wide.upper, 21);
  const PredictionInterval none = regression.interval(means, 0.8);
  EXPECT_EQ(none.lower, 10);
  EXPECT_EQ(none.upper, 10);
}

TEST(CrossRegression, RefusesWhatDoesNotFit) {
  const Numbers residuals{1, 2};
  const std::vector<int> machine_of{0, 1};
  const CrossRegression regression(residuals, machine_of, 2);
  const Numbers means{0, 1};
  const auto refuse = [](const char* part, const auto& call) { expect_error(ErrorCode::invalid_argument, part, call); };
  refuse("a significance level must lie between 0 and 1", [&] { regression.interval(means, 0); });
  refuse("2 models, but 1 means", [&] { regression.interval(std::span(means).first(1), 0.1); });
  refuse("model 1, which does not exist", [&] { CrossRegression(residuals, machine_of, 1); });
  refuse("models of 1", [&] { CrossRegression(residuals, std::span(machine_of).first(1), 2); });
  refuse("must be 0 or more", [&] { CrossRegression(Numbers{1, -infinity}, machine_of, 2); });
  expect_error(ErrorCode::invalid_data, "at least one held-out example", [] { CrossRegression({}, {}, 0); });
}

}  // namespace cross_regression_vs_naive_tests
}  // namespace credence::conformal
